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
from workloads import WORKLOADS, Photos

HERE = Path(__file__).resolve().parent
BUILD = HERE.parent.parent / "build"
REFERENCE = "pillow_torchvision"
CASES = ("train:jpeg", "eval:jpeg", "train:progressive", "train:png", "train:webp")
ON_ALL_CORES = ("train:jpeg",)  # the other cases run on the fewest cores alone
BATCH = 64


class Plan(NamedTuple):
    """What is measured, and how much of it."""

    cases: list[str]
    cores: list[int]  # numbers of them
    rounds: int
    block_s: float
    warm_s: float


class Set(NamedTuple):
    """The photos of one kind, and one batch of them."""

    whole: Photos
    few: Photos


def contender_files(only: Iterable[str]) -> dict[str, Path]:
    """The contenders by name; of `only` and the two that all is compared with, if given."""
    known = {file.stem: file for file in sorted((HERE / "contenders").glob("*.py"))}
    wanted = {*only, REFERENCE, "stoker"} if only else set(known)
    if unknown := wanted - known.keys():
        raise SystemExit(f"no contender {min(unknown)!r}; there are {', '.join(known)}")
    return {name: file for name, file in known.items() if name in wanted}


def check(plan: Plan) -> None:
    """Ends the program when the plan cannot be carried out."""
    for case in plan.cases:
        workload, _, set_name = case.partition(":")
        if workload not in WORKLOADS or set_name not in photos.SETS:
            raise SystemExit(
                f"no case {case!r}; one is WORKLOAD:SET, of {', '.join(WORKLOADS)} and "
                f"{', '.join(photos.SETS)}"
            )
    cores = len(os.sched_getaffinity(0))
    if not plan.cores or not 1 <= min(plan.cores) <= max(plan.cores) <= cores:
        raise SystemExit(f"--cores: numbers from 1 to {cores}, the cores that this may use")


class Bench:
    """All cases of one run, and what was found about the contenders."""

    def __init__(self, plan: Plan, files: dict[str, Path], folder: Path) -> None:
        self.plan = plan
        self.files = files
        self._begin = time.monotonic()
        names = dict.fromkeys(case.split(":")[1] for case in plan.cases)
        self.sets = {name: self._set(folder, name) for name in names}
        self.contenders = {name: self._prepare(name) for name in files}
        for name in names:
            self._compare_pixels(name)

    def say(self, text: str) -> None:
        print(f"{time.monotonic() - self._begin:5.0f} s  {text}", file=sys.stderr)

    def run(self, what: str, clock: str) -> dict[str, Any]:
        """One case, such as "train:jpeg", measured."""
        workload, set_name = what.split(":")
        counts = self.plan.cores if what in ON_ALL_CORES else [min(self.plan.cores)]
        case = self._case(workload, self.sets[set_name].whole, self._able(set_name), counts)
        self.say(f"{what}: starting {len(case.entries)} processes")
        rounds.measure(
            case,
            self.plan.rounds,
            self.plan.block_s,
            self.plan.warm_s,
            lambda text: self.say(f"{what}: {text}"),
        )
        return report.case_result(case, set_name, clock)

    def _set(self, folder: Path, name: str) -> Set:
        self.say(f"{name}: photos")
        root = BUILD / "compare-sets"
        return Set(*(photos.photo_set(folder, name, root, few) for few in (False, True)))

    def _prepare(self, name: str) -> dict[str, Any]:
        """What the contender says of itself; what it needs of the photos is there afterwards."""
        self.say(f"{name}: preparing")
        words = [
            f"{kind}:{made.folder}:{made.made}" for kind, both in self.sets.items() for made in both
        ]
        program = [sys.executable, str(HERE / "prepare.py"), str(self.files[name])]
        done = subprocess.run([*program, *words], capture_output=True, text=True)
        last = done.stderr.strip().splitlines()[-1:] or ["it ended without a word"]
        answer: dict[str, Any] = json.loads(done.stdout) if done.stdout else {"missing": last[0]}
        for why in [answer.get("missing", ""), *answer.get("sets", {}).values()]:
            if why:
                self.say(f"{name} is left out: {why}")
        return {"name": name, "sets": {}, **answer, "pixels": {}}

    def _able(self, set_name: str) -> list[str]:
        return [
            name for name, known in self.contenders.items() if known["sets"].get(set_name) == ""
        ]

    def _case(
        self, workload: str, made: Photos, names: list[str], counts: list[int]
    ) -> rounds.Case:
        cores = sorted(os.sched_getaffinity(0), reverse=True)
        entries = [
            rounds.Entry(name, self.files[name], cores[:count])
            for count in counts
            for name in names
        ]
        return rounds.Case(workload, made, BATCH, entries, BUILD / "compare-logs")

    def _compare_pixels(self, set_name: str) -> None:
        """The first evaluation batch of every contender against the reference's."""
        self.say(f"{set_name}: comparing pixels")
        case = self._case("eval", self.sets[set_name].few, self._able(set_name), [1])
        with tempfile.TemporaryDirectory() as folder:
            files = rounds.first_batches(case, Path(folder))
            for name, file in files.items():
                if REFERENCE in files:
                    found = report.pixels(file, files[REFERENCE])
                    self.contenders[name]["pixels"][set_name] = found
