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
from .outcome import error_text, say
from .ranks import Ranks
from .registry import Refused, Undo, levers
from .standing import On, Standing, Turn, brought_nothing, not_on_all
from .stopwatch import Stopwatch

SETTLE = 2  # steps after a change that are not measured
WINDOW = 6
KEEP_FROM = 1.01  # a lever that brings less is not worth its rounding
KEEP_EXACT_FROM = 0.9  # nothing is paid for exact ones; what follows may need them

# After these the host may limit the step no more.
_FREE_THE_HOST = ("compile", "cuda_graphs")
# Without these the others cannot be.
_NEEDS = {"cuda_graphs": "compile", "pinned_memory": "non_blocking"}


@dataclass
class Sequence:
    training: Training
    waiting: list[Turn]
    ranks: Ranks
    watch: Stopwatch
    remembered: dict[str, Any] = field(default_factory=dict)
    on_end: Callable[[dict[str, Any], bool], None] = lambda kept, used: None
    over: bool = False

    _standing: Standing = field(default_factory=Standing)
    _guard: Guard = field(init=False)
    _settle: int = 0
    _work_s: float = 0.0
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
            self._drop_all(self._trouble)
            return
        if not self._goes_on:
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
    def _goes_on(self) -> bool:
        return bool(self.waiting or self._standing.trying())

    @property
    def _shares_decisions(self) -> bool:
        """Then nothing but the count of steps may say when the next decision is due, or ranks would
        wait for each other in different steps."""
        return self.ranks.world_size > 1 and self._goes_on

    def _decide(self, step_ms: float) -> None:
        if self._guard.on:
            self._trouble = self._trouble or self._guard.trouble()
        found = self.ranks.all({"ms": step_ms, "trouble": self._trouble, "failed": self._failed})
        for other in found:
            for lever, reason in other["failed"].items():
                self._standing.take_off(lever, reason)
        self._failed = {}
        trouble = next((other["trouble"] for other in found if other["trouble"]), "")
        if trouble:
            self._drop_all(trouble)
            return
        step_ms = max(other["ms"] for other in found)
        if not self._standing.first_ms:
            self._standing.begin(step_ms)
        elif tried := self._standing.trying():
            self._judge(tried, step_ms)
        self._try_next()
        if not self._goes_on:
            self._standing.end()
            self.on_end(self._standing.to_remember(), self._used_memory)

    # --- Putting on.

    def _try_next(self) -> None:
        if self.remembered and not self._used_memory:
            self._used_memory = True
            self._try_remembered()
        elif self._used_memory and self._standing.on:
            for turn in self.waiting:
                say(turn.lever, False, "brought nothing in an earlier run")
            self.waiting.clear()
        while self.waiting and not self._standing.trying():
            self._try([self.waiting[0]])

    def _try_remembered(self) -> None:
        """All at once. CUDA graphs compile the model themselves; `compile` need not do it first."""
        turns = {turn.lever: turn for turn in self.waiting if turn.lever in self.remembered}
        included = turns.pop("compile") if turns.keys() >= {"compile", "cuda_graphs"} else None
        if included is not None:
            self.waiting.remove(included)
            self._standing.try_out(included, _nothing)
        self._try(list(turns.values()), again=True)
        if included is not None and "cuda_graphs" not in self._standing.on:
            self._standing.take_off("compile", "")
            self.waiting.append(included)
            self._try([included])

    def _try(self, turns: list[Turn], again: bool = False) -> None:
        start = time.perf_counter()
        for turn in turns:
            self.waiting.remove(turn)
            undo, reason = self._apply(turn, again)
            reason = next((other for other in self.ranks.all(reason) if other), "")
            if reason:
                undo()
                say(turn.lever, False, reason)
            else:
                self._standing.try_out(turn, undo)
        self._work_s = time.perf_counter() - start
        if self._standing.trying():
            self._guard.begin()

    def _apply(self, turn: Turn, again: bool) -> tuple[Undo, str]:
        """What takes it back, and why it is on none of its targets, or ""."""
        lever = levers()[turn.lever]
        apply = getattr(lever, "apply_again", lever.apply) if again else lever.apply
        needed = _NEEDS.get(turn.lever)
        if needed and needed not in self._standing.on:
            return _nothing, f"{needed} is not applied"
        undos: list[Undo] = []
        reasons = []
        for target in turn.targets:
            try:
                undos.append(apply(target))
            except Refused as refused:
                reasons.append(str(refused))
            except Exception as error:
                reasons.append(error_text(error))

        def undo() -> None:
            for one in reversed(undos):
                one()

        if not undos:
            return undo, reasons[0]
        if reasons:
            turn.note = not_on_all(len(undos), len(turn.targets), reasons[0])
        return undo, ""

    # --- Keeping or taking back.

    def _judge(self, tried: list[On], step_ms: float) -> None:
        standing = self._standing
        exact = all(cards()[one.turn.lever].change_class == "exact" for one in tried)
        enough = KEEP_EXACT_FROM if exact else KEEP_FROM
        if min(standing.before_ms, standing.sure_ms) / step_ms >= enough:
            if len(tried) > 1:
                standing.keep_remembered(tried, self.remembered, step_ms)
            else:
                standing.keep(tried, step_ms, self._work_s)
        elif len(tried) == 1 and not exact and self._cannot_tell():
            standing.keep_for_now(tried[0], step_ms)
        else:
            self._take_back(tried, standing.before_ms / step_ms)

    def _take_back(self, tried: list[On], gain: float) -> None:
        for one in reversed(tried):
            if len(tried) > 1:
                self._standing.take_off(one.turn.lever, "")
                self.waiting.append(one.turn)  # an earlier run is no guide: search
            else:
                self._standing.take_off(one.turn.lever, brought_nothing(gain))
        self.waiting.sort(key=lambda turn: levers()[turn.lever].TURN)

    def _cannot_tell(self) -> bool:
        """The host limits the step, so that less work for the GPU does not show; but what comes
        may free the host."""
        if not any(turn.lever in _FREE_THE_HOST for turn in self.waiting):
            return False
        share = max((host_share(case) for case in self.training.models), default=0.0)
        return any(self.ranks.all(share >= LIMITS_FROM))

    # --- Things that go wrong. A driver calls the next three in the middle of a step, whose call
    # the plain model has taken over.

    def compiled_failed(self, _driver: Driver, error: BaseException) -> None:
        self._drop_now(["cuda_graphs", "compile"], _failure(error))

    def model_failed(self, _driver: Driver, error: BaseException) -> None:
        of_models = [name for name in self._standing.on if levers()[name].SCOPE == "model"]
        self._drop_now(of_models[::-1], _failure(error))

    def gave_nan(self, _driver: Driver) -> None:
        reason = "the model's output became NaN or infinite"
        if self._shares_decisions:
            self._trouble = reason
            self._drop_now(list(self._standing.on)[::-1], f"taken off in the same step: {reason}")
        else:
            self._drop_all(reason, "taken off in the same step")

    def _drop_now(self, names: list[str], reason: str) -> None:
        self.on_end({}, False)  # what an earlier run found is no guide for the next
        if not self._shares_decisions:
            for name in names:
                self._standing.take_off(name, reason)
            self.watch.clear()
            return
        # Off here at once; for the decisions of all ranks it is on until the next of them.
        for name in names:
            one = self._standing.on.get(name)
            if one is not None:
                one.undo()
                one.undo = _nothing
                self._failed[name] = reason

    def _drop_all(self, trouble: str, when: str = "taken off") -> None:
        self.on_end({}, False)
        self._standing.take_all_off(f"{when}: {trouble}")
        for turn in self.waiting:
            say(turn.lever, False, f"not tried: {trouble}")
        self.waiting.clear()
        self._trouble = ""
        self._guard.end()

    def take_off(self) -> None:
        """All that is on, without a word."""
        self._standing.take_all_off("")
        self._guard.end()


def _nothing() -> None:
    pass


def _failure(error: BaseException) -> str:
    return f"taken off in the step where it failed: {error_text(error)}"
