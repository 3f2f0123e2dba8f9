# SPDX-License-Identifier: Apache-2.0
"""What is seen in the first steps, and that nothing is left behind."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator

import pytest
import torch
from torch.nn.modules import module as torch_module

from stoker.levers import observe
from stoker.levers.observe import Observer

X = torch.ones(2, 4)


def hooks() -> tuple[int, int]:
    return (
        len(torch_module._global_forward_hooks),
        len(torch_module._global_forward_pre_hooks),
    )


class Watching:
    def __init__(self) -> None:
        self.done: list[Observer] = []
        self.errors: list[Exception] = []
        self.observer = Observer(self.done.append, self.errors.append)


@pytest.fixture
def watching() -> Iterator[Watching]:
    before = hooks()
    made = Watching()
    yield made
    made.observer.stop()
    assert hooks() == before


def steps(
    watching: Watching,
    *optimizers: torch.optim.Optimizer,
    forward: Callable[[], None],
    count: int = 5,
) -> None:
    for _ in range(count):
        forward()
        for optimizer in optimizers:
            optimizer.step()
            watching.observer.stepped(optimizer)


def test_nested_modules_are_one_model_and_hooks_go(watching: Watching) -> None:
    before = hooks()
    net = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Sequential(torch.nn.Linear(4, 1)))
    criterion = torch.nn.MSELoss()
    sgd = torch.optim.SGD(net.parameters(), 0.1)
    steps(watching, sgd, forward=lambda: criterion(net(X), torch.ones(2, 1)).backward())
    (model,) = watching.observer.models
    assert model.module is net
    assert model.calls_of_steps == [1, 1, 1] and model.one_call_a_step
    assert not model.shapes_change and model.output_kinds == {"Tensor"}
    assert model.last_call is not None and model.last_call[0][0] is X
    assert watching.done == [watching.observer] and watching.observer.over
    assert hooks() == (before[0] - 1, before[1] - 1)
    assert watching.errors == []


def test_a_gan_is_two_models(watching: Watching) -> None:
    maker, judge = torch.nn.Linear(4, 4), torch.nn.Linear(4, 1)
    first = torch.optim.SGD(judge.parameters(), 0.1)
    second = torch.optim.SGD(maker.parameters(), 0.1)

    def forward() -> None:
        made = maker(X)
        (judge(X) - judge(made.detach())).sum().backward()
        judge(made).sum().backward()

    steps(watching, first, second, forward=forward)
    found = {id(m.module): m for m in watching.observer.models}
    assert found[id(maker)].calls_of_steps == [1, 1, 1]
    assert found[id(judge)].calls_of_steps == [3, 3, 3]
    assert not found[id(judge)].one_call_a_step
    assert watching.observer.optimizers == [first, second]


def test_accumulation_is_seen_as_calls_a_step(watching: Watching) -> None:
    net = torch.nn.Linear(4, 1)

    def forward() -> None:
        for _ in range(4):
            net(X).sum().backward()

    steps(watching, torch.optim.SGD(net.parameters(), 0.1), forward=forward)
    assert watching.observer.models[0].calls_of_steps == [4, 4, 4]


def test_evaluation_and_frozen_models_are_none(watching: Watching) -> None:
    net, teacher, other = torch.nn.Linear(4, 1), torch.nn.Linear(4, 1), torch.nn.Linear(4, 1)
    teacher.requires_grad_(False)

    def forward() -> None:
        teacher(X)
        with torch.no_grad():
            other(X)
        net.eval()
        net(X)
        net.train()
        net(X).sum().backward()

    steps(watching, torch.optim.SGD(net.parameters(), 0.1), forward=forward)
    assert [m.module for m in watching.observer.models] == [net]
    assert watching.observer.models[0].calls_of_steps == [1, 1, 1]


def test_autocast_and_shapes_are_seen(watching: Watching) -> None:
    net = torch.nn.Linear(4, 1)
    sizes = iter(range(1, 9))

    def forward() -> None:
        with torch.autocast("cpu", dtype=torch.bfloat16):
            net(torch.ones(next(sizes), 4)).sum().backward()

    steps(watching, torch.optim.SGD(net.parameters(), 0.1), forward=forward)
    (model,) = watching.observer.models
    assert model.saw_autocast and model.shapes_change


def test_an_exception_of_the_script_does_not_shift_the_depth(watching: Watching) -> None:
    net = torch.nn.Sequential(torch.nn.Linear(4, 1))

    def forward() -> None:
        with pytest.raises(RuntimeError):
            net(torch.ones(2, 5))
        net(X).sum().backward()

    steps(watching, torch.optim.SGD(net.parameters(), 0.1), forward=forward)
    assert [m.module for m in watching.observer.models] == [net]


def test_an_error_inside_stops_it_and_the_script_goes_on(
    watching: Watching, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise ValueError("broken")

    monkeypatch.setattr(observe, "signature", broken)
    net = torch.nn.Linear(4, 1)
    before = net.weight.detach().clone()
    steps(
        watching,
        torch.optim.SGD(net.parameters(), 0.1),
        forward=lambda: net(X).sum().backward(),
    )
    assert [str(error) for error in watching.errors] == ["broken"]
    assert watching.done == [] and watching.observer.over
    assert not torch.equal(net.weight, before)


class Halves(torch.nn.Module):
    """Autocast inside the call, as Accelerate puts it round `forward`."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = torch.nn.Linear(4, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        with torch.autocast("cpu", dtype=torch.bfloat16):
            return self.layer(x).float()


@pytest.mark.parametrize(("kind", "seen"), [(Halves, True), (lambda: torch.nn.Linear(4, 1), False)])
def test_autocast_inside_the_model(
    kind: Callable[[], torch.nn.Module], seen: bool, watching: Watching
) -> None:
    net = kind()
    sgd = torch.optim.SGD(net.parameters(), 0.1)
    steps(watching, sgd, forward=lambda: net(X).sum().backward())
    assert [model.saw_autocast for model in watching.observer.models] == [seen]


@pytest.mark.parametrize("in_place", [True, False])
def test_a_compiler_meets_no_hooks(in_place: bool) -> None:
    """Neither those that are there nor what torch remembers of those that were."""
    observer = Observer(lambda _: None, lambda _: None)
    net = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Tanh())
    if in_place:
        net.compile(backend="aot_eager", fullgraph=True)
        assert net(X).shape == (2, 4)  # hooks that are there are traced to nothing
    observer.look_no_more()
    assert not torch_module._has_any_global_hook()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert torch.compile(net, backend="aot_eager", fullgraph=True)(X).shape == (2, 4)
    assert observer.models == []


def test_differentiating_twice_is_seen_and_nothing_is_left(watching: Watching) -> None:
    net = torch.nn.Linear(4, 1)
    before = watching.observer.differentiates_twice
    x = X.clone().requires_grad_()
    (slope,) = torch.autograd.grad(net(x).sum(), x, create_graph=True)
    assert slope.requires_grad
    assert (before, watching.observer.differentiates_twice) == (False, True)
    watching.observer.stop()
    for function in (torch.autograd.grad, torch.autograd.backward):
        assert function.__module__ == "torch.autograd" and not hasattr(function, "__wrapped__")


def test_one_derivative_is_not_two(watching: Watching) -> None:
    net = torch.nn.Linear(4, 1)
    net(X).sum().backward()
    torch.autograd.grad(net(X).sum(), net.weight, None, True)
    assert not watching.observer.differentiates_twice
