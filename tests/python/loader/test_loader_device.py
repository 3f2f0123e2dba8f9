# SPDX-License-Identifier: Apache-2.0
"""Copies to a device, one batch ahead: the order of calls on streams that are faked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from images import make_folder

import stoker
import stoker.transforms as T
from stoker.loader.batches import Batch, ToDevice

CHAIN = [T.RandomResizedCrop(16), T.ToTensor()]


def test_on_the_cpu_it_gives_the_same_batches(tmp_path: Path) -> None:
    photos = make_folder(tmp_path, 20, ["jpeg 420"])
    plain = list(stoker.ImageLoader(photos, 8, CHAIN))
    loader = stoker.ImageLoader(photos, 8, CHAIN, device="cpu")
    seen = 0
    for (images, labels), (expected, numbers) in zip(loader, plain, strict=True):
        assert torch.equal(images, expected) and torch.equal(labels, numbers)
        seen += len(labels)
        assert loader.state_dict()["position"] == (seen if seen < 20 else 20)


class FakeStream:
    """Notes what happens on it."""

    def __init__(self, name: str, log: list[str]) -> None:
        self.name, self.log, self.events = name, log, 0

    def record_event(self) -> str:
        self.events += 1
        self.log.append(f"copy {self.events} is under way")
        return f"copy {self.events}"

    def wait_event(self, event: str) -> None:
        self.log.append(f"{self.name} waits for {event}")


class FakeTensor:
    def __init__(self, log: list[str]) -> None:
        self.log = log

    def to(self, device: Any, non_blocking: bool) -> FakeTensor:
        assert non_blocking
        return self

    def record_stream(self, stream: FakeStream) -> None:
        self.log.append(f"kept for {stream.name}")


def test_a_batch_waits_for_its_own_copy_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    log: list[str] = []
    side, main = FakeStream("side", log), FakeStream("main", log)
    to_device = ToDevice(torch.device("cpu"))
    to_device.stream = side
    monkeypatch.setattr(torch.cuda, "stream", lambda _: _Nothing())
    monkeypatch.setattr(torch.cuda, "current_stream", lambda _: main)
    tensors: Any = FakeTensor(log)
    first = to_device.start(Batch(tensors, tensors, tensors))
    second = to_device.start(Batch(tensors, tensors, tensors))
    to_device.hand_out(*first)
    to_device.hand_out(*second)
    assert log == [
        "copy 1 is under way",
        "copy 2 is under way",
        "main waits for copy 1",
        "kept for main",
        "kept for main",
        "main waits for copy 2",
        "kept for main",
        "kept for main",
    ]


class _Nothing:
    def __enter__(self) -> None: ...
    def __exit__(self, *_: object) -> None: ...
