# SPDX-License-Identifier: Apache-2.0
"""A contender's process, seen from the program that measures it."""

from __future__ import annotations

import json
import os
import selectors
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

from workloads import Photos

HERE = Path(__file__).resolve().parent
START_S = 300.0  # some compile first
ANSWER_S = 120.0
TICKS_PER_S = os.sysconf("SC_CLK_TCK")


class Block(NamedTuple):
    """What one block of measuring gave."""

    samples: int
    seconds: float
    cpu_s: float  # of the contender, its workers included
    others_cpu_s: float  # of everything else on the machine, meanwhile


class Failed(Exception):
    """The contender gave no answer, or a bad one."""


class Process:
    """Runs only while it is asked for a block: between blocks the whole process group is stopped,
    so that read-ahead neither costs the next contender time nor gives this one a start."""

    def __init__(
        self, file: Path, photos: Photos, workload: str, batch: int, cores: list[int], log: Path
    ) -> None:
        self.log = log
        command = [
            sys.executable,
            str(HERE / "serve.py"),
            str(file),
            str(photos.folder),
            str(photos.made),
            workload,
            str(batch),
            ",".join(map(str, cores)),
        ]
        environment = {**os.environ, "OMP_NUM_THREADS": "1", "TF_CPP_MIN_LOG_LEVEL": "3"}
        log.parent.mkdir(parents=True, exist_ok=True)
        with log.open("w") as errors:
            self._child = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                bufsize=1,
                env=environment,
                preexec_fn=os.setpgrp,
            )

    def wait_until_ready(self) -> None:
        try:
            self._answer(START_S)
        finally:
            self._signal(signal.SIGSTOP)

    def block(self, seconds: float) -> Block:
        busy, mine = _busy_s(), self._cpu_s()
        answer = self._ask(f"block {seconds}")
        mine = self._cpu_s() - mine
        others = max(0.0, _busy_s() - busy - mine)
        return Block(int(answer["samples"]), float(answer["seconds"]), mine, others)

    def save_first(self, file: Path) -> None:
        self._ask(f"first {file}")

    def end(self) -> None:
        self._signal(signal.SIGKILL)
        self._child.wait()

    def _ask(self, line: str) -> dict[str, Any]:
        self._signal(signal.SIGCONT)
        try:
            assert self._child.stdin is not None
            self._child.stdin.write(line + "\n")
            self._child.stdin.flush()
            return self._answer(ANSWER_S)
        except BrokenPipeError as error:
            raise Failed(self._last_words()) from error
        finally:
            self._signal(signal.SIGSTOP)

    def _answer(self, timeout_s: float) -> dict[str, Any]:
        assert self._child.stdout is not None
        with selectors.DefaultSelector() as selector:
            selector.register(self._child.stdout, selectors.EVENT_READ)
            if not selector.select(timeout_s):
                raise Failed(f"no answer in {timeout_s:.0f} s")
        line = self._child.stdout.readline()
        if not line:
            raise Failed(self._last_words())
        answer: dict[str, Any] = json.loads(line)
        if "error" in answer:
            raise Failed(answer["error"])
        return answer

    def _last_words(self) -> str:
        lines = self.log.read_text(errors="replace").strip().splitlines()
        return lines[-1] if lines else "it ended without a word"

    def _signal(self, number: signal.Signals) -> None:
        try:
            os.killpg(self._child.pid, number)
        except ProcessLookupError:
            return

    def _cpu_s(self) -> float:
        """Processor time of all processes of the group; ended workers count by their parent."""
        return sum(
            _group_cpu_s(path, self._child.pid) for path in Path("/proc").glob("[0-9]*/stat")
        )


def _group_cpu_s(stat: Path, group: int) -> float:
    try:
        fields = stat.read_text().rpartition(")")[2].split()
    except OSError:  # it ended meanwhile
        return 0.0
    if int(fields[2]) != group:
        return 0.0
    return sum(map(int, fields[11:15])) / TICKS_PER_S  # utime, stime, and of ended children


def _busy_s() -> float:
    user, nice, system, _, _, irq, softirq, *_ = map(
        int, Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:]
    )
    return (user + nice + system + irq + softirq) / TICKS_PER_S
