# SPDX-License-Identifier: Apache-2.0
"""When which lever goes on: one after the other, each measured against the steps before it.

The first steps run plainly and are watched (`observe`). Then each lever of the allowed classes that
does not refuse is put on between two steps, and stays if the next steps are faster. All work here
happens in the thread that trains, between steps; its time is told apart from the steps.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

import torch
from torch.optim.optimizer import register_optimizer_step_post_hook

from . import bf16, channels_last, compile, cudnn_search, tf32
from .case import Case, Observed
from .driver import Driver
from .observe import Observer
from .outcome import say
from .stopwatch import Stopwatch

SETTLE = 2  # steps after a change that are not measured
WINDOW = 6
KEEP_FROM = 1.01  # a lever that brings less is not worth its rounding
_GUARDED = 50  # steps in which outputs are looked at for NaN

SWITCHES: dict[str, ModuleType] = {
    "tf32": tf32,
    "cudnn_search": cudnn_search,
    "channels_last": channels_last,
    "bf16": bf16,
}


@dataclass
class Work:
    """Levers that are still to be tried, and what is known so far."""

    case: Case
    waiting: list[str]
    watch: Stopwatch
    before_ms: float | None = None
    trying: str = ""
    undo: Callable[[], None] | None = None
    applied: dict[str, Callable[[], None]] = field(default_factory=dict)  # each with its way back
    settle: int = 0
    compile_s: float = 0.0


class Plan:
    def __init__(
        self,
        allowed: Callable[[str], bool],
        uses_grad_scaler: Callable[[], bool],
        compiles_itself: Callable[[], bool],
        hung: Callable[[torch.nn.Module], None] = lambda module: None,
        pause: Callable[[], contextlib.AbstractContextManager[Any]] = contextlib.nullcontext,
        fault: Callable[[str, BaseException], None] = lambda where, error: None,
    ) -> None:
        """`allowed(lever id)`; `hung(module)` is told of a module whose slot was filled; work that
        is no part of a step is done inside `pause()`."""
        self._allowed = allowed
        self._uses_grad_scaler = uses_grad_scaler
        self._compiles_itself = compiles_itself
        self._hung = hung
        self._pause = pause
        self._fault = fault
        self._work: Work | None = None
        self._first: Any = None
        self._observer: Observer | None = None
        self._guarded = 0

    def start(self) -> None:
        names = [*SWITCHES, "compile"]
        if any(self._allowed(name) for name in names):
            self._observer = Observer(self._observed, self._give_up)
            # Never removed: it would have to be while torch goes through these hooks.
            register_optimizer_step_post_hook(self._stepped)

    # --- The first steps are over.

    def _observed(self, seen: Observer) -> None:
        models = [model for model in seen.models if any(model.calls_of_steps)]
        if not models:
            self._refuse_all("no model was seen in the first steps")
            return
        largest = max(models, key=lambda model: sum(p.numel() for p in model.module.parameters()))
        case = self._case(largest, models, seen.optimizers)
        waiting = [name for name in SWITCHES if self._wanted(name, SWITCHES[name].refuse, case)]
        if self._wanted("compile", compile.refuse, case):
            waiting.append("compile")
        if not waiting:
            return
        for name in waiting:
            say(name, False, "the script ended before it was tried")
        self._first = seen.optimizers[0]
        self._work = Work(case, waiting, Stopwatch(case.device))
        case.driver.on_failure = self._failed
        case.driver.hang()
        self._hung(case.module)

    def _case(self, model: Observed, models: list[Observed], optimizers: list[Any]) -> Case:
        distributed = torch.distributed
        up = distributed.is_available() and distributed.is_initialized()
        return Case(
            model,
            Driver(model.module),
            optimizers,
            next(model.module.parameters()).device,
            len(models),
            distributed.get_world_size() if up else 1,
            self._uses_grad_scaler(),
            self._compiles_itself(),
        )

    def _wanted(self, name: str, refuse: Callable[[Case], str], case: Case) -> bool:
        if not self._allowed(name):
            return False
        try:
            reason = refuse(case)
        except Exception as error:
            reason = f"its probe failed: {type(error).__name__}: {error}"
        if not reason and case.world_size > 1 and name in ("channels_last",):
            reason = "several ranks train together"
        if reason:
            say(name, False, reason)
        return not reason

    def _refuse_all(self, reason: str) -> None:
        for name in [*SWITCHES, "compile"]:
            if self._allowed(name):
                say(name, False, reason)

    # --- After each step of the first optimizer.

    def _stepped(self, optimizer: Any, _args: Any, _kwargs: Any) -> None:
        if self._observer is not None:
            self._observer.stepped(optimizer)
            if self._observer.over:
                self._observer = None
            return
        try:
            self._after_step(optimizer)
        except Exception as error:
            self._give_up(error)

    def _give_up(self, error: Exception) -> None:
        """An error of our own: the script goes on as it would alone."""
        work, self._work = self._work, None
        if work is not None:
            self._take_off(work)
        self._refuse_all("an error in stoker's own code")
        self._fault("levers", error)

    def _after_step(self, optimizer: Any) -> None:
        work = self._work
        if work is None or optimizer is not self._first:
            return
        if self._guarded:
            self._look_for_nan(work)
        if not work.waiting and not work.trying:
            self._finish(work)
            return
        if work.settle:
            work.settle -= 1
            return
        work.watch.mark()
        if len(work.watch) < WINDOW:
            return
        with self._pause():
            self._decide(work, work.watch.median_ms())
        work.watch.clear()
        work.settle = SETTLE

    def _decide(self, work: Work, step_ms: float) -> None:
        if work.trying:
            self._judge(work, step_ms)
        if work.before_ms is None:
            work.before_ms = step_ms
        while work.waiting and not work.trying:
            self._try(work, work.waiting.pop(0))
        if not work.trying:
            self._finish(work)

    def _judge(self, work: Work, step_ms: float) -> None:
        name, undo = work.trying, work.undo
        assert work.before_ms is not None and undo is not None
        work.trying, work.undo = "", None
        gain = work.before_ms / step_ms
        lever = "compile" if name == "graphs" else name
        if gain < KEEP_FROM:
            undo()
            if name != "graphs":
                say(lever, False, f"brought nothing: {gain:.2f}x over {WINDOW} steps")
            return
        detail = f"{gain:.2f}x: {work.before_ms:.1f} to {step_ms:.1f} ms a step"
        if name in ("compile", "graphs"):
            detail += f", {'reduce-overhead' if name == 'graphs' else 'default'} mode"
            saved_ms = work.before_ms - step_ms
            detail += (
                f"; {work.compile_s:.0f} s of compiling pay after {self._pays(work, saved_ms)}"
            )
        work.applied[name] = undo
        say(lever, True, "", detail)
        work.before_ms = step_ms

    @staticmethod
    def _pays(work: Work, saved_ms: float) -> str:
        return f"{work.compile_s * 1e3 / saved_ms:,.0f} steps"

    def _try(self, work: Work, name: str) -> None:
        try:
            if name in SWITCHES:
                work.undo = SWITCHES[name].apply(work.case)
            else:
                work.undo = self._compile(work, graphs=name == "graphs")
        except Exception as error:
            say("compile" if name == "graphs" else name, False, f"{type(error).__name__}: {error}")
            return
        if work.undo is not None:
            work.trying = name
            if name != "graphs":
                say(name, True, "", "the script ended before it was measured")
            self._guarded = _GUARDED
            work.case.driver.keep_output = True

    def _compile(self, work: Work, graphs: bool) -> Callable[[], None] | None:
        start = time.perf_counter()
        result, compiled = compile.attempt(work.case, graphs)
        work.compile_s += time.perf_counter() - start
        if not result.ok:
            if not graphs:
                say("compile", False, f"its trial: {result.reason}")
            return None
        if not graphs and not compile.refuse_graphs(work.case):
            work.waiting.insert(0, "graphs")
        return compile.use(work.case, compiled, graphs)

    # --- Things that go wrong later.

    def _failed(self, driver: Driver, error: BaseException) -> None:
        work = self._work
        message = str(error).splitlines()[0][:200] if str(error) else ""
        say(
            "compile",
            False,
            f"taken off in the step where it failed: {type(error).__name__}: {message}",
        )
        if work is None:
            return
        for name in ("compile", "graphs"):
            work.applied.pop(name, None)
        if work.trying in ("compile", "graphs"):
            work.trying, work.undo = "", None
            work.watch.clear()
        work.waiting = [name for name in work.waiting if name != "graphs"]

    def _look_for_nan(self, work: Work) -> None:
        self._guarded -= 1
        driver = work.case.driver
        output, driver.first_output = driver.first_output, None
        if self._guarded == 0:
            driver.keep_output = False
        if output is None or bool(torch.isfinite(output).all()):
            return
        self._guarded = 0
        driver.keep_output = False
        for name in self._take_off(work):
            say(name, False, "taken off: the model's output became NaN or infinite")
        for name in work.waiting:
            if name != "graphs":
                say(name, False, "not tried: the model's output became NaN or infinite")
        work.waiting.clear()
        self._finish(work)

    @staticmethod
    def _take_off(work: Work) -> list[str]:
        """All that is on, last first. Gives the levers that were."""
        on = dict(work.applied)
        if work.trying and work.undo is not None:
            on[work.trying] = work.undo
        for undo in reversed(on.values()):
            with contextlib.suppress(Exception):
                undo()
        work.applied.clear()
        work.trying, work.undo = "", None
        return sorted({"compile" if name == "graphs" else name for name in on})

    def _finish(self, work: Work) -> None:
        """Nothing is left to try: let go of the script's things."""
        work.case.observed.last_call = None
        if not self._guarded:
            self._work = None
