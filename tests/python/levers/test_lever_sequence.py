# SPDX-License-Identifier: Apache-2.0
"""Which levers stay on, given how long steps take with them."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import pytest
import torch

from stoker.levers import sequence, standing
from stoker.levers.case import Training
from stoker.levers.outcome import Outcome
from stoker.levers.ranks import Ranks
from stoker.levers.registry import Refused
from stoker.levers.sequence import Sequence
from stoker.levers.standing import Turn


class FakeLever:
    def __init__(self, turn: int, on: set[str], name: str, refused: str = "") -> None:
        self.TURN, self.SCOPE = turn, "process"
        self._on, self._name, self._refused = on, name, refused
        self.applied = 0

    def refuse(self, _target: Any) -> str:
        return ""

    def apply(self, _target: Any) -> Callable[[], None]:
        if self._refused:
            raise Refused(self._refused)
        self.applied += 1
        self._on.add(self._name)
        return lambda: self._on.discard(self._name)


class Steps:
    """A stopwatch to which steps take what `ms` says of the levers that are on."""

    def __init__(self, ms: Callable[[set[str]], float], on: set[str]) -> None:
        self._ms, self._on = ms, on
        self._marks = 0

    def mark(self) -> None:
        self._marks += 1

    def __len__(self) -> int:
        return max(0, self._marks - 1)

    def median_ms(self) -> float:
        return self._ms(self._on)

    def clear(self) -> None:
        self._marks = 0


class Script:
    """Runs a sequence over levers, and says what is on at its end."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.on: set[str] = set()
        self.saved: list[tuple[dict[str, Any], bool]] = []
        self.limited = False
        self.refused: dict[str, str] = {}
        self._patch = monkeypatch

    def run(
        self, names: list[str], ms: Callable[[set[str]], float], remembered: Any = None
    ) -> set[str]:
        self.on.clear()
        fakes = {
            name: FakeLever(turn, self.on, name, self.refused.get(name, ""))
            for turn, name in enumerate(names)
        }
        self.fakes = fakes
        self._patch.setattr(sequence, "levers", lambda: fakes)
        self._patch.setattr(standing, "levers", lambda: fakes)
        self._patch.setattr(Sequence, "_cannot_tell", self._cannot_tell)
        training = Training(torch.device("cpu"), [])
        turns = [Turn(name, [training]) for name in names]
        steps: Any = Steps(ms, self.on)

        def end(kept: dict[str, Any], used: bool) -> None:
            self.saved.append((kept, used))

        made = Sequence(training, turns, Ranks(None, 0, 1), steps, remembered or {}, end)
        for _ in range(200):
            made.after_step(contextlib.nullcontext)
        assert made.over
        return self.on

    def _cannot_tell(self) -> bool:
        return self.limited


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> Script:
    return Script(monkeypatch)


def last(said: list[Outcome], lever: str) -> Outcome:
    return [outcome for outcome in said if outcome.id == lever][-1]


def times(**factors: float) -> Callable[[set[str]], float]:
    """100 ms, divided by the factor of each lever that is on."""

    def ms(on: set[str]) -> float:
        total = 100.0
        for name in on:
            total /= factors.get(name, 1.0)
        return total

    return ms


def test_what_helps_stays_and_the_rest_goes(script: Script, said: list[Outcome]) -> None:
    on = script.run(["tf32", "channels_last", "bf16"], times(tf32=2.0, bf16=1.25))
    assert on == {"tf32", "bf16"}
    assert last(said, "tf32").detail == "2.00x: 100.0 to 50.0 ms a step"
    assert last(said, "channels_last").reason == "brought nothing: 1.00x"
    assert last(said, "bf16").detail == (
        "1.25x: 50.0 to 40.0 ms a step; all together 2.50x: 100.0 to 40.0 ms a step"
    )
    ((kept, used),) = script.saved
    assert {name: round(facts["gain"], 2) for name, facts in kept.items()} == {
        "tf32": 2.0,
        "bf16": 1.25,
    }
    assert not used


def test_exact_levers_stay_unless_they_cost(script: Script, said: list[Outcome]) -> None:
    assert script.run(["non_blocking"], times()) == {"non_blocking"}
    assert script.run(["non_blocking"], times(non_blocking=0.8)) == set()
    assert last(said, "non_blocking").reason == "brought nothing: 0.80x"


