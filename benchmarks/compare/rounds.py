# SPDX-License-Identifier: Apache-2.0
"""Interleaved rounds: every entry has one block a round, there and back again (A B C, C B A)."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from process import Block, Failed, Process
from workloads import Photos


@dataclass
class Entry:
    """One contender on some cores, with its blocks or why it has none."""

    contender: str
    file: Path
    cores: list[int]
    blocks: list[Block] = field(default_factory=list)
    failed: str = ""


@dataclass
class Case:
    """One workload on one set, and who runs it."""

    workload: str
    photos: Photos
    batch: int
    entries: list[Entry]
    logs: Path

    def start(self, entry: Entry) -> Process:
        log = self.logs / f"{entry.contender}-{len(entry.cores)}.log"
        return Process(entry.file, self.photos, self.workload, self.batch, entry.cores, log)


@contextlib.contextmanager
def running(case: Case) -> Iterator[dict[int, Process]]:
    """The processes of all entries by their place, each stopped after its first batch."""
    processes: dict[int, Process] = {}
    try:
        for place, entry in enumerate(case.entries):
            processes[place] = case.start(entry)
        for place, entry in enumerate(case.entries):
            with _noting(entry):
                processes[place].wait_until_ready()
        yield processes
    finally:
        for process in processes.values():
            process.end()


def measure(
    case: Case, rounds: int, block_s: float, warm_s: float, say: Callable[[str], None]
) -> None:
    """Adds `rounds` blocks to each entry; all of an entry's blocks are dropped if one fails."""
    with running(case) as processes:
        for number in range(-1, rounds):
            say(f"round {number + 1} of {rounds}" if number >= 0 else "warming up")
            order = list(processes)
            for place in order if number % 2 == 0 else reversed(order):
                entry = case.entries[place]
                if entry.failed:
                    continue
                with _noting(entry):
                    block = processes[place].block(block_s if number >= 0 else warm_s)
                    if number >= 0:
                        entry.blocks.append(block)


def first_batches(case: Case, folder: Path) -> dict[str, Path]:
    """The first batch of each contender as a .npy file, by the contender's name."""
    files = {}
    with running(case) as processes:
        for place, process in processes.items():
            entry = case.entries[place]
            file = folder / f"{entry.contender}.npy"
            if not entry.failed:
                with _noting(entry):
                    process.save_first(file)
                    files[entry.contender] = file
    return files


@contextlib.contextmanager
def _noting(entry: Entry) -> Iterator[None]:
    try:
        yield
    except Failed as error:
        entry.failed = str(error)
        entry.blocks.clear()
        print(f"{entry.contender}: {error}", file=sys.stderr)
