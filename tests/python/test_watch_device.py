# SPDX-License-Identifier: Apache-2.0
"""Device time, on a device that is only a clock."""

from __future__ import annotations

from typing import Any

import pytest

from stoker.watch import device


class FakeEvent:
    def __init__(self, gpu: FakeGpu) -> None:
        self.gpu = gpu
        self.at_ms = 0.0

    def record(self, stream: Any) -> None:
        assert stream == "stream"
        self.at_ms = self.gpu.now_ms

    def query(self) -> bool:
        return True

    def elapsed_time(self, end: FakeEvent) -> float:
        return end.at_ms - self.at_ms


class FakeGpu:
    """As a device, as the watcher, and as its recorder."""

    def __init__(self) -> None:
        self.now_ms = 0.0
        self.number = 0
        self.graph = False
        self.made = 0
        self.found: list[tuple[int, ...]] = []

    def make_event(self) -> FakeEvent:
        self.made += 1
        return FakeEvent(self)

    def stream(self) -> str:
        return "stream"

    def capturing(self) -> bool:
        return self.graph

    def steps(self) -> FakeGpu:
        return self

    def step_number(self) -> int:
        return self.number

    def device_step(self, *times: int) -> None:
        self.found.append(times)


@pytest.fixture
def gpu(monkeypatch: pytest.MonkeyPatch) -> FakeGpu:
    fake = FakeGpu()
    monkeypatch.setattr(device, "watcher", fake)
    return fake


def train_step(gpu: FakeGpu, clock: device.Clock, wait_ns: int = 10**9) -> None:
    gpu.number += 1
    for idle_or_work_ms, mark in (
        (5, clock.got),
        (1, clock.forward_begin),
        (10, clock.backward_begin),
        (20, clock.backward_end),
        (2, clock.optimizer_begin),
        (4, clock.optimizer_end),
    ):
        gpu.now_ms += idle_or_work_ms
        mark()
        if mark == clock.got:
            clock._step.wait_ns = wait_ns


MS = 10**6


def test_parts_of_a_step_and_the_gap_before_it(gpu: FakeGpu) -> None:
    clock = device.Clock(gpu)
    for _ in range(6):
        train_step(gpu, clock)
    # Forward, backward, optimizer, gap, border to border. The first has nothing before it, and the
    # last three are still to be read.
    assert gpu.found == [(10 * MS, 20 * MS, 4 * MS, 5 * MS, 42 * MS)] * 2


def test_events_are_used_again(gpu: FakeGpu) -> None:
    clock = device.Clock(gpu)
    for _ in range(50):
        train_step(gpu, clock)
    assert gpu.made <= 6 * 6


def test_a_gap_is_no_longer_than_the_wait_for_data(gpu: FakeGpu) -> None:
    clock = device.Clock(gpu)
    for _ in range(6):
        train_step(gpu, clock, wait_ns=3 * MS)
    assert {times[3] for times in gpu.found} == {3 * MS}


def test_steps_with_a_graph_capture_are_left_out(gpu: FakeGpu) -> None:
    clock = device.Clock(gpu)
    for step in range(8):
        gpu.graph = step == 2
        train_step(gpu, clock)
    # Steps 1, 4 and 5: 2 was captured, and 3 has no whole step before it.
    assert len(gpu.found) == 2


def test_a_failing_device_is_given_up(gpu: FakeGpu, monkeypatch: pytest.MonkeyPatch) -> None:
    reported: list[str] = []
    monkeypatch.setattr(device.faults, "report", lambda where, error: reported.append(where))
    monkeypatch.setattr(gpu, "make_event", lambda: 1 / 0)
    clock = device.Clock(gpu)
    clock.forward_begin()
    clock.forward_begin()
    assert reported == ["device time"]


def test_without_a_device_nothing_happens(gpu: FakeGpu) -> None:
    clock = device.Clock()
    train_step(gpu, clock)
    assert gpu.made == 0