def frees_the_host(on: set[str]) -> float:
    """Precision costs the host time, and pays once it does not launch kernels any more."""
    if "cuda_graphs" in on:
        return 10.0 if "bf16" in on else 30.0
    return 60.0 if "bf16" in on else 50.0


def test_where_the_host_limits_the_step_levers_wait_for_what_frees_it(
    script: Script, said: list[Outcome]
) -> None:
    script.limited = True
    on = script.run(["bf16", "compile", "cuda_graphs"], frees_the_host)
    assert on == {"bf16", "compile", "cuda_graphs"}
    assert (
        last(said, "bf16").detail == "0.83x while the host limited the step; kept with cuda_graphs"
    )
    assert last(said, "compile").applied
    assert last(said, "cuda_graphs").detail == (
        "6.00x: 60.0 to 10.0 ms a step; all together 5.00x: 50.0 to 10.0 ms a step"
    )


def test_what_never_showed_goes_at_the_end(script: Script, said: list[Outcome]) -> None:
    script.limited = True
    script.refused = {"cuda_graphs": "the model is called several times a step"}
    on = script.run(["tf32", "bf16", "compile", "cuda_graphs"], times(tf32=2.0, bf16=0.9))
    assert on == {"tf32"}
    assert last(said, "bf16").reason == "brought nothing: 0.90x"
    assert last(said, "compile").reason == "brought nothing: 1.00x"
    assert last(said, "cuda_graphs").reason == "the model is called several times a step"
    assert last(said, "tf32").detail.startswith("2.00x")


def test_a_gain_that_only_makes_up_for_a_loss_is_none(script: Script, said: list[Outcome]) -> None:
    script.limited = True
    on = script.run(["bf16", "compile"], times(bf16=0.8, compile=1.2))
    assert on == set()
    assert not last(said, "bf16").applied and not last(said, "compile").applied


def test_graphs_need_the_compiled_model(script: Script, said: list[Outcome]) -> None:
    assert script.run(["compile", "cuda_graphs"], times(cuda_graphs=2.0)) == set()
    assert last(said, "cuda_graphs").reason == "compile is not applied"


REMEMBERED = {
    "tf32": {"gain": 2.0, "date": "2026-11-01"},
    "compile": {"gain": 1.5, "date": "2026-11-01"},
}


def test_what_is_remembered_goes_on_at_once(script: Script, said: list[Outcome]) -> None:
    on = script.run(["tf32", "bf16", "compile"], times(tf32=2.0, compile=1.5), REMEMBERED)
    assert on == {"tf32", "compile"}
    assert last(said, "tf32").detail == "2.00x when it was measured on 2026-11-01"
    assert last(said, "compile").detail == (
        "1.50x when it was measured on 2026-11-01; all together 3.00x: 100.0 to 33.3 ms a step"
    )
    assert last(said, "bf16").reason == "brought nothing in an earlier run"
    assert script.saved[-1][1]


def test_memory_that_does_not_hold_leads_to_a_search(script: Script, said: list[Outcome]) -> None:
    on = script.run(["tf32", "bf16", "compile"], times(tf32=0.9, bf16=1.5), REMEMBERED)
    assert on == {"bf16"}
    assert last(said, "tf32").reason == "brought nothing: 0.90x"
    assert last(said, "bf16").detail.startswith("1.50x: 100.0 to 66.7 ms a step")


WITH_GRAPHS = {**REMEMBERED, "cuda_graphs": {"gain": 1.2, "date": "2026-11-01"}}


def test_remembered_graphs_compile_the_model_themselves(
    script: Script, said: list[Outcome]
) -> None:
    on = script.run(["tf32", "compile", "cuda_graphs"], times(cuda_graphs=2.0), WITH_GRAPHS)
    assert on == {"tf32", "cuda_graphs"}
    assert script.fakes["compile"].applied == 0
    assert last(said, "compile").detail == "1.50x when it was measured on 2026-11-01"
    assert last(said, "cuda_graphs").applied


def test_remembered_graphs_that_fail_leave_the_compiled_model(
    script: Script, said: list[Outcome]
) -> None:
    script.refused = {"cuda_graphs": "its trial: no"}
    on = script.run(["tf32", "compile", "cuda_graphs"], times(compile=2.0), WITH_GRAPHS)
    assert on == {"tf32", "compile"}
    assert last(said, "cuda_graphs").reason == "its trial: no"
    assert last(said, "compile").applied
