# SPDX-License-Identifier: Apache-2.0
"""Optimizers that must not become fused ones."""

from __future__ import annotations

import sys
from typing import Any

import torch
from case_runner import case, main, mlp, train
from torch import Tensor, nn

SHORT = 2  # steps: too few for levers of the model


def _train_with(kind: Any, **options: Any) -> None:
    model = mlp()
    train(model, kind(model.parameters(), **options), steps=SHORT)


@case
def fused_false() -> None:
    _train_with(torch.optim.AdamW, lr=0.01, fused=False)


@case
def foreach() -> None:
    _train_with(torch.optim.Adam, lr=0.01, foreach=True)


@case
def differentiable() -> None:
    """Its step is written for an autograd that follows it."""
    weight = torch.ones(3, requires_grad=True)
    copy = weight.clone()
    optimizer = torch.optim.SGD([copy], lr=0.1, differentiable=True)
    copy.grad = weight * 2
    optimizer.step()
    print(optimizer.param_groups[0]["fused"], [repr(v) for v in copy.tolist()])


@case
def capturable() -> None:
    model = mlp()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01, capturable=True)
    model(torch.ones(2, 6)).sum().backward()
    try:
        optimizer.step()
    except (AssertionError, RuntimeError) as error:
        print(error)


@case
def tensor_lr() -> None:
    _train_with(torch.optim.Adam, lr=torch.tensor(0.01))


class Warm(torch.optim.SGD):
    def __init__(self, params: Any, lr: float) -> None:
        super().__init__(params, lr=lr / 2)


@case
def own_class() -> None:
    _train_with(Warm, lr=0.2)


@case
def grad_scaler() -> None:
    model = mlp()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)  # type: ignore[attr-defined]
    data = torch.randn(8, 6)
    for _ in range(SHORT):
        optimizer.zero_grad()
        with torch.autocast("cpu", dtype=torch.bfloat16):
            loss = model(data).float().square().mean()
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        print(repr(loss.item()))


@case
def complex_numbers() -> None:
    weight = nn.Parameter(torch.randn(6, 2, dtype=torch.complex64))
    optimizer = torch.optim.Adam([weight], lr=0.1)
    train(lambda x: (x.to(torch.complex64) @ weight).abs(), optimizer, steps=SHORT)


@case
def whole_numbers() -> None:
    model, counts = mlp(), torch.zeros(3, dtype=torch.int64)
    train(model, torch.optim.SGD([*model.parameters(), counts], lr=0.1), steps=SHORT)


class Words(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.words, self.head = nn.EmbeddingBag(10, 4, sparse=True), nn.Linear(4, 2)
        self.register_forward_hook(lambda *_: None)  # no compile

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = self.head(self.words(x.abs().long() % 10))
        return out


@case
def sparse_sgd() -> None:
    model = Words()
    train(model, torch.optim.SGD(model.parameters(), lr=0.1))


@case
def sparse_adagrad() -> None:
    model = Words()
    train(model, torch.optim.Adagrad(model.parameters(), lr=0.1))


@case
def lbfgs() -> None:
    """Calls its closure as often as it likes; there is no fused kernel for it."""
    model, data = mlp(), torch.randn(8, 6)
    model.register_forward_hook(lambda *_: None)
    optimizer = torch.optim.LBFGS(model.parameters(), lr=0.1, max_iter=4)

    def closure() -> float:
        optimizer.zero_grad()
        loss = model(data).square().mean()
        loss.backward()
        return float(loss)

    for _ in range(6):
        print(repr(optimizer.step(closure)))


if __name__ == "__main__":
    main(sys.argv[1:])
