# SPDX-License-Identifier: Apache-2.0
"""Device time of the parts of a step, by CUDA events that are read steps later.

Nothing here waits for the GPU or initialises CUDA. A step in which a graph is being captured is
left out.
"""

from __future__ import annotations

import os
import time
from collections import deque
from typing import Any, Protocol

import torch

from . import faults
from .recording import watcher

_LATER = 2  # steps
_MOST_PENDING = 64
_NS_PER_MS = 1e6


class Event(Protocol):
    def record(self, stream: Any, /) -> None: ...
    def query(self) -> bool: ...
    def elapsed_time(self, end_event: Any, /) -> float: ...


class Device(Protocol):
    """What is needed of a GPU; tests give another."""

    def make_event(self) -> Event: ...
    def stream(self) -> Any: ...
    def capturing(self) -> bool: ...


# Partly untyped in torch.
_cuda: Any = torch.cuda


class Cuda:
    def __init__(self, index: int) -> None:
        self._index = index

    def make_event(self) -> Event:
        event: Event = _cuda.Event(enable_timing=True)
        return event

    def stream(self) -> Any:
        return _cuda.current_stream(self._index)

    def capturing(self) -> bool:
        return bool(_cuda.is_current_stream_capturing())


class _Step:
    """The events of one step, in the order in which they were recorded."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.marks: list[tuple[str, Event]] = []
        self.wait_ns = 0
        self.follows = True  # directly on the step before
        self.spoilt = False

    def whole(self) -> bool:
        return not self.spoilt and bool(self.marks) and self.marks[-1][0] == "end"


class Clock:
    """Off until it is given a device, or `model_found` has seen a model on a GPU."""

    def __init__(self, device: Device | None = None) -> None:
        self._device = device
        self._free: list[Event] = []
        self._step = _Step(-1)
        self._pending: deque[_Step] = deque()
        self._last: _Step | None = None
        self._asked_ns = 0

    def model_found(self, model: Any) -> bool:
        """Whether there is a GPU to watch from now on."""
        try:
            if self._device is None and _cuda.is_initialized():
                place = next(model.parameters()).device
                if place.type == "cuda":
                    self._device = Cuda(place.index)
        except Exception as error:
            self._give_up(error)
        return self._device is not None

    def forget(self) -> None:
        """Start anew, without a device: a parent's events are of no use after a fork."""
        self.__init__()  # type: ignore[misc]

    def pause(self) -> None:
        """A loader starts: what the GPU does meanwhile belongs to no step."""
        if self._device is not None:
            self._enter_step()
            self._step.follows = False

    def asked(self) -> None:
        if self._device is not None:
            self._asked_ns = time.perf_counter_ns()

    def got(self) -> None:
        if self._device is not None:
            waited = time.perf_counter_ns() - self._asked_ns
            self._mark("got")
            self._step.wait_ns += waited

    def forward_begin(self) -> None:
        self._mark("forward")

    def backward_begin(self) -> None:
        self._mark("backward")

    def backward_end(self) -> None:
        self._mark("after backward")

    def optimizer_begin(self) -> None:
        self._mark("optimizer")

    def optimizer_end(self) -> None:
        """Requires: the recorder has not heard of it yet, so that it belongs to the old step."""
        self._mark("end")

    def _mark(self, name: str) -> None:
        device = self._device
        if device is None:
            return
        try:
            self._enter_step()
            if device.capturing():
                self._step.spoilt = True
                return
            event = self._free.pop() if self._free else device.make_event()
            event.record(device.stream())
            self._step.marks.append((name, event))
        except Exception as error:
            self._give_up(error)

    def _enter_step(self) -> None:
        steps = watcher.steps()
        number = -1 if steps is None else steps.step_number()
        old = self._step
        if number == old.number:
            return
        self._step = _Step(number)
        if old.whole():
            self._pending.append(old)
            self._step.follows = number == old.number + 1
        else:
            # A pause, or a validation pass: the next step follows on nothing.
            self._release(old)
            self._step.follows = False
        while len(self._pending) > _LATER and self._done(self._pending[0]):
            self._resolve(self._pending.popleft())
        if len(self._pending) > _MOST_PENDING:
            self._release(self._pending.popleft())
            self._pending[0].follows = False

    def _done(self, step: _Step) -> bool:
        return all(event.query() for _, event in step.marks)

    def _resolve(self, step: _Step) -> None:
        before, self._last = self._last, step
        if before is None:
            return
        if step.follows:
            previous = before.marks[-1][1]
            times = _times(previous, step.marks)
            total = _ns(previous, step.marks[-1][1])
            stall = min(times["gap"], step.wait_ns)
            steps = watcher.steps()
            if steps is not None:
                steps.device_step(
                    times["forward"], times["backward"], times["optimizer"], stall, total
                )
        self._release(before)

    def _release(self, step: _Step) -> None:
        self._free.extend(event for _, event in step.marks)
        step.marks = []

    def _give_up(self, error: Exception) -> None:
        self.forget()
        faults.report("device time", error)


def _ns(begin: Event, end: Event) -> int:
    return round(begin.elapsed_time(end) * _NS_PER_MS)


def _times(previous: Event, marks: list[tuple[str, Event]]) -> dict[str, int]:
    """Sums of what ran from each mark to the next; `gap` has what passed before a batch came."""
    times = dict.fromkeys(
        ("gap", "got", "forward", "backward", "optimizer", "after backward", "end"), 0
    )
    name = "end"
    for next_name, event in marks:
        times["gap" if next_name == "got" else name] += _ns(previous, event)
        name, previous = next_name, event
    return times


clock = Clock()
os.register_at_fork(after_in_child=clock.forget)
