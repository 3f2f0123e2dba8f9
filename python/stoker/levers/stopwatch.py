# SPDX-License-Identifier: Apache-2.0
"""Time of training steps, on the device's clock where there is a GPU."""

from __future__ import annotations

import statistics
import time
from typing import Any

import torch

# Partly untyped in torch.
_cuda: Any = torch.cuda


class Stopwatch:
    """Marks the ends of steps; the marks are read once, at the end of a window."""

    def __init__(self, device: torch.device) -> None:
        self._device = device
        self._marks: list[Any] = []
        self._host: list[float] = []

    def mark(self) -> None:
        self._host.append(time.perf_counter())
        if self._device.type == "cuda":
            event = _cuda.Event(enable_timing=True)
            event.record(_cuda.current_stream(self._device))
            self._marks.append(event)

    def __len__(self) -> int:
        return max(0, len(self._host) - 1)

    def median_ms(self) -> float:
        """Of the steps between marks. Waits for the device."""
        if self._device.type == "cuda":
            self._marks[-1].synchronize()
            pairs = zip(self._marks, self._marks[1:], strict=False)
            return statistics.median(float(begin.elapsed_time(end)) for begin, end in pairs)
        return statistics.median(
            (end - begin) * 1e3 for begin, end in zip(self._host, self._host[1:], strict=False)
        )

    def clear(self) -> None:
        self._marks.clear()
        self._host.clear()
