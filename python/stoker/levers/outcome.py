# SPDX-License-Identifier: Apache-2.0
"""What became of each lever. The last word about a lever is the one that counts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from .cards import cards


@dataclass(frozen=True)
class Outcome:
    id: str
    change_class: str
    applied: bool
    reason: str = ""  # why not, or why not any more
    detail: str = ""  # what it brought, how it was set
    planned: bool = False  # of a dry run: it would be tried
    provisional: bool = False  # what holds if the script ends before the next word


# Called with each outcome as it comes; `watch` writes them into the run folder.
on_outcome: Callable[[Outcome], None] | None = None


def say(
    lever: str,
    applied: bool,
    reason: str = "",
    detail: str = "",
    planned: bool = False,
    provisional: bool = False,
) -> None:
    if on_outcome is not None:
        change_class = cards()[lever].change_class
        on_outcome(Outcome(lever, change_class, applied, reason, detail, planned, provisional))


def error_text(error: BaseException) -> str:
    """The kind of an error and the first line of what it says, as a reason."""
    first = str(error).splitlines()[0][:200] if str(error) else ""
    return f"{type(error).__name__}: {first}"
