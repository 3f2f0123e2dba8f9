# SPDX-License-Identifier: Apache-2.0
"""The levers that are put on between steps: every folder here whose module has a TURN."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from importlib import import_module
from typing import Any, Protocol, cast

from .cards import cards

Undo = Callable[[], None]


class Refused(Exception):
    """Raised by `apply` of a lever that finds out only then why it must not be applied."""


class Lever(Protocol):
    TURN: int  # levers are tried in this order
    SCOPE: str  # "process": refuse and apply get the Training; "model": they get one Case

    def refuse(self, target: Any) -> str: ...

    def apply(self, target: Any) -> Undo: ...


@lru_cache(maxsize=1)
def levers() -> dict[str, Lever]:
    """By id, in the order of their turns. Imports torch."""
    found: dict[str, Lever] = {}
    for name in cards():
        module = import_module(f"{__package__}.{name}")
        if hasattr(module, "TURN"):  # else it is applied elsewhere
            found[name] = cast(Lever, module)
    return dict(sorted(found.items(), key=lambda item: item[1].TURN))
