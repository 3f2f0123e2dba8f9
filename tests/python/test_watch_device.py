# SPDX-License-Identifier: Apache-2.0
"""Whether a GPU is watched. What is made of its times is tested beside the clock, in C++."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
import torch

from stoker import _core
from stoker.watch import device, faults

NO_SUCH_DEVICE = 4096


def model_on(kind: str) -> Any:
    parameter = SimpleNamespace(device=SimpleNamespace(type=kind, index=NO_SUCH_DEVICE))
    return SimpleNamespace(parameters=lambda: iter([parameter]))


@pytest.fixture
def reported(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, object]]:
    reports: list[tuple[str, object]] = []
    monkeypatch.setattr(faults, "report", lambda *report: reports.append(report))
    return reports


@pytest.fixture
def handed(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, ...]]:
    """What the watcher is given, on a machine where torch has started CUDA."""
    given: list[tuple[Any, ...]] = []
    fake = SimpleNamespace(set_device=lambda *args: given.append(args))
    monkeypatch.setattr(device, "watcher", fake)
    monkeypatch.setattr(torch.version, "cuda", "13.0")
    monkeypatch.setattr(torch.cuda, "is_initialized", lambda: True)
    monkeypatch.setattr(torch._C, "_cuda_getCurrentRawStream", raw_stream, raising=False)
    return given


def raw_stream(index: int) -> int:
    assert index == NO_SUCH_DEVICE
    return 0


def test_a_model_on_a_gpu_is_handed_over(
    handed: list[tuple[Any, ...]], reported: list[tuple[str, object]]
) -> None:
    device.model_found(model_on("cuda"))
    ((index, stream, fault),) = handed
    assert (index, stream) == (NO_SUCH_DEVICE, raw_stream)
    fault("no more")
    assert reported == [("device time", "no more")]


def test_a_model_elsewhere_is_not(
    handed: list[tuple[Any, ...]], reported: list[tuple[str, object]]
) -> None:
    device.model_found(model_on("cpu"))
    assert handed == reported == []


def test_without_cuda_nothing_is_looked_at(
    handed: list[tuple[Any, ...]],
    reported: list[tuple[str, object]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(torch.cuda, "is_initialized", lambda: False)
    device.model_found(None)
    monkeypatch.setattr(torch.cuda, "is_initialized", lambda: True)
    monkeypatch.setattr(torch.version, "cuda", None)  # another maker's GPU
    device.model_found(None)
    assert handed == reported == []


def test_a_driver_that_cannot_be_used_is_reported(
    handed: list[tuple[Any, ...]],
    reported: list[tuple[str, object]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """There is no driver, or it does not know the device."""
    watcher = _core.Watcher(lambda: (None, False), None, torch.is_grad_enabled, reported.append)
    monkeypatch.setattr(device, "watcher", watcher)
    device.model_found(model_on("cuda"))
    ((place, error),) = reported
    assert place == "device time"
    assert isinstance(error, OSError)
    assert "libcuda.so.1" in str(error) or "CUDA error" in str(error)
    watcher.pause_device()
    watcher.forward_begin()
    assert len(reported) == 1
