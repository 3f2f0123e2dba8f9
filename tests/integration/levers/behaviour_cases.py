# SPDX-License-Identifier: Apache-2.0
"""What scripts do to a model that is worth compiling, and what compiling must not change."""

from __future__ import annotations

import sys
from typing import Any

import torch
from case_runner import case, main
from torch import Tensor, nn

STEPS = 30


class Chain(nn.Module):
    """Many small operations, which a compiler makes one of."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.last = nn.Linear(6, 2048), nn.Linear(2048, 2)

    def middle(self, x: Tensor) -> Tensor:
        x = self.first(x)
        for _ in range(8):
            x = torch.relu(x * 0.9 + 0.01) - 0.01
        return x

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = self.last(self.middle(x))
        return out


def _steps(model: nn.Module, step: Any, lr: float = 0.01) -> None:
    """`step(number)` gives the loss after its backward pass."""
    optimizer = torch.optim.SGD(model.parameters(), lr=lr, foreach=False)
    for number in range(STEPS):
        optimizer.zero_grad()
        loss = step(number)
        optimizer.step()
        print(repr(float(loss)))


DATA = torch.randn(64, 6, generator=torch.Generator().manual_seed(1))


def _plain_step(model: nn.Module) -> Any:
    def step(_number: int) -> Tensor:
        loss: Tensor = model(DATA).square().mean()
        loss.backward()  # type: ignore[no-untyped-call]
        return loss.detach()

    return step


@case
def plain() -> None:
    model = Chain()
    _steps(model, _plain_step(model))


@case
def differentiates_twice() -> None:
    """A penalty on the gradient, as WGAN-GP has it."""
    model = Chain()

    def step(_number: int) -> Tensor:
        data = DATA.clone().requires_grad_()
        out = model(data)
        (slope,) = torch.autograd.grad(out.sum(), data, create_graph=True)
        loss: Tensor = out.square().mean() + (slope.norm(dim=1) - 1).square().mean()
        loss.backward()  # type: ignore[no-untyped-call]
        return loss.detach()

    _steps(model, step)


@case
def goes_back_twice() -> None:
    """Two losses of one call, the graph retained for the second."""
    model = Chain()

    def step(_number: int) -> Tensor:
        out = model(DATA)
        first, second = out[:, 0].square().mean(), out[:, 1].abs().mean()
        first.backward(retain_graph=True)
        second.backward()
        return (first + second).detach()

    _steps(model, step)


@case
def changes_its_input() -> None:
    class Shifts(Chain):
        def forward(self, x: Tensor) -> Tensor:
            x.mul_(1.01)
            return super().forward(x)

    model, data = Shifts(), DATA.clone()

    def step(_number: int) -> Tensor:
        loss: Tensor = model(data).square().mean()
        loss.backward()  # type: ignore[no-untyped-call]
        return loss.detach()

    _steps(model, step)


@case
def own_generator() -> None:
    class Noisy(Chain):
        def __init__(self) -> None:
            super().__init__()
            self.generator = torch.Generator().manual_seed(3)

        def forward(self, x: Tensor) -> Tensor:
            return super().forward(x + torch.rand(x.shape, generator=self.generator))

    model = Noisy()
    _steps(model, _plain_step(model))


@case
def keeps_a_list() -> None:
    class Remembers(Chain):
        def __init__(self) -> None:
            super().__init__()
            self.calls: list[int] = []

        def forward(self, x: Tensor) -> Tensor:
            self.calls.append(len(x))
            return super().forward(x)

    model = Remembers()
    _steps(model, _plain_step(model))
    print(len(model.calls))


@case
def prints() -> None:
    class Talks(Chain):
        def forward(self, x: Tensor) -> Tensor:
            print("forward")
            return super().forward(x)

    model = Talks()
    _steps(model, _plain_step(model))


@case
def gradient_hooks() -> None:
    model, calls = Chain(), []
    model.last.weight.register_hook(lambda gradient: calls.append(1))
    _steps(model, _plain_step(model))
    print(len(calls))


@case
def hook_that_comes_later() -> None:
    model, seen = Chain(), []
    step = _plain_step(model)

    def late(number: int) -> Tensor:
        if number == STEPS - 4:
            model.first.register_forward_hook(lambda *_: seen.append(1))
        return step(number)  # type: ignore[no-any-return]

    _steps(model, late)
    print(len(seen))


@case
def layer_that_comes_later() -> None:
    model = Chain()
    step = _plain_step(model)

    def late(number: int) -> Tensor:
        if number == STEPS - 4:
            model.last = nn.Linear(2048, 3)
        return step(number)  # type: ignore[no-any-return]

    _steps(model, late)


@case
def thaws() -> None:
    model = Chain()
    model.first.requires_grad_(False)
    step = _plain_step(model)

    def late(number: int) -> Tensor:
        model.first.requires_grad_(number >= STEPS - 8)
        return step(number)  # type: ignore[no-any-return]

    _steps(model, late)
    print(repr(model.first.weight.sum().item()))


class Words(Chain):
    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(20, 6)

    def forward(self, ids: Tensor) -> Tensor:
        return super().forward(self.words(ids))


@case
def error_of_its_own() -> None:
    """One batch is wrong, in the middle; the script goes on with the next."""
    model = Words()
    ids = torch.arange(64) % 20

    def step(number: int) -> Tensor:
        try:
            loss: Tensor = model(ids + 1 if number == STEPS - 6 else ids).square().mean()
        except IndexError as error:
            print(error)
            return torch.tensor(0.0)
        loss.backward()  # type: ignore[no-untyped-call]
        return loss.detach()

    _steps(model, step)


@case
def functional() -> None:
    """Calls with other weights than its own, as meta-learning does."""
    model = Chain()

    def step(_number: int) -> Tensor:
        doubled = {name: 2 * value for name, value in model.named_parameters()}
        loss: Tensor = torch.func.functional_call(model, doubled, (DATA,)).square().mean()
        loss.backward()  # type: ignore[no-untyped-call]
        return loss.detach()

    _steps(model, step)


@case
def writes_into_outputs() -> None:
    model = Chain()

    def step(_number: int) -> Tensor:
        out = model(DATA)
        out += 1
        loss: Tensor = out.square().mean()
        loss.backward()  # type: ignore[no-untyped-call]
        return loss.detach()

    _steps(model, step)


@case
def asks_for_gradients_of_inputs() -> None:
    model = Chain()

    def step(_number: int) -> Tensor:
        data = DATA.clone().requires_grad_()
        loss: Tensor = model(data).square().mean()
        loss.backward()  # type: ignore[no-untyped-call]
        assert data.grad is not None
        print(repr(data.grad.abs().sum().item()))
        return loss.detach()

    _steps(model, step)


@case
def autocast() -> None:
    model = Chain()

    def step(_number: int) -> Tensor:
        with torch.autocast("cpu", dtype=torch.bfloat16):
            out = model(DATA)
        loss: Tensor = out.float().square().mean()
        loss.backward()  # type: ignore[no-untyped-call]
        return loss.detach()

    _steps(model, step)


if __name__ == "__main__":
    main(sys.argv[1:])
