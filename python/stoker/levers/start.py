# SPDX-License-Identifier: Apache-2.0
"""Putting levers in front of torch: what has to be noticed before the first step."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import torch

from . import registry
from .fused_optimizer import maker
from .plan import Plan
from .seen import Seen

_started = False


def start(
    allowed: Callable[[str], bool],
    hung: Callable[[torch.nn.Module], None] = lambda module: None,
    pause: Callable[[], contextlib.AbstractContextManager[Any]] = contextlib.nullcontext,
    fault: Callable[[str, BaseException], None] = lambda where, error: None,
    dry_run: bool = False,
) -> None:
    """Apply what `allowed(lever id)` allows, each at its time; the other arguments are those of
    `Plan`. Requires: no model was trained yet. A second call does nothing."""
    global _started
    if _started:
        return
    _started = True
    registry.levers()  # levers keep torch.compile as it is before `seen` looks who calls it
    seen = Seen(fault)
    seen.watch()
    if allowed("fused_optimizer"):
        maker.make_fused(seen, dry_run)
    Plan(allowed, seen, hung, pause, fault, dry_run).start()
