# SPDX-License-Identifier: Apache-2.0
"""Loaders with workers put their batches into pinned memory."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch

from .. import non_blocking
from ..case import Training

SCOPE = "process"
TURN = 20


def refuse(training: Training) -> str:
    # Copies from pinned memory must go through this lever: those that a script calls non-blocking
    # are so only from there, and it may write into the batch at once.
    reason = non_blocking.refuse(training)
    if reason or training.loader_workers:
        return reason
    return "no DataLoader with workers was read from"


def apply(_training: Training) -> Callable[[], None]:
    """For iterators that are made from now on, of loaders whose maker left it open."""
    kind: Any = torch.utils.data.DataLoader
    original = kind._get_iterator

    @functools.wraps(original)
    def _get_iterator(loader: Any) -> Any:
        if not on or loader.num_workers == 0 or loader.pin_memory:
            return original(loader)
        loader.pin_memory = True
        try:
            return original(loader)
        finally:
            loader.pin_memory = False

    on = True
    kind._get_iterator = _get_iterator

    def undo() -> None:
        nonlocal on
        on = False
        if kind._get_iterator is _get_iterator:
            kind._get_iterator = original

    return undo
