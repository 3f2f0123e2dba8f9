# SPDX-License-Identifier: Apache-2.0
"""Runs the cases of a comparison: finds contenders, prepares sets, measures."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import photos
import report
import rounds
from workloads import Photos

HERE = Path(__file__).resolve().parent
BUILD = HERE.parent.parent / "build"
REFERENCE = "pillow_torchvision"
CASES = ("train:jpeg", "eval:jpeg", "train:progressive", "train:png", "train:webp")
ON_ALL_CORES = ("train:jpeg",)  # the other cases run on the fewest cores alone
BATCH = 64


class Plan(NamedTuple):
    """How much is measured."""

    photos: Path
    cores: list[int]  # numbers of them
    rounds: int
    block_s: float
    warm_s: float


def contender_files(only: Iterable[str]) -> dict[str, Path]:
    """The contenders by name; of `only` and the two that all is compared with, if given."""
    known = {file.stem: file for file in sorted((HERE / "contenders").glob("*.py"))}
    wanted = {*only, REFERENCE, "stoker"} if only else set(known)
    if unknown := wanted - known.keys():
        raise SystemExit(f"no contender {min(unknown)!r}; there are {', '.join(known)}")
    return {name: file for name, file in known.items() if name in wanted}


class Bench:
    """All cases of one run, and what was found about the contenders."""

    def __init__(self, plan: Plan, files: dict[str, Path]) -> None:
        self.plan = plan
        self.files = files
        self.contenders: dict[str, dict[str, Any]] = {}
        self._begin = time.monotonic()

    def say(self, text: str) -> None:
        print(f"{time.monotonic() - self._begin:5.0f} s  {text}", file=sys.stderr)

    def run(self, what: str, clock: str) -> dict[str, Any]:
        """One case, such as "train:jpeg", measured."""
        workload, set_name = what.split(":")
        if not any(set_name in known["pixels"] for known in self.contenders.values()):
            self._compare_pixels(set_name)
        counts = self.plan.cores if what in ON_ALL_CORES else [min(self.plan.cores)]
        made = self._photos(set_name)
        case = self._case(workload, made, self._able(made, set_name), counts)
        self.say(f"{what}: starting {len(case.entries)} processes")
        rounds.measure(
            case,
            self.plan.rounds,
            self.plan.block_s,
            self.plan.warm_s,
            lambda text: self.say(f"{what}: {text}"),
        )
        return report.case_result(case, set_name, clock)

    def _photos(self, set_name: str, few: bool = False) -> Photos:
        return photos.photo_set(self.plan.photos, set_name, BUILD / "compare-sets", few)

    def _able(self, made: Photos, set_name: str) -> list[str]:
        return [name for name in self.files if self._is_able(name, made, set_name)]

    def _is_able(self, name: str, made: Photos, set_name: str) -> bool:
        """Whether the contender takes part; what it needs of the photos is there afterwards."""
        program = [sys.executable, str(HERE / "prepare.py"), str(self.files[name])]
        done = subprocess.run([*program, *map(str, made), set_name], capture_output=True, text=True)
        last = done.stderr.strip().splitlines()[-1:] or ["it ended without a word"]
        answer = json.loads(done.stdout) if done.stdout else {"missing": last[0]}
        if not answer:
            return False
        known = self.contenders.setdefault(name, {"name": name, "pixels": {}})
        if "missing" in answer and known.get("missing") != answer["missing"]:
            self.say(f"{name} is left out: {answer['missing']}")
        known.update(answer)
        return "missing" not in answer

    def _case(
        self, workload: str, made: Photos, names: list[str], counts: list[int]
    ) -> rounds.Case:
        cores = sorted(os.sched_getaffinity(0), reverse=True)
        if max(counts) > len(cores):
            raise SystemExit(f"there are {len(cores)} cores here, {max(counts)} were asked for")
        entries = [
            rounds.Entry(name, self.files[name], cores[:count])
            for count in counts
            for name in names
        ]
        return rounds.Case(workload, made, BATCH, entries, BUILD / "compare-logs")

    def _compare_pixels(self, set_name: str) -> None:
        """The first evaluation batch of every contender against the reference's."""
        few = self._photos(set_name, few=True)
        case = self._case("eval", few, self._able(few, set_name), [1])
        self.say(f"{set_name}: comparing pixels")
        with tempfile.TemporaryDirectory() as folder:
            files = rounds.first_batches(case, Path(folder))
            for name, file in files.items():
                if REFERENCE in files:
                    found = report.pixels(file, files[REFERENCE])
                    self.contenders[name]["pixels"][set_name] = found
