# SPDX-License-Identifier: Apache-2.0
"""What calls a model in its place: nothing of the model or its results may change by it."""

from __future__ import annotations

import copy
import io
import pickle
from collections.abc import Callable
from typing import Any

import pytest
import torch

from stoker.levers import driver as driver_module
from stoker.levers.driver import Driver, own_gradients, signature

X = torch.ones(2, 4)


class Net(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear = torch.nn.Linear(4, 4)
        self.norm = torch.nn.BatchNorm1d(4)
        self.drop = torch.nn.Dropout(0.5)

    def forward(self, x: torch.Tensor) -> dict[str, torch.Tensor]:
        return {"y": self.drop(self.norm(self.linear(x)))}


def net_with(
    compiled: Callable[..., Any] | None = None, graphs: bool = False
) -> tuple[Net, Driver]:
    torch.manual_seed(0)
    net = Net()
    driver = Driver(net)
    driver.use_compiled(compiled, {signature((X,), {})}.__contains__, graphs)
    driver.hang()
    return net, driver


def test_evaluation_and_no_grad_go_to_the_plain_model() -> None:
    calls: list[int] = []

    def compiled(x: torch.Tensor) -> Any:
        calls.append(1)
        return {"y": x}

    net, _ = net_with(compiled)
    assert net(X)["y"] is X
    with torch.no_grad():
        assert net(X)["y"] is not X
    net.eval()
    assert net(X)["y"] is not X
    assert len(calls) == 1


def test_outputs_of_graphs_are_copies() -> None:
    memory = torch.zeros(2, requires_grad=True)
    shown = memory * 1  # what each replay writes

    def compiled(x: torch.Tensor) -> Any:
        with torch.no_grad():
            shown.add_(1)
        return {"y": shown, "n": 3}

    net, driver = net_with(compiled, graphs=True)
    kept = [net(X)["y"] for _ in range(3)]
    assert [k[0].item() for k in kept] == [1, 2, 3]
    assert net(X)["n"] == 3
    driver.graphs = False
    assert net(X)["y"] is shown


def test_gradients_get_memory_of_their_own() -> None:
    net = torch.nn.Linear(4, 1)
    net(X).sum().backward()
    before = net.weight.grad
    assert before is not None
    net.bias.grad = None
    own_gradients(net)
    assert net.weight.grad is not None and net.bias.grad is None
    assert net.weight.grad.data_ptr() != before.data_ptr()
    assert torch.equal(net.weight.grad, before)


def test_accumulation_adds_to_gradients_that_a_replay_overwrites() -> None:
    static = torch.zeros(1, 4)  # where each replay leaves the weight's gradient

    class Replay(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
            ctx.save_for_backward(x)
            return x @ weight.detach().t()

        @staticmethod
        def backward(ctx: Any, *grads: torch.Tensor) -> Any:
            static.copy_(grads[0].t() @ ctx.saved_tensors[0])
            return None, static

    net = torch.nn.Linear(4, 1, bias=False)
    driver = Driver(net)
    driver.use_compiled(
        lambda x: Replay.apply(x, net.weight), {signature((X,), {})}.__contains__, True
    )
    driver.hang()
    for _ in range(4):
        net(X).sum().backward()
    assert net.weight.grad is not None
    assert net.weight.grad.tolist() == [[8.0] * 4]


def test_a_failing_compiled_call_leaves_no_trace() -> None:
    def compiled(x: torch.Tensor) -> Any:
        net.norm(net.linear(x))  # half-way: statistics have moved on,
        torch.rand(7)  # and so has the random state
        raise RuntimeError("recompile")

    net, driver = net_with(compiled)
    failures: list[str] = []
    driver.on_compiled_failure = lambda _, error: failures.append(str(error))
    plain = Net()
    plain.load_state_dict(net.state_dict())
    torch.manual_seed(1)
    expected = [plain(X)["y"] for _ in range(2)]
    torch.manual_seed(1)
    got = [net(X)["y"] for _ in range(2)]
    assert all(torch.equal(a, b) for a, b in zip(got, expected, strict=True))
    assert all(torch.equal(a, b) for a, b in zip(net.buffers(), plain.buffers(), strict=True))
    assert failures == ["recompile"] and driver.compiled is None


def test_an_error_of_the_scripts_own_comes_through() -> None:
    net, driver = net_with()
    bad = torch.ones(2, 5)

    def compiled(x: torch.Tensor) -> Any:
        raise RuntimeError("other words")

    driver.use_compiled(compiled, {signature((bad,), {})}.__contains__, False)
    driver.on_failure = driver.on_compiled_failure = lambda *_: pytest.fail("levers are innocent")
    with pytest.raises(RuntimeError, match="shapes cannot be multiplied") as raised:
        net(bad)
    assert raised.value.__context__ is None
    assert driver.compiled is compiled


def test_a_trial_sees_errors() -> None:
    def compiled(x: torch.Tensor) -> Any:
        raise RuntimeError("seen")

    net, driver = net_with(compiled)
    with pytest.raises(RuntimeError, match="seen"):
        driver.call(net, (X,), {})
    assert driver.compiled is compiled


class Adds(torch.nn.Module):
    """Fails where autocast makes one operand bfloat16 and leaves the other."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = torch.nn.Linear(4, 2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        noise = torch.rand(2)
        sums = torch.zeros(2, 2).index_add_(0, torch.tensor([0, 1]), self.linear(x))
        return sums + noise


def test_a_call_that_a_lever_breaks_is_made_by_the_plain_model() -> None:
    torch.manual_seed(0)
    net = Adds()
    expected = net(X)
    torch.manual_seed(0)
    net = Adds()
    driver = Driver(net)
    driver.hang()
    driver.autocast = torch.bfloat16
    driver.changed()
    failures: list[str] = []
    driver.on_failure = lambda _, error: failures.append(str(error))
    assert torch.equal(net(X), expected)
    (failure,) = failures
    assert "index_add_" in failure


def test_nan_by_a_lever_gives_the_plain_output() -> None:
    def compiled(x: torch.Tensor) -> Any:
        return {"y": x * float("nan")}

    net, driver = net_with(compiled)
    seen: list[Driver] = []
    driver.on_nan = seen.append
    assert torch.isfinite(net(X)["y"]).all()
    assert seen == [driver]


def test_other_shapes_run_uncompiled() -> None:
    net, _ = net_with(lambda x: {"y": x})
    assert net(X)["y"] is X
    assert net(torch.ones(3, 4))["y"].shape == (3, 4)
    assert net(X.double().float().requires_grad_())["y"].requires_grad
    assert signature((X,), {"n": 1}) != signature((X,), {"n": 2})


def test_the_model_looks_as_without() -> None:
    net, _ = net_with(lambda x: {"y": x})
    plain = Net()
    assert type(net) is Net and isinstance(net, Net)
    assert list(net.state_dict()) == list(plain.state_dict())
    assert [n for n, _ in net.named_modules()] == [n for n, _ in plain.named_modules()]
    buffer = io.BytesIO()
    torch.save(net, buffer)
    buffer.seek(0)
    others = (
        copy.deepcopy(net),
        pickle.loads(pickle.dumps(net)),
        torch.load(buffer, weights_only=False),
    )
    for other in others:
        assert type(other) is Net
        assert other.__dict__.get(driver_module.SLOT) is None
        assert other(X)["y"] is not X  # the copy's own call, not the first model's
        assert torch.equal(other.linear.weight, net.linear.weight)


def test_hooks_of_the_script_run_once_a_call() -> None:
    net, driver = net_with()
    seen: list[str] = []
    net.register_forward_pre_hook(lambda *_: seen.append("before"))
    net.register_forward_hook(lambda *_: seen.append("after"))
    driver.use_compiled(net._call_impl, {signature((X,), {})}.__contains__, False)
    net(X)
    assert seen == ["before", "after"]


def test_autocast_gives_float32_back() -> None:
    net = torch.nn.Linear(4, 4)
    driver = Driver(net)
    driver.hang()
    exact = net(X)
    driver.autocast = torch.bfloat16
    out = net(X)
    assert out.dtype is torch.float32
    assert torch.equal(out, out.bfloat16().float()) and not torch.equal(out, exact)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        driver_out = driver._precision()
        assert type(driver_out).__name__ == "nullcontext"


def test_layout_of_inputs() -> None:
    seen: list[bool] = []
    net = torch.nn.Conv2d(3, 4, 3)
    net.register_forward_pre_hook(
        lambda _, args: seen.append(args[0].is_contiguous(memory_format=torch.channels_last))
    )
    driver = Driver(net)
    driver.hang()
    images = torch.rand(2, 3, 8, 8)
    plain = net(images)
    driver.channels_last = True
    torch.testing.assert_close(net(images), plain)
    assert seen == [False, True]
    assert images.is_contiguous()
