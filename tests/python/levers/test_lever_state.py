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
