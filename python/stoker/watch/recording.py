# SPDX-License-Identifier: Apache-2.0
"""This process's recorder. It comes with the first event, so that processes that only import torch
leave no file."""

from __future__ import annotations

import os
from collections.abc import Callable
from threading import get_ident
from typing import Any

import torch

from stoker import _core

from . import faults


class _Nothing:
    """Takes the calls of a recorder and drops them."""

    def __getattr__(self, name: str) -> Callable[..., None]:
        return lambda *args: None


class Recording:
    """What the hooks write to. In a DataLoader worker `steps` drops everything: its steps are
    nobody's."""

    def __init__(self) -> None:
        self._made = False
        self._inherited: list[Any] = []
        self.steps: Any = None
        self.batches: Any = None
        self.thread = 0
        self.clock = _core.StageClock()

    def here(self) -> bool:
        """True on the thread that trains. Loaders that other threads read keep nobody waiting."""
        if self.thread == 0:
            self.thread = get_ident()
        if not self._made:
            self._make()
        return self.thread == get_ident()

    def claim(self) -> None:
        """An optimizer steps on this thread, so this is the one that trains."""
        self.thread = get_ident()
        if not self._made:
            self._make()

    def _make(self) -> None:
        self._made = True
        self.steps = self.batches = _Nothing()
        worker = torch.utils.data.get_worker_info() is not None
        rank, world_size = _place()
        try:
            self.batches = _core.Recorder.create(_path(), os.getpid(), worker, rank, world_size)
        except Exception as error:
            faults.report("recorder", error)
            return
        if not worker:
            self.steps = self.batches

    def after_fork(self) -> None:
        """In a child: the parent's file is the parent's. It stays mapped, untouched."""
        self._inherited.append((self.steps, self.batches))
        self._made = False
        self.steps = self.batches = None
        self.thread = 0
        self.clock.take()


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


recording = Recording()
os.register_at_fork(after_in_child=recording.after_fork)
