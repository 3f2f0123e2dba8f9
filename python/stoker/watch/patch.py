# SPDX-License-Identifier: Apache-2.0
"""Putting a probe in front of a function of somebody else's."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from stoker import _core

from . import faults

Enter = Callable[[Any], object]
Leave = Callable[[Any, Any, Any], object]


def replace(owner: Any, name: str, make: Callable[[Any], Any]) -> Callable[[], None]:
    """Put `make(original)` in the place of `owner.name`. Gives a function that takes it away."""
    original = owner.__dict__[name]
    hung = functools.update_wrapper(make(original), original)
    setattr(owner, name, hung)

    def restore() -> None:
        if owner.__dict__.get(name) is hung:
            setattr(owner, name, original)

    return restore


def probe(where: str, enter: Enter | None = None, leave: Leave | None = None) -> Any:
    """A maker for `replace`: `enter(first)` before, `leave(first, result, error_type)` after it.

    If one of them raises, that is reported and both are left out from then on.
    """
    return lambda original: _core.probe(original, enter, leave, faults.reporter(where))
