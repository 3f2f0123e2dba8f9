# SPDX-License-Identifier: Apache-2.0
"""What watching costs, measured while it watches."""

from __future__ import annotations

import statistics
import time
from collections import deque
from typing import Any

from stoker import _core

from .recording import recording

_FIRST_STEPS = 5  # that still fill caches
_EVERY_STEPS = 20
_CALLS = 100


class Meter:
    """Probes sum up the time of their own work. What they cannot see of themselves, the call into
    them and reading the clock, is measured once on probes around nothing."""

    def __init__(self) -> None:
        self._steps = 0
        self._last = (0, 0, 0)
        self._unseen_ns = 0.0
        self._timer_ns = 0.0
        # The median, because a process that has to wait for its core does so inside probes too.
        self._costs_ns: deque[float] = deque(maxlen=101)

    def stepped(self) -> None:
        self._steps += 1
        now = (*_core.probe_cost(), recording.clock.calls)
        if self._steps > _FIRST_STEPS:
            spent, calls, timed = (new - old for new, old in zip(now, self._last, strict=True))
            self._costs_ns.append(spent + calls * self._unseen_ns + timed * self._timer_ns)
            if self._steps % _EVERY_STEPS == 0:
                us = statistics.median(self._costs_ns) / 1000
                recording.steps.set_overhead_us_per_step(us)
        elif self._steps == _FIRST_STEPS:
            self._calibrate()
            now = (*_core.probe_cost(), recording.clock.calls)
        self._last = now

    def _calibrate(self) -> None:
        plain = _ns_of_call(_nothing)
        before = _core.probe_cost()[0]
        probed = _ns_of_call(_core.probe(_nothing, None, None, _nothing))
        seen = (_core.probe_cost()[0] - before) / _CALLS
        timed = _ns_of_call(_core.stage_timer(_nothing, _core.StageClock(), 0))
        self._unseen_ns = max(0.0, probed - plain - seen)
        self._timer_ns = max(0.0, timed - plain)


def _nothing(_first: object) -> None: ...


def _ns_of_call(call: Any) -> float:
    start = time.perf_counter_ns()
    for _ in range(_CALLS):
        call(None)
    return (time.perf_counter_ns() - start) / _CALLS


meter = Meter()
