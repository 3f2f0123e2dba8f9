# SPDX-License-Identifier: Apache-2.0
"""Putting a probe in front of a function of somebody else's."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from stoker import _core

from . import faults

# A callable that stoker hangs somewhere, in place of another.
Probe = Any
Enter = Callable[[Any], object]
Leave = Callable[[Any, Any, Any], object]


def probe(
    original: Any, where: str, enter: Enter | None = None, leave: Leave | None = None
) -> Probe:
    """`original` with `enter(first)` before and `leave(first, result, error_type)` after it.

    If one of them raises, that is reported and both are left out from then on.
    """
    return _core.probe(original, enter, leave, faults.reporter(where))


def replace(
    owner: Any, name: str, enter: Enter | None = None, leave: Leave | None = None
) -> Callable[[], None]:
    """Put a probe in front of `owner.name`. Gives a function that takes it away again."""
    original = owner.__dict__[name]
    hung = functools.update_wrapper(
        probe(original, f"{owner.__name__}.{name}", enter, leave), original
    )
    setattr(owner, name, hung)

    def restore() -> None:
        if owner.__dict__.get(name) is hung:
            setattr(owner, name, original)

    return restore


def replace_timed(owner: Any, name: str, clock: Any, stage: int) -> None:
    """Time `owner.name` as a stage of making a batch."""
    original = owner.__dict__[name]
    timer = _core.stage_timer(original, clock, stage)
    setattr(owner, name, functools.update_wrapper(timer, original))
