# SPDX-License-Identifier: Apache-2.0
"""Counts of what `stoker.pil` did in this process, and listeners that want to hear of it."""

from __future__ import annotations

import time as _time
from collections import Counter
from collections.abc import Callable
from typing import Any

NAMES = ("images_native", "images_compared", "images_differ", "images_pillow", "bytes_differ")

_counts: Counter[str] = Counter()
_reasons: Counter[str] = Counter()

# Called as on_count(name, amount) and on_time(stage, ns) with stage "read", "decode", "transform".
on_count: Callable[[str, int], None] | None = None
on_time: Callable[[str, int], None] | None = None

# Called as on_fault(where, error) with errors of stoker's own, which go no further.
on_fault: Callable[[str, Exception], None] | None = None


clock = _time.perf_counter_ns


def count(name: str, amount: int = 1) -> None:
    _counts[name] += amount
    _tell(on_count, name, amount)


def left_to_pillow(reason: str) -> None:
    """One image that Pillow decodes, and why."""
    _reasons[reason] += 1
    count("images_pillow")


def time(stage: str, ns: int) -> None:
    _tell(on_time, stage, ns)


def fault(where: str, error: Exception) -> None:
    if on_fault is not None:
        on_fault(where, error)


def _tell(listener: Callable[[str, int], None] | None, name: str, amount: int) -> None:
    if listener is not None:
        try:
            listener(name, amount)
        except Exception as error:
            fault("counting images", error)


def stats() -> dict[str, Any]:
    result: dict[str, Any] = {name: _counts[name] for name in NAMES}
    result["reasons"] = dict(_reasons)
    return result


def reset() -> None:
    _counts.clear()
    _reasons.clear()
