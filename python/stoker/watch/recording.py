# SPDX-License-Identifier: Apache-2.0
"""This process's watcher and its recorder. The recorder's file comes with the first event, so that
processes that only import torch leave none."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import Any

import torch

from stoker import _core

from . import faults

_CALLS = 100

# Called when optimizers step but the model that was found is never called; set by `forward`.
on_silence: list[Callable[[], None]] = []


def _make() -> tuple[_core.Recorder | None, bool]:
    worker = torch.utils.data.get_worker_info() is not None
    try:
        rank, world_size = _place()
        recorder = _core.Recorder.create(_path(), os.getpid(), worker, rank, world_size)
    except Exception as error:
        faults.report("recorder", error)
        return None, worker
    if not worker:
        _calibrate()
    return recorder, worker


def _path() -> str:
    folder = os.path.join(os.environ["STOKER_RUN_DIR"], "processes")
    os.makedirs(folder, exist_ok=True)
    with open("/proc/self/stat", "rb") as file:
        started = file.read().rpartition(b")")[2].split()[19].decode()
    return os.path.join(folder, f"{os.getpid()}-{started}.stk")


def _place() -> tuple[int, int]:
    """Rank and world size: the launcher's, or those of a process group that is there already."""
    try:
        if "RANK" in os.environ:
            return int(os.environ["RANK"]), int(os.environ.get("WORLD_SIZE", "1"))
        distributed = torch.distributed
        if distributed.is_available() and distributed.is_initialized():
            return distributed.get_rank(), distributed.get_world_size()
    except (ValueError, RuntimeError) as error:
        faults.report("rank", error)
    return 0, 1


def _calibrate() -> None:
    """Measure what probes take beyond the time that they measure of themselves."""
    scratch = _core.Watcher(_nothing, None, _nothing, _nothing)
    plain = _ns_of_call(_nothing)
    probed = _ns_of_call(_core.event_probe(_nothing, scratch, BACKWARD))
    seen = scratch.probe_sum_ns / _CALLS
    timed = _ns_of_call(_core.stage_timer(_nothing, scratch, 0))
    watcher.set_unseen_ns(max(0.0, probed - plain - seen), max(0.0, timed - plain))


def _nothing(*_args: object) -> None: ...


def _ns_of_call(call: Any) -> float:
    start = time.perf_counter_ns()
    for _ in range(_CALLS):
        call(None)
    return (time.perf_counter_ns() - start) / _CALLS


def _silent() -> None:
    for callback in on_silence:
        callback()


# The events of the extension, in its order.
NEXT, FETCH, FORWARD, BACKWARD, OPTIMIZER_BEGIN, OPTIMIZER_END = range(6)

_core.allow_objects_at_exit()
watcher = _core.Watcher(_make, _silent, torch.is_grad_enabled, faults.reporter("watcher"))
os.register_at_fork(after_in_child=watcher.forget)
