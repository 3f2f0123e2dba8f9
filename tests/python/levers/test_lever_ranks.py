# SPDX-License-Identifier: Apache-2.0
"""Ranks decide together, whatever one of them meets."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import torch
from test_lever_sequence import FakeLever, Steps, times

from stoker.levers import ranks, sequence, standing
from stoker.levers.case import Training
from stoker.levers.ranks import NoAnswer, Ranks
from stoker.levers.sequence import Sequence
from stoker.levers.standing import Turn


class Store:
    """The part of torch's store that ranks use."""

    def __init__(self) -> None:
        self._values: dict[str, str] = {}

    def set(self, key: str, value: str) -> None:
        self._values[key] = value

    def check(self, keys: list[str]) -> bool:
        return all(key in self._values for key in keys)

    def get(self, key: str) -> bytes:
        return self._values[key].encode()


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ranks, "FIRST_S", 0.2)
    monkeypatch.setattr(ranks, "LATER_S", 5.0)


def together(*works: Callable[[], Any]) -> list[Any]:
    with ThreadPoolExecutor(len(works)) as pool:
        return [job.result() for job in [pool.submit(work) for work in works]]


def test_all_see_the_values_of_all() -> None:
    store = Store()
    first, second = Ranks(store, 0, 2), Ranks(store, 1, 2)
    found = together(
        lambda: [first.all(1), first.all({"a": ""})], lambda: [second.all(2), second.all({})]
    )
    assert found == [[[1, 2], [{"a": ""}, {}]]] * 2


def test_one_rank_alone_asks_nobody() -> None:
    assert Ranks(None, 0, 1).all("x") == ["x"]


def test_a_rank_without_stoker_is_not_waited_for_long() -> None:
    with pytest.raises(NoAnswer, match="rank 1 does not answer"):
        Ranks(Store(), 0, 2).all(1)


def test_a_rank_that_gave_up_is_not_waited_for() -> None:
    store = Store()
    first, second = Ranks(store, 0, 2), Ranks(store, 1, 2)
    together(lambda: first.all(1), lambda: second.all(1))
    second.leave()
    with pytest.raises(NoAnswer, match="another rank has given up levers"):
        first.all(1)


class Rank:
    """A sequence of levers in a thread of its own."""

    NAMES = ("bf16", "compile")

    def __init__(self, store: Store, number: int, ms: Callable[[set[str]], float]) -> None:
        self.on: set[str] = set()
        fakes = {name: FakeLever(i, self.on, name) for i, name in enumerate(self.NAMES)}
        for fake in fakes.values():
            fake.SCOPE = "model"
        self.levers = fakes
        training = Training(torch.device("cpu"), [])
        turns = [Turn(name, [training]) for name in self.NAMES]
        steps: Any = Steps(ms, self.on)
        self.sequence = Sequence(training, turns, Ranks(store, number, 2), steps)

    def train(self, fails_at: int = -1) -> set[str]:
        own.rank = self
        driver: Any = None
        for step in range(100):
            if step == fails_at:
                self.sequence.compiled_failed(driver, RuntimeError("no"))
                assert "compile" not in self.on
            self.sequence.after_step(contextlib.nullcontext)
        assert self.sequence.over
        return self.on


own = threading.local()


@pytest.fixture
def pair(monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[Rank, Rank]]:
    for module in (sequence, standing):
        monkeypatch.setattr(module, "levers", lambda: own.rank.levers)

    def make(*ms: Callable[[set[str]], float]) -> tuple[Rank, Rank]:
        store = Store()
        return Rank(store, 0, ms[0]), Rank(store, 1, ms[1])

    return make


def test_the_slowest_rank_counts(pair: Callable[..., tuple[Rank, Rank]]) -> None:
    """What helps one rank and not the other is on neither."""
    first, second = pair(times(bf16=2.0, compile=1.5), times(compile=1.5))
    assert together(first.train, second.train) == [{"compile"}, {"compile"}]


@pytest.mark.parametrize("step", [17, 20, 21, 22, 23, 24, 25, 40])
def test_a_failure_on_one_rank(step: int, pair: Callable[..., tuple[Rank, Rank]]) -> None:
    first, second = pair(times(bf16=2.0, compile=1.5), times(bf16=2.0, compile=1.5))
    on = together(first.train, lambda: second.train(fails_at=step))
    if step < 25:  # while it is tried
        assert on == [{"bf16"}, {"bf16"}]
    else:  # all was decided: from then on each rank has its own
        assert on == [{"bf16", "compile"}, {"bf16"}]
