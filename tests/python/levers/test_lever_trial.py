# SPDX-License-Identifier: Apache-2.0
"""A trial finds wrong results, and leaves the training as it was."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

from stoker.levers.trial import Result, compare, pass_and_back

X = torch.linspace(-1, 1, 8).reshape(2, 4)


def net_of(*more: torch.nn.Module) -> torch.nn.Module:
    torch.manual_seed(0)
    return torch.nn.Sequential(torch.nn.Linear(4, 4), *more, torch.nn.Linear(4, 2))


def tried(
    net: torch.nn.Module, changed: Callable[..., Any], plain: Callable[..., Any] | None = None
) -> Result:
    return compare(net, plain or net, changed, net, ((X,), {}))


class WrongGradient(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        return x.clone()

    @staticmethod
    def backward(ctx: Any, *grads: torch.Tensor) -> Any:
        return grads[0] * 1.5


def test_the_same_is_accepted_and_nothing_is_touched() -> None:
    net = net_of(torch.nn.BatchNorm1d(4))
    net(X).sum().backward()
    grads = [p.grad.clone() for p in net.parameters() if p.grad is not None]
    buffers = [b.clone() for b in net.buffers()]
    torch.manual_seed(5)
    state = torch.get_rng_state()
    result = tried(net, net)
    assert result.ok and result.reason == ""
    assert result.output_distance == 0 and result.gradient_distance == 0
    assert torch.equal(torch.get_rng_state(), state)
    assert all(torch.equal(a, b) for a, b in zip(net.buffers(), buffers, strict=True))
    assert all(
        p.grad is not None and torch.equal(p.grad, g)
        for p, g in zip(net.parameters(), grads, strict=True)
    )


def test_wrong_gradients_are_caught() -> None:
    net = net_of()
    result = tried(net, lambda x: WrongGradient.apply(net(x)))
    assert not result.ok
    assert result.reason == (
        "is 0 (outputs) and 0.5 (gradients) from full precision, "
        "where at most 0.01 and 0.05 are allowed"
    )


def test_wrong_outputs_are_caught() -> None:
    net = net_of()
    assert tried(net, lambda x: net(x) * 1.1).reason.startswith("is 0.1 (outputs)")
    assert tried(net, lambda x: net(x)[:1]).reason == "gives outputs of other shapes"


def test_nan_is_caught() -> None:
    net = net_of()
    result = tried(net, lambda x: net(x) * float("nan"))
    assert result.reason == "gives NaN or infinity where the plain model does not"


def test_nan_in_gradients_alone_is_caught() -> None:
    net = net_of()
    result = tried(net, lambda x: net(x) + (net(x) * 0).abs().sqrt())
    assert result.reason == "gives NaN or infinity where the plain model does not"


def test_an_error_is_a_reason() -> None:
    def broken(x: torch.Tensor) -> None:
        raise RuntimeError("no kernel\nmore lines")

    assert tried(net_of(), broken).reason == "RuntimeError: no kernel"


def test_dropout_is_accepted_uncompared() -> None:
    net = net_of(torch.nn.Dropout(0.5))
    result = tried(net, net)
    assert result.ok and result.output_distance is None


def test_outputs_without_gradients_cannot_be_compared() -> None:
    net = net_of()
    result = tried(net, lambda x: net(x).detach(), plain=lambda x: net(x).detach())
    assert result.reason == "no output to be compared has a gradient"


def test_bfloat16_is_judged_by_its_distance_from_full_precision() -> None:
    net = net_of()

    def low(x: torch.Tensor) -> torch.Tensor:
        with torch.autocast("cpu", dtype=torch.bfloat16):
            out = net(x)
        assert isinstance(out, torch.Tensor)
        return out.float()

    result = compare(net, low, low, net, ((X,), {}))
    assert result.ok and result.output_distance is not None
    assert 0 < result.output_distance < 0.01


def test_a_trial_leaves_the_batch_and_the_output_alone(
    capsys: pytest.CaptureFixture[str],
) -> None:
    class Shifts(torch.nn.Linear):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            print("forward")
            x.mul_(2)
            return super().forward(x)

    net, batch = Shifts(4, 2), torch.ones(2, 4)
    result = compare(net, net, net, net, ((batch,), {}))
    assert result.ok, result.reason
    assert torch.equal(batch, torch.ones(2, 4))
    assert capsys.readouterr().out == ""


def test_copies_are_what_a_compiler_takes_for_the_same() -> None:
    leaf = torch.ones(2, 3, requires_grad=True)
    whole = torch.arange(12.0).reshape(3, 4)
    arguments = [
        whole[:, :-1],
        whole[0].expand(2, 4),
        (whole.t() * 1j).conj(),
        torch.ones(0, 2),
        whole[2],
    ]
    arguments += [leaf, leaf * 2, torch.nn.Parameter(torch.ones(2)), leaf]
    got: list[torch.Tensor] = []
    net = torch.nn.Linear(1, 1)
    pass_and_back(net, lambda *args: got.extend(args), (tuple(arguments), {}))
    for copy, value in zip(got, arguments, strict=True):
        assert copy is not value
        assert not copy.numel() or copy.data_ptr() != value.data_ptr()
        assert torch.equal(copy, value) and type(copy) is type(value)
        assert copy.stride() == value.stride()
        assert (copy.requires_grad, copy.is_leaf) == (value.requires_grad, value.is_leaf)
    assert got[5] is got[8]
    got[6].mul_(2)  # a leaf could not be changed
    got[1][0, 0] = 7
    assert got[1][1, 0] == 7 and whole[0, 0] == 0


def test_a_compiled_trial_is_good_for_the_training() -> None:
    """Of a part of a batch, as models of language get it."""
    net = torch.nn.Sequential(torch.nn.Embedding(9, 4), torch.nn.Linear(4, 2))
    part = torch.arange(8).reshape(2, 4)[:, :-1]
    compiled: list[int] = []

    def backend(graph: Any, _inputs: Any) -> Any:
        compiled.append(1)
        return graph

    changed = torch.compile(net, backend=backend, dynamic=False)
    assert compare(net, net, changed, net, ((part,), {})).ok
    changed(part)
    assert compiled == [1]
