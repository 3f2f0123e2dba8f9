# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import random

import numpy as np
import torch

from stoker.levers.state import State


class Counting(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.norm = torch.nn.BatchNorm1d(4)
        self.calls = 0
        self.register_buffer("mean", torch.zeros(4))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.calls += 1
        self.mean = x.mean(0)  # another tensor in place of the buffer
        self.last = x
        return torch.nn.functional.dropout(self.norm(x)) * random.random() * np.random.rand()


def test_a_call_is_as_if_never_made() -> None:
    net = Counting()
    x = torch.arange(8.0).reshape(2, 4)
    net(x)
    del net.last
    mean = net.mean
    buffers = [buffer.clone() for buffer in net.buffers()]
    state = State(net)
    first = net(x)
    state.restore()
    assert net.calls == 1 and net.mean is mean and not hasattr(net, "last")
    assert all(torch.equal(a, b) for a, b in zip(net.buffers(), buffers, strict=True))
    assert torch.equal(net(x), first)


class Keeps(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.calls: list[int] = [1]
        self.seen: dict[str, int] = {"a": 1}
        self.names: set[str] = {"x"}
        self.last: dict[str, None] = {"a": None}
        self.generator = torch.Generator().manual_seed(3)


def test_what_modules_hold_in_place() -> None:
    module = Keeps()
    held = (module.calls, module.seen, module.names, module.last)
    expected = torch.Generator().manual_seed(3)
    state = State(module)
    module.calls.append(2)
    module.seen["a"] = 2
    module.seen["b"] = 3
    module.names.discard("x")
    del module.last["a"]
    module.last["b"] = None
    torch.rand(5, generator=module.generator)
    state.restore()
    assert held == ([1], {"a": 1}, {"x"}, {"a": None})
    after = (module.calls, module.seen, module.names, module.last)
    assert all(now is before for now, before in zip(after, held, strict=True))
    drawn = torch.rand(1, generator=module.generator)
    assert torch.equal(drawn, torch.rand(1, generator=expected))
