# SPDX-License-Identifier: Apache-2.0
"""Backward passes and optimizer steps."""

from __future__ import annotations

from typing import Any

import torch
from torch.optim.optimizer import (
    register_optimizer_step_post_hook,
    register_optimizer_step_pre_hook,
)

from . import device, forward, overhead
from .patch import probe, replace
from .recording import recording


class _Backward:
    """`Tensor.backward` goes through `torch.autograd.backward`. Inside a pass, a checkpoint that is
    computed again makes passes of its own."""

    def __init__(self) -> None:
        self.depth = 0

    def begin(self, _first: object) -> None:
        if not recording.here():
            return
        self.depth += 1
        if self.depth == 1:
            recording.steps.backward_begin()
            device.clock.backward_begin()

    def end(self, _first: object, _result: object, _error: object) -> None:
        if self.depth == 0 or not recording.here():
            return
        self.depth -= 1
        if self.depth == 0:
            recording.steps.backward_end()
            device.clock.backward_end()


def watch_backward() -> None:
    backward = _Backward()
    replace(torch.autograd, "backward", backward.begin, backward.end)


def watch_optimizers() -> None:
    begin = probe(None, "optimizer begin", _optimizer_begin)
    end = probe(None, "optimizer end", _optimizer_end)
    is_compiling = torch.compiler.is_compiling

    # Plain functions, because torch.compile reads them where it compiles an optimizer.
    def before(optimizer: Any, args: Any, kwargs: Any) -> None:
        if not is_compiling():
            begin(optimizer)

    def after(optimizer: Any, args: Any, kwargs: Any) -> None:
        if not is_compiling():
            end(optimizer)

    register_optimizer_step_pre_hook(before)
    register_optimizer_step_post_hook(after)


def _optimizer_begin(optimizer: Any) -> None:
    recording.claim()
    recording.steps.optimizer_begin(id(optimizer))
    device.clock.optimizer_begin()


def _optimizer_end(optimizer: Any) -> None:
    recording.claim()
    device.clock.optimizer_end()
    recording.steps.optimizer_end(id(optimizer))
    forward.finder.stepped()
    overhead.meter.stepped()
