# SPDX-License-Identifier: Apache-2.0
"""Levers one after the other, each measured against the steps before it.

All work is done in the thread that trains, between two steps.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from .cards import cards
from .case import Training
from .driver import Driver
from .guard import Guard
from .launching import LIMITS_FROM, host_share
from .outcome import say
from .ranks import Ranks
from .registry import Refused, Undo, levers
from .stopwatch import Stopwatch

SETTLE = 2  # steps after a change that are not measured
WINDOW = 6
KEEP_FROM = 1.01  # a lever that brings less is not worth its rounding
KEEP_EXACT_FROM = 0.9  # nothing is paid for exact ones; what follows may need them
_WORTH_SAYING_S = 1.0
_UNMEASURED = "the script ended before it was measured"

# After these the host may limit the step no more.
_FREE_THE_HOST = ("compile", "cuda_graphs")
# Without these the others cannot be.
_NEEDS = {"cuda_graphs": "compile", "pinned_memory": "non_blocking"}


@dataclass
class Turn:
    lever: str
    targets: list[Any]  # the Training, or Cases
    note: str = ""  # for whom it is not


@dataclass
class Kept:
    undo: Undo
    gain: float


@dataclass
class Sequence:
    training: Training
    waiting: list[Turn]
    ranks: Ranks
    watch: Stopwatch
    remembered: dict[str, Any] = field(default_factory=dict)
    on_end: Callable[[dict[str, Any], bool], None] = lambda kept, used: None
    over: bool = False

    _guard: Guard = field(init=False)
    _kept: dict[str, Kept] = field(default_factory=dict)  # in the order they went on
    _trying: list[Turn] = field(default_factory=list)
    _undo: dict[str, Undo] = field(default_factory=dict)  # of what is being tried
    _first_ms: float = 0.0
    _sure_ms: float = 0.0  # with all that is known to help
    _before_ms: float = 0.0  # with what is on
    _unsure: list[str] = field(default_factory=list)  # kept until more is known
    _settle: int = 0
    _work_s: float = 0.0
    _details: dict[str, str] = field(default_factory=dict)
    _failed: dict[str, str] = field(default_factory=dict)  # here; not yet told to other ranks
    _trouble: str = ""  # likewise
    _used_memory: bool = False

    def __post_init__(self) -> None:
        self._guard = Guard(self.training)
        for case in self.training.models:
            case.driver.on_compiled_failure = self.compiled_failed
            case.driver.on_failure = self.model_failed
            case.driver.on_nan = self.gave_nan

    # --- Between two steps.

    def after_step(self, pause: Callable[[], contextlib.AbstractContextManager[Any]]) -> None:
        self._trouble = self._trouble or self._guard.step()
        if self._trouble and not self._shares_decisions:
            self._drop_all(f"taken off: {self._trouble}")
            return
        if not self.waiting and not self._trying:
            self.over = not self._guard.on
            return
        if self._settle:
            self._settle -= 1
            return
        self.watch.mark()
        if len(self.watch) < WINDOW:
            return
        with pause():
            self._decide(self.watch.median_ms())
        self.watch.clear()
        self._settle = SETTLE

    @property
    def _shares_decisions(self) -> bool:
        """Then nothing but the count of steps may say when the next decision is due, or ranks would
        wait for each other in different steps."""
        return self.ranks.world_size > 1 and bool(self.waiting or self._trying)

    def _decide(self, step_ms: float) -> None:
        if self._guard.on:
            self._trouble = self._trouble or self._guard.trouble()
        found = self.ranks.all({"ms": step_ms, "trouble": self._trouble, "failed": self._failed})
        for other in found:
            for lever, reason in other["failed"].items():
                self._drop(lever, reason)
        self._failed = {}
        trouble = next((other["trouble"] for other in found if other["trouble"]), "")
        if trouble:
            self._drop_all(f"taken off: {trouble}")
            return
        step_ms = max(other["ms"] for other in found)
        if self._trying:
            self._judge(step_ms)
        elif not self._first_ms:
            self._first_ms = self._sure_ms = self._before_ms = step_ms
        if self.remembered and not self._used_memory:
            self._used_memory = True
            self._try([turn for turn in self.waiting if turn.lever in self.remembered])
        while self.waiting and not self._trying and not self._settled_from_memory():
            self._try([self.waiting[0]])
        if not self.waiting and not self._trying:
            self._end()

    def _settled_from_memory(self) -> bool:
        """What an earlier run found is enough: the rest was tried then."""
        if not (self._used_memory and self._kept):
            return False
        for turn in self.waiting:
            say(turn.lever, False, "brought nothing in an earlier run")
        self.waiting.clear()
        return True

    # --- Putting on.

    def _try(self, turns: list[Turn]) -> None:
        start = time.perf_counter()
        for turn in turns:
            self.waiting.remove(turn)
            undo, reason = self._apply(turn)
            reason = next((other for other in self.ranks.all(reason) if other), "")
            if not reason:
                self._undo[turn.lever] = undo
                self._trying.append(turn)
                say(turn.lever, True, "", _UNMEASURED, provisional=True)
                continue
            undo()
            say(turn.lever, False, reason)
        self._work_s = time.perf_counter() - start
        if self._trying:
            self._guard.begin()

    def _apply(self, turn: Turn) -> tuple[Undo, str]:
        """What takes it back, and why it is on none of its targets, or ""."""
        needed = _NEEDS.get(turn.lever)
        if needed and needed not in {**self._kept, **self._undo}:
            return _nothing, f"{needed} is not applied"
        undos: list[Undo] = []
        reasons = []
        for target in turn.targets:
            try:
                undos.append(levers()[turn.lever].apply(target))
            except Refused as refused:
                reasons.append(str(refused))
            except Exception as error:
                reasons.append(f"{type(error).__name__}: {_first_line(error)}")

        def undo() -> None:
            for one in reversed(undos):
                one()

        if not undos:
            return undo, reasons[0]
        if reasons:
            turn.note = f"on {len(undos)} of {len(turn.targets)} models ({reasons[0]})"
        return undo, ""

    # --- Keeping or taking back.

    def _judge(self, step_ms: float) -> None:
        turns, self._trying = self._trying, []
        undo, self._undo = self._undo, {}
        gain, together = self._before_ms / step_ms, self._sure_ms / step_ms
        exact = all(cards()[turn.lever].change_class == "exact" for turn in turns)
        enough = KEEP_EXACT_FROM if exact else KEEP_FROM
        if gain >= enough and together >= enough:
            for turn in turns:
                self._keep(turn, undo[turn.lever], gain, step_ms, len(turns) > 1)
            self._sure_of(turns[-1].lever)
            self._sure_ms = self._before_ms = step_ms
        elif len(turns) == 1 and not exact and self._cannot_tell():
            self._keep_for_now(turns[0], undo[turns[0].lever], gain)
            self._before_ms = step_ms
        else:
            self._take_back(turns, undo, gain)

    def _take_back(self, turns: list[Turn], undo: dict[str, Undo], gain: float) -> None:
        for turn in reversed(turns):
            undo[turn.lever]()
            if len(turns) > 1:
                self.waiting.append(turn)  # an earlier run is no guide: search
            else:
                say(turn.lever, False, _brought_nothing(gain))
        self.waiting.sort(key=lambda turn: levers()[turn.lever].TURN)

    def _cannot_tell(self) -> bool:
        """The host limits the step, so that less work for the GPU does not show; but what comes
        may free the host."""
        if not any(turn.lever in _FREE_THE_HOST for turn in self.waiting):
            return False
        share = max((host_share(case) for case in self.training.models), default=0.0)
        return any(self.ranks.all(share >= LIMITS_FROM))

    def _keep_for_now(self, turn: Turn, undo: Undo, gain: float) -> None:
        self._kept[turn.lever] = Kept(undo, gain)
        self._details[turn.lever] = turn.note
        self._unsure.append(turn.lever)
        say(turn.lever, True, "", _UNMEASURED, provisional=True)

    def _sure_of(self, lever: str) -> None:
        """With this one, those that were kept for now have paid as well."""
        for name in self._unsure:
            if name in self._kept:
                note = f"; {self._details[name]}" if self._details[name] else ""
                detail = f"{self._kept[name].gain:.2f}x while the host limited the step; "
                self._details[name] = f"{detail}kept with {lever}{note}"
                say(name, True, "", self._details[name])
        self._unsure.clear()

    def _drop_unsure(self) -> None:
        for name in reversed(self._unsure):
            if name in self._kept:
                self._drop(name, _brought_nothing(self._kept[name].gain))
        self._unsure.clear()
        self._before_ms = self._sure_ms

    def _keep(self, turn: Turn, undo: Undo, gain: float, step_ms: float, earlier: bool) -> None:
        detail = f"{gain:.2f}x: {self._before_ms:.1f} to {step_ms:.1f} ms a step"
        if earlier:
            known = self.remembered[turn.lever]
            gain = float(known["gain"])
            detail = f"{gain:.2f}x when it was measured on {known['date']}"
        elif self._work_s >= _WORTH_SAYING_S:
            pays = self._work_s * 1e3 / max(1e-9, self._before_ms - step_ms)
            detail += f"; its {self._work_s:.0f} s of compiling pay after {pays:,.0f} steps"
        detail += "".join(f"; {note}" for note in (turn.note, _note(turn)) if note)
        self._kept[turn.lever] = Kept(undo, gain)
        self._details[turn.lever] = detail
        say(turn.lever, True, "", detail)

    def _end(self) -> None:
        if self._unsure:
            self._drop_unsure()
        if len(self._kept) > 1 and self._before_ms < self._first_ms:
            last = list(self._kept)[-1]
            together = self._first_ms / self._before_ms
            say(
                last,
                True,
                "",
                f"{self._details[last]}; all together {together:.2f}x: "
                f"{self._first_ms:.1f} to {self._before_ms:.1f} ms a step",
            )
        today = time.strftime("%Y-%m-%d")
        self.on_end(
            {name: {"gain": kept.gain, "date": today} for name, kept in self._kept.items()},
            self._used_memory,
        )

    # --- Things that go wrong.

    # The next three are called in the middle of a step, whose call the plain model has taken over.

    def compiled_failed(self, _driver: Driver, error: BaseException) -> None:
        self._drop_failed(["cuda_graphs", "compile"], error)

    def model_failed(self, _driver: Driver, error: BaseException) -> None:
        of_models = [name for name in levers() if levers()[name].SCOPE == "model"]
        self._drop_failed(of_models[::-1], error)

    def _drop_failed(self, names: list[str], error: BaseException) -> None:
        reason = f"taken off in the step where it failed: {type(error).__name__}"
        reason += f": {_first_line(error)}"
        for lever in names:
            if lever in self._kept or lever in self._undo:
                self._failed[lever] = reason
                self._drop(lever, reason)

    def gave_nan(self, _driver: Driver) -> None:
        reason = "the model's output became NaN or infinite"
        if not self._shares_decisions:
            self._drop_all(f"taken off in the same step: {reason}")
            return
        self._trouble = reason
        for lever in reversed([*self._kept, *self._undo]):
            self._drop(lever, f"taken off in the same step: {reason}")

    def _drop(self, lever: str, reason: str) -> None:
        undo = self._undo.pop(lever, None)
        kept = self._kept.pop(lever, None)
        self._trying = [turn for turn in self._trying if turn.lever != lever]
        if undo is None and kept is not None:
            undo = kept.undo
        if undo is None:
            return
        with contextlib.suppress(Exception):
            undo()
        if not self._shares_decisions:
            self.watch.clear()
        say(lever, False, reason)

    def _drop_all(self, reason: str) -> None:
        for lever in reversed([*self._kept, *self._undo]):
            self._drop(lever, reason)
        for turn in self.waiting:
            say(turn.lever, False, f"not tried: {reason}")
        self.waiting.clear()
        self._trouble = ""
        self._guard.end()

    def take_off(self) -> None:
        """All that is on, without a word."""
        for undo in reversed([*(kept.undo for kept in self._kept.values()), *self._undo.values()]):
            with contextlib.suppress(Exception):
                undo()
        self._kept.clear()
        self._undo.clear()
        self._guard.end()


def _note(turn: Turn) -> str:
    """What the lever itself has to say about the models that it is on."""
    say_more = getattr(levers()[turn.lever], "note", None)
    return next(filter(None, map(say_more, turn.targets)), "") if say_more else ""


def _brought_nothing(gain: float) -> str:
    return f"brought nothing: {gain:.2f}x over {WINDOW} steps"


def _nothing() -> None:
    pass


def _first_line(error: BaseException) -> str:
    return str(error).splitlines()[0][:200] if str(error) else ""
