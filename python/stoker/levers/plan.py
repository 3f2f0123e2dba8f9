# SPDX-License-Identifier: Apache-2.0
"""From the first step of a script to the last decision about its levers.

The first steps run plainly and are watched (`observe`). Then it is known which levers apply, and
they are put on one after the other (`sequence`).
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable
from typing import Any

import torch
from torch.optim.optimizer import register_optimizer_step_post_hook

from . import ranks, remembered
from .cards import cards
from .case import Case, Training
from .driver import Driver
from .observe import Observer
from .outcome import say
from .registry import Lever, levers
from .seen import Seen
from .sequence import Sequence
from .standing import Turn, not_on_all
from .stopwatch import Stopwatch

_OWN_ERROR = "an error in stoker's own code"


class Plan:
    def __init__(
        self,
        allowed: Callable[[str], bool],
        seen: Seen,
        hung: Callable[[torch.nn.Module], None] = lambda module: None,
        pause: Callable[[], contextlib.AbstractContextManager[Any]] = contextlib.nullcontext,
        fault: Callable[[str, BaseException], None] = lambda where, error: None,
        dry_run: bool = False,
    ) -> None:
        """`allowed(lever id)`; `hung(module)` is told of a module whose slot was filled; work that
        is no part of a step is done inside `pause()`. A dry run says what would be applied after
        the first steps, and ends the process there."""
        self._seen = seen
        self._hung = hung
        self._pause = pause
        self._fault = fault
        self._dry_run = dry_run
        self._wanted = [name for name in levers() if allowed(name)]
        self._ranks = ranks.Ranks(None, 0, 1)
        self._observer: Observer | None = None
        self._sequence: Sequence | None = None
        self._first: Any = None

    def start(self) -> None:
        if not self._wanted and not self._dry_run:
            return
        # Exact levers touch no model: then scripts run as they are, hooks of ours left out.
        looks = any(cards()[name].change_class != "exact" for name in self._wanted)
        self._observer = Observer(self._observed, self._give_up, looks)
        self._seen.on_compile.append(self._observer.look_no_more)
        # Never removed: it would have to be while torch goes through these hooks.
        register_optimizer_step_post_hook(self._stepped)

    # --- The first steps are over.

    def _observed(self, seen: Observer) -> None:
        with self._pause():
            self._ranks = ranks.ranks()
            training = self._training(seen)
            turns = self._turns(training, looked=seen.looked_at_models)
            if self._dry_run:
                self._end_dry_run(turns)
            if not turns:
                return
            for turn in turns:
                say(turn.lever, False, "the script ended before it was tried", provisional=True)
            self._first = seen.optimizers[0]
            self._begin(training, turns)

    def _training(self, seen: Observer) -> Training:
        devices = [p.device for group in seen.optimizers[0].param_groups for p in group["params"]]
        training = Training(
            devices[0] if devices else torch.device("cpu"),
            seen.optimizers,
            world_size=self._ranks.world_size,
            uses_grad_scaler=self._seen.grad_scaler,
            compiles_itself=self._seen.compiles,
            uses_streams=self._seen.streams,
            loader_workers=self._seen.loader_workers,
            differentiates_twice=seen.differentiates_twice,
        )
        training.models = [
            Case(model, Driver(model.module), training)
            for model in seen.models
            if any(model.calls_of_steps)
        ]
        return training

    def _turns(self, training: Training, looked: bool) -> list[Turn]:
        """What nothing speaks against on any rank; the rest is said."""
        turns = []
        refusals: dict[str, str] = {}
        for name in self._wanted:
            turn, refusals[name] = self._turn(levers()[name], name, training, looked)
            turns.append(turn)
        for other in self._ranks.all(refusals):
            for name, reason in other.items():
                refusals[name] = refusals[name] or reason
        for name, reason in refusals.items():
            if reason:
                say(name, False, reason)
        return [turn for turn in turns if not refusals[turn.lever]]

    @staticmethod
    def _turn(lever: Lever, name: str, training: Training, looked: bool) -> tuple[Turn, str]:
        of_process = lever.SCOPE == "process"
        if looked and not training.models and cards()[name].change_class != "exact":
            unseen = "no model was seen in the first steps"
            own = "the script calls torch.compile itself"
            return Turn(name, []), own if training.compiles_itself else unseen
        targets: list[Any] = [training] if of_process else list(training.models)
        reasons = []
        for target in list(targets):
            try:
                reason = lever.refuse(target)
            except Exception as error:
                reason = f"its probe failed: {type(error).__name__}: {error}"
            if reason:
                targets.remove(target)
                reasons.append(reason)
        if not targets:
            return Turn(name, []), reasons[0]
        note = not_on_all(len(targets), len(training.models), reasons[0]) if reasons else ""
        return Turn(name, targets, note), ""

    def _begin(self, training: Training, turns: list[Turn]) -> None:
        for case in training.models:
            if any(case in turn.targets for turn in turns):
                case.driver.hang()
                self._hung(case.module)
        name = remembered.key(training, self._wanted)
        known = remembered.load(name)
        if any(other != known for other in self._ranks.all(known)):
            known = {}

        def end(kept: dict[str, Any], used: bool) -> None:
            self._remember(name, kept, used)

        self._sequence = Sequence(
            training, turns, self._ranks, Stopwatch(training.device), known, end
        )

    def _remember(self, name: str, kept: dict[str, Any], used: bool) -> None:
        if used and kept:
            return
        try:
            if self._ranks.rank == 0:
                remembered.save(name, kept)
        except OSError as error:
            self._fault("remembering levers", error)

    def _end_dry_run(self, turns: list[Turn]) -> None:
        for turn in turns:
            say(turn.lever, False, detail=turn.note, planned=True)
        self._end_process()

    @staticmethod
    def _end_process() -> None:
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(Exception):
                stream.flush()
        # Not sys.exit: whatever the script saves on its way out would be a model of three steps.
        os._exit(0)

    # --- After each step of the first optimizer.

    def _stepped(self, optimizer: Any, _args: Any, _kwargs: Any) -> None:
        if self._observer is not None:
            if not (self._observer.over or self._observer.optimizers):
                for name in self._wanted:
                    say(name, False, "the script ended before its third step", provisional=True)
            self._observer.stepped(optimizer)
            if self._observer.over:
                # What it saw must not outlive the training.
                self._seen.on_compile.remove(self._observer.look_no_more)
                self._observer = None
            return
        if self._sequence is None or optimizer is not self._first:
            return
        try:
            self._sequence.after_step(self._pause)
            if self._sequence.over:
                self._let_go(self._sequence)
        except Exception as error:
            self._give_up(error)

    def _let_go(self, sequence: Sequence) -> None:
        """Nothing is left to try: keep nothing of the script's."""
        for case in sequence.training.models:
            case.observed.last_call = None
        self._sequence = self._first = None

    def _give_up(self, error: Exception) -> None:
        """An error of our own: the script goes on as it would alone."""
        sequence, self._sequence = self._sequence, None
        with contextlib.suppress(Exception):
            self._ranks.leave()
        if sequence is not None:
            sequence.take_off()
        no_answer = isinstance(error, ranks.NoAnswer)
        for name in self._wanted:
            say(name, False, str(error) if no_answer else _OWN_ERROR)
        if not no_answer:
            self._fault("levers", error)
        if self._dry_run:
            self._end_process()
