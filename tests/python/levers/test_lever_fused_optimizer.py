# SPDX-License-Identifier: Apache-2.0
"""fused=True where the script left it open, and nowhere else."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator
from typing import Any

import pytest
import torch

from stoker.levers import fused_optimizer
from stoker.levers.fused_optimizer import made, maker
from stoker.levers.outcome import Outcome
from stoker.levers.seen import Seen


@pytest.fixture(autouse=True)
def applied(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    put_back: list[tuple[Any, str]] = [(kind, "__init__") for kind in fused_optimizer.kinds()]
    put_back += [(torch.amp.GradScaler, "__init__"), (torch, "compile")]
    put_back += [(torch.utils.data.DataLoader, "_get_iterator"), (torch.cuda.Stream, "__new__")]
    for owner, name in put_back:
        monkeypatch.setattr(owner, name, owner.__dict__[name])
    seen = Seen(lambda where, error: pytest.fail(f"{where}: {error}"))
    seen.watch()
    maker.make_fused(seen)
    yield
    maker._made.clear()


def model() -> torch.nn.Module:
    torch.manual_seed(0)
    return torch.nn.Linear(4, 4)


def reason_of(said: list[Outcome]) -> str:
    assert said and said[-1].id == "fused_optimizer" and not said[-1].applied
    return said[-1].reason


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        (torch.optim.Adam, {}),
        (torch.optim.AdamW, {"weight_decay": 0.1}),
        (torch.optim.SGD, {"momentum": 0.9}),
        (torch.optim.Adagrad, {}),
    ],
)
def test_parameters_from_a_generator(
    kind: Any, options: dict[str, Any], said: list[Outcome]
) -> None:
    module = model()
    optimizer = kind(module.parameters(), lr=0.1, **options)
    assert optimizer.param_groups[0]["fused"] is True
    assert optimizer.param_groups[0]["params"] == list(module.parameters())
    assert [(o.applied, o.detail) for o in said] == [
        (True, f"{kind.__name__}, from the first step on")
    ]


def test_groups_named_parameters_and_a_positional_lr() -> None:
    module = model()
    groups = [{"params": iter([module.weight])}, {"params": [module.bias], "lr": 0.5}]
    assert [g["fused"] for g in torch.optim.AdamW(groups, 0.1).param_groups] == [True, True]
    assert torch.optim.SGD(module.named_parameters(), 0.1).param_groups[0]["fused"] is True
    assert torch.optim.SGD([{"params": module.parameters()}]).param_groups[0]["fused"] is True


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"fused": False}, "the script sets fused itself"),
        ({"foreach": True}, "the script sets foreach itself"),
        ({"foreach": False}, "the script sets foreach itself"),
        ({"capturable": True}, "the script sets capturable itself"),
        ({"differentiable": True}, "the script sets differentiable itself"),
        ({"lr": torch.tensor(0.1), "foreach": None}, "the learning rate is a tensor"),
    ],
)
def test_the_scripts_own_choice_stays(
    options: dict[str, Any], reason: str, said: list[Outcome]
) -> None:
    optimizer = torch.optim.AdamW(model().parameters(), **options)
    assert not optimizer.param_groups[0]["fused"]
    assert reason_of(said) == reason


def test_a_class_of_the_scripts_own(said: list[Outcome]) -> None:
    class Own(torch.optim.AdamW):
        pass

    assert Own(model().parameters()).param_groups[0]["fused"] is None
    assert reason_of(said) == "Own is a class of the script's own"


def test_parameters_that_it_is_not_for(said: list[Outcome]) -> None:
    torch.optim.SGD([torch.nn.Parameter(torch.ones(2, device="meta"))], 0.1)
    assert reason_of(said) == "parameters lie on meta"
    torch.optim.SGD([torch.ones(2, dtype=torch.complex64, requires_grad=True)], 0.1)
    assert reason_of(said) == "not all parameters are floating-point tensors"


def test_wrong_arguments_raise_as_without() -> None:
    with pytest.raises(ValueError, match="Invalid learning rate"):
        torch.optim.AdamW(model().parameters(), lr=-1.0)
    with pytest.raises(ValueError, match="empty parameter list"):
        torch.optim.AdamW([])
    with pytest.raises(TypeError):
        torch.optim.AdamW(model().parameters(), wrong=1)


def test_a_grad_scaler_made_later_switches_it_off(said: list[Outcome]) -> None:
    module, plain = model(), model()
    optimizer = torch.optim.AdamW(module.parameters(), lr=0.1)
    torch.amp.GradScaler("cpu", enabled=False)
    assert optimizer.param_groups[0]["fused"] is True
    torch.amp.GradScaler("cpu")
    assert not optimizer.param_groups[0]["fused"]
    assert reason_of(said) == "the script uses a GradScaler"
    # From then on it is a plain one, and so is every later one.
    other = torch.optim.AdamW(plain.parameters(), lr=0.1)
    assert not other.param_groups[0]["fused"]
    for net, stepped in ((module, optimizer), (plain, other)):
        net(torch.ones(2, 4)).sum().backward()
        stepped.step()
    assert torch.equal(module.weight, plain.weight)


def test_fused_steps_are_close_and_checkpoints_go_both_ways(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    module, plain = model(), model()
    fused = torch.optim.AdamW(module.parameters(), lr=0.1)
    alone = torch.optim.AdamW(plain.parameters(), lr=0.1, foreach=False)
    for _ in range(5):
        for net, optimizer in ((module, fused), (plain, alone)):
            optimizer.zero_grad()
            net(torch.ones(2, 4)).square().sum().backward()
            optimizer.step()
    torch.testing.assert_close(module.weight, plain.weight)
    alone.load_state_dict(fused.state_dict())
    fused.load_state_dict(alone.state_dict())
    fused.step()


def trained(optimizer: Any, module: torch.nn.Module, steps: int = 2) -> Any:
    for _ in range(steps):
        optimizer.zero_grad()
        module(torch.ones(2, 4)).sum().backward()
        optimizer.step()
    return optimizer


@pytest.mark.parametrize("kind", fused_optimizer.kinds())
def test_a_checkpoint_is_that_of_a_plain_optimizer(kind: Any) -> None:
    module, twin = model(), model()
    optimizer = trained(kind(module.parameters(), lr=0.1), module)
    plain = trained(kind(twin.parameters(), lr=0.1, foreach=False), twin)
    saved, expected = optimizer.state_dict(), plain.state_dict()
    assert saved["param_groups"] == [{**g, "foreach": None} for g in expected["param_groups"]]
    assert saved["state"].keys() == expected["state"].keys()
    for key, state in expected["state"].items():
        assert {n: v.device for n, v in saved["state"][key].items() if v is not None} == {
            n: v.device for n, v in state.items() if v is not None
        }
    assert optimizer.param_groups[0]["fused"] is True


def test_a_plain_checkpoint_leaves_the_lever_on(said: list[Outcome]) -> None:
    module, twin = model(), model()
    plain = trained(torch.optim.AdamW(twin.parameters(), lr=0.1, foreach=False), twin)
    saved = plain.state_dict()
    del said[:]
    optimizer = torch.optim.AdamW(module.parameters(), lr=0.5)
    optimizer.load_state_dict(saved)
    assert saved["param_groups"][0]["fused"] is None  # it is the script's, and stays as it was
    group = optimizer.param_groups[0]
    assert (group["fused"], group["lr"], said[-1].applied) == (True, 0.1, True)
    module.load_state_dict(twin.state_dict())
    trained(optimizer, module)
    trained(plain, twin)
    torch.testing.assert_close(module.weight, twin.weight)


@pytest.mark.parametrize("kind", [torch.optim.SGD, torch.optim.Adagrad])
def test_sparse_gradients(kind: Any, said: list[Outcome]) -> None:
    words = torch.nn.Embedding(5, 3, sparse=True)
    before = words.weight.detach().clone()
    optimizer = kind([{"params": model().parameters()}, {"params": words.parameters()}], lr=0.5)
    words(torch.tensor([1])).sum().backward()
    optimizer.step()
    assert reason_of(said) == "gradients are sparse"
    changed = (words.weight != before).any(1)
    assert changed.tolist() == [False, True, False, False, False]


def test_a_group_that_cannot_be_fused_comes_later(said: list[Outcome]) -> None:
    module = model()
    optimizer = trained(torch.optim.SGD(module.parameters(), lr=0.1), module)
    optimizer.add_param_group({"params": [torch.ones(2, dtype=torch.complex64)]})
    optimizer.param_groups[1]["params"][0].grad = torch.ones(2, dtype=torch.complex64)
    optimizer.step()
    assert reason_of(said) == "not all parameters are floating-point tensors"
    assert optimizer.param_groups[1]["params"][0].tolist() == [pytest.approx(0.9)] * 2


def test_an_optimizer_that_scales_no_gradients() -> None:
    """Trainers that clip gradients themselves refuse one that could."""
    optimizer = torch.optim.AdamW(model().parameters())
    assert not getattr(optimizer, "_step_supports_amp_scaling", False)


def test_an_optimizer_is_let_go_of() -> None:
    optimizer = torch.optim.AdamW(model().parameters())
    reference = weakref.ref(optimizer)
    del optimizer
    gc.collect()
    assert reference() is None


def test_an_error_in_a_hook_is_none_of_the_scripts(monkeypatch: pytest.MonkeyPatch) -> None:
    faults: list[str] = []
    monkeypatch.setattr(made, "_steps_on_host", lambda state: 1 / 0)
    optimizer = torch.optim.AdamW(model().parameters())
    maker._made[optimizer].fault = lambda where, error: faults.append(f"{where}: {error}")
    assert optimizer.state_dict()["param_groups"][0]["fused"] is True
    assert faults == ["fused_optimizer: division by zero"]
