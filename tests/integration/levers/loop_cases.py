# SPDX-License-Identifier: Apache-2.0
"""Training loops of all kinds, with a model that is worth compiling and an optimizer that may be
fused. Each prints losses, and what else must be right at its end."""

from __future__ import annotations

import sys

import torch
from behaviour_cases import Chain
from case_runner import case, main
from torch import Tensor, nn
from torch.nn.functional import binary_cross_entropy_with_logits

STEPS = 30
DATA = torch.randn(64, 6, generator=torch.Generator().manual_seed(1))
TARGET = DATA[:, :2].tanh()


def _fit(model: nn.Module, optimizer: torch.optim.Optimizer, batch: slice = slice(0, 64)) -> None:
    optimizer.zero_grad()
    loss = (model(DATA[batch]) - TARGET[batch]).square().mean()
    loss.backward()
    optimizer.step()
    print(repr(loss.item()))


def _accumulate(parts: int) -> None:
    torch.manual_seed(0)
    model = Chain()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    size = 64 // parts
    for _ in range(STEPS):
        optimizer.zero_grad()
        total = 0.0
        for first in range(0, 64, size):
            part = slice(first, first + size)
            loss = (model(DATA[part]) - TARGET[part]).square().mean() / parts
            loss.backward()
            total += loss.item()
        optimizer.step()
        print(repr(total))


@case
def whole_batches() -> None:
    _accumulate(1)


@case
def quarter_batches() -> None:
    _accumulate(4)


@case
def keeps_outputs() -> None:
    model = Chain()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    kept: list[Tensor] = []
    for _ in range(STEPS):
        out = model(DATA)
        kept.append(out)
        optimizer.zero_grad()
        (out - TARGET).square().mean().backward()
        optimizer.step()
    for out in kept:
        print(repr(out.square().mean().item()))


class Dropping(Chain):
    def forward(self, x: Tensor) -> Tensor:
        return nn.functional.dropout(self.middle(x), 0.5, self.training)


@case
def dropout() -> None:
    """How many masks were alike, and that each dropped half of it."""
    model = Dropping()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.0)
    masks = set()
    for _ in range(STEPS):
        out = model(DATA)
        optimizer.zero_grad()
        out.mean().backward()
        optimizer.step()
        dropped = out == 0
        masks.add(hash(bytes(dropped[0].tolist())))
        print(abs(dropped.double().mean().item() - 0.5) < 0.01)
    print(len(masks))


class Normed(Chain):
    def __init__(self) -> None:
        super().__init__()
        self.norm = nn.BatchNorm1d(2048)

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = self.last(self.norm(self.middle(x)))
        return out


@case
def batch_norm() -> None:
    model = Normed()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.0)
    for step in range(STEPS):
        _fit(model, optimizer, slice(step % 2 * 32, step % 2 * 32 + 32))
    assert model.norm.running_mean is not None and model.norm.running_var is not None
    print(repr(model.norm.running_mean.abs().mean().item()))
    print(repr(model.norm.running_var.mean().item()))
    print(model.norm.num_batches_tracked.item())


@case
def schedule_decay_clipping() -> None:
    model = Chain()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, weight_decay=0.1)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 0.05, total_steps=STEPS + 1)
    for _ in range(STEPS):
        optimizer.zero_grad()
        loss = (model(DATA) - TARGET).square().mean()
        loss.backward()
        norm = nn.utils.clip_grad_norm_(model.parameters(), 0.1)
        optimizer.step()
        schedule.step()
        print(repr(loss.item()))
        print(repr(norm.item()))


@case
def two_optimizers() -> None:
    model = Chain()
    first = torch.optim.Adam(model.first.parameters(), lr=1e-3)
    last = torch.optim.SGD(model.last.parameters(), lr=0.01)
    for _ in range(STEPS):
        last.zero_grad()
        _fit(model, first)
        last.step()


@case
def gan() -> None:
    maker, judge = Chain(), nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 1))
    of_judge = torch.optim.Adam(judge.parameters(), lr=1e-3)
    of_maker = torch.optim.Adam(maker.parameters(), lr=1e-3)
    ones, zeros = torch.ones(64, 1), torch.zeros(64, 1)
    for _ in range(STEPS):
        made = maker(DATA)
        of_judge.zero_grad()
        right = binary_cross_entropy_with_logits(judge(TARGET), ones)
        wrong = binary_cross_entropy_with_logits(judge(made.detach()), zeros)
        (right + wrong).backward()
        of_judge.step()
        of_maker.zero_grad()
        fooled = binary_cross_entropy_with_logits(judge(made), ones)
        fooled.backward()
        of_maker.step()
        print(repr((right + wrong).item()))
        print(repr(fooled.item()))


@case
def evaluates_in_between() -> None:
    model = Dropping()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.0)
    for _ in range(STEPS):
        optimizer.zero_grad()
        model(DATA).mean().backward()
        optimizer.step()
        model.eval()
        with torch.no_grad():
            print(repr(model(DATA[:7]).abs().mean().item()))
        model.train()


@case
def smaller_last_batch() -> None:
    model = Chain()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for _ in range(STEPS // 3):
        for batch in (slice(0, 25), slice(25, 50), slice(50, 64)):
            _fit(model, optimizer, batch)


@case
def saves() -> None:
    model = Chain()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for _ in range(STEPS):
        _fit(model, optimizer)
    torch.save([model.state_dict(), optimizer.state_dict()], "saved.pt")


@case
def goes_on() -> None:
    """With what `saves` left in this folder."""
    model = Chain()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    weights, state = torch.load("saved.pt")
    model.load_state_dict(weights)
    optimizer.load_state_dict(state)
    for _ in range(STEPS):
        _fit(model, optimizer)


if __name__ == "__main__":
    main(sys.argv[1:])
