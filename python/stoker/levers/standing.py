# SPDX-License-Identifier: Apache-2.0
"""The levers that are on, how sure that is, and what is said of them."""

from __future__ import annotations

import contextlib
import time
from dataclasses import dataclass
from typing import Any

from .outcome import say
from .registry import Undo, levers

_WORTH_SAYING_S = 1.0
_UNMEASURED = "the script ended before it was measured"


@dataclass
class Turn:
    lever: str
    targets: list[Any]  # the Training, or Cases
    note: str = ""  # for whom it is not

    def notes(self) -> str:
        """With what the lever itself has to say about the models that it is on."""
        say_more = getattr(levers()[self.lever], "note", None)
        own = next(filter(None, map(say_more, self.targets)), "") if say_more else ""
        return "".join(f"; {note}" for note in (self.note, own) if note)


@dataclass
class On:
    turn: Turn
    undo: Undo
    gain: float = 0.0  # 0: being tried
    detail: str = ""
    sure: bool = False


class Standing:
    """In the order in which levers went on. Times are of a step."""

    def __init__(self) -> None:
        self.on: dict[str, On] = {}
        self.first_ms = 0.0
        self.sure_ms = 0.0  # with all that is known to help
        self.before_ms = 0.0  # with what is on and was measured

    def begin(self, step_ms: float) -> None:
        self.first_ms = self.sure_ms = self.before_ms = step_ms

    def trying(self) -> list[On]:
        return [one for one in self.on.values() if not one.gain]

    def try_out(self, turn: Turn, undo: Undo) -> None:
        self.on[turn.lever] = On(turn, undo)
        say(turn.lever, True, "", _UNMEASURED, provisional=True)

    def keep(self, tried: list[On], step_ms: float, work_s: float) -> None:
        """It helps, and with it what was kept for now. `work_s` went into applying it."""
        gain = self.before_ms / step_ms
        for one in tried:
            detail = f"{gain:.2f}x: {self.before_ms:.1f} to {step_ms:.1f} ms a step"
            if work_s >= _WORTH_SAYING_S:
                pays = work_s * 1e3 / max(1e-9, self.before_ms - step_ms)
                detail += f"; its {work_s:.0f} s of compiling pay after {pays:,.0f} steps"
            self._keep(one, gain, detail)
        for one in self.on.values():
            if not one.sure:
                detail = f"{one.gain:.2f}x while the host limited the step"
                self._keep(one, one.gain, f"{detail}; kept with {tried[-1].turn.lever}")
        self.sure_ms = self.before_ms = step_ms

    def keep_remembered(self, tried: list[On], remembered: dict[str, Any], step_ms: float) -> None:
        for one in tried:
            known = remembered[one.turn.lever]
            gain = float(known["gain"])
            self._keep(one, gain, f"{gain:.2f}x when it was measured on {known['date']}")
        self.sure_ms = self.before_ms = step_ms

    def _keep(self, one: On, gain: float, detail: str) -> None:
        one.gain, one.sure = gain, True
        one.detail = detail + one.turn.notes()
        say(one.turn.lever, True, "", one.detail)

    def keep_for_now(self, one: On, step_ms: float) -> None:
        one.gain = self.before_ms / step_ms
        self.before_ms = step_ms
        say(one.turn.lever, True, "", _UNMEASURED, provisional=True)

    def take_off(self, lever: str, reason: str) -> None:
        """An error in the way back keeps no other lever on."""
        one = self.on.pop(lever, None)
        if one is None:
            return
        with contextlib.suppress(Exception):
            one.undo()
        if reason:
            say(lever, False, reason)

    def take_all_off(self, reason: str) -> None:
        """The last first; without a word if there is no reason."""
        for lever in reversed(list(self.on)):
            self.take_off(lever, reason)

    def end(self) -> None:
        """Nothing more is tried: what was only kept for now goes."""
        for lever in reversed([name for name, one in self.on.items() if not one.sure]):
            self.take_off(lever, brought_nothing(self.on[lever].gain))
            self.before_ms = self.sure_ms
        if len(self.on) > 1 and self.before_ms < self.first_ms:
            last = list(self.on.values())[-1]
            together = f"all together {self.first_ms / self.before_ms:.2f}x"
            times = f"{self.first_ms:.1f} to {self.before_ms:.1f} ms a step"
            say(last.turn.lever, True, "", f"{last.detail}; {together}: {times}")

    def to_remember(self) -> dict[str, Any]:
        today = time.strftime("%Y-%m-%d")
        return {name: {"gain": one.gain, "date": today} for name, one in self.on.items()}


def not_on_all(count: int, models: int, reason: str) -> str:
    return f"on {count} of {models} models ({reason})"


def brought_nothing(gain: float) -> str:
    return f"brought nothing: {gain:.2f}x"
