# SPDX-License-Identifier: Apache-2.0
"""From blocks to speeds, ratios and goals."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
from process import Block
from rounds import Case, Entry
from workloads import STD

sys.path.append(str(Path(__file__).resolve().parent.parent))
import paired

Rates = dict[tuple[str, int], list[float]]  # of each block, by contender and number of cores

OURS = ("stoker", "stoker_indexed", "stoker_packed")
GOALS = (  # workload, set, cores, ours, the other, goal
    ("train", "jpeg", 1, "stoker", "pillow_torchvision", 2.5),
    ("train", "jpeg", 1, "stoker", "torchvision_io_v2", 1.6),
    ("train", "jpeg", 1, "stoker", "dali_cpu", 1.6),
    ("train", "jpeg", 1, "stoker_indexed", "pillow_torchvision", 3.1),
    ("train", "jpeg", 1, "stoker_indexed", "torchvision_io_v2", 2.0),
    ("train", "jpeg", 1, "stoker_indexed", "dali_cpu", 2.0),
    ("eval", "jpeg", 1, "stoker", "pillow_torchvision", 1.8),
    ("train", "progressive", 1, "stoker_packed", "pillow_torchvision", 3.0),
    ("train", "png", 1, "stoker", "pillow_torchvision", 1.0),
    ("train", "webp", 1, "stoker", "pillow_torchvision", 1.0),
)
SCALING_GOAL = 0.9  # of twice the speed on twice the cores


def pixels(file: Path, reference: Path) -> dict[str, Any]:
    """How a batch differs from the reference, in levels of 0 to 255."""
    ours, theirs = np.load(file), np.load(reference)
    if ours.shape != theirs.shape:
        return {"equal": False, "shape": list(ours.shape)}
    std = np.array(STD, np.float32).reshape(1, 3, 1, 1)
    levels = np.abs(ours - theirs) * std * 255
    return {
        "compared": int(ours.size),
        "equal": bool(ours.tobytes() == theirs.tobytes()),
        "differ_share": round(float(np.mean(levels > 0.5)), 5),
        "mean_levels": round(float(levels.mean()), 3),
        "most_levels": round(float(levels.max()), 1),
    }


def case_result(case: Case, set_name: str, clock: str) -> dict[str, Any]:
    """Speeds, ratios of stoker over each, and scaling of one case; by `clock`, "wall" or "cpu"."""
    rates = {_key(entry): _rates(entry.blocks, clock) for entry in case.entries if entry.blocks}
    return {
        "workload": case.workload,
        "set": set_name,
        "rows": [_row(entry, rates) for entry in case.entries],
        "scaling": _scaling(rates) if clock == "wall" else {},
    }


def _scaling(rates: Rates) -> dict[str, list[float]]:
    """Speed on the more cores over that on the fewest, as a share of what twice the cores would
    give at best; both were measured in the same rounds."""
    fewest = min((cores for _, cores in rates), default=1)
    found = {}
    for name, cores in rates:
        if cores > fewest and (name, fewest) in rates:
            ratio = paired.ratio(rates[name, cores], rates[name, fewest])
            what = f"{name}, {fewest} to {cores} cores"
            found[what] = [value * fewest / cores for value in ratio]
    return found


def _key(entry: Entry) -> tuple[str, int]:
    return entry.contender, len(entry.cores)


def _rates(blocks: list[Block], clock: str) -> list[float]:
    return [b.samples / (b.cpu_s if clock == "cpu" else b.seconds) for b in blocks]


def _row(entry: Entry, rates: Rates) -> dict[str, Any]:
    name, cores = _key(entry)
    row: dict[str, Any] = {"contender": name, "cores": cores}
    if not entry.blocks:
        return {**row, "failed": entry.failed}
    mine = rates[name, cores]
    seconds = sum(block.seconds for block in entry.blocks)
    ours = {who: rates[who, cores] for who in OURS if (who, cores) in rates}
    return {
        **row,
        "samples_per_s": round(float(np.median(mine)), 1),
        "cores_used": round(sum(block.cpu_s for block in entry.blocks) / seconds, 3),
        "cores_used_by_others": round(sum(b.others_cpu_s for b in entry.blocks) / seconds, 3),
        "ratio": {who: list(paired.ratio(rate, mine)) for who, rate in ours.items()},
        "blocks": [[b.samples, round(b.seconds, 4), round(b.cpu_s, 2)] for b in entry.blocks],
    }


def goals(cases: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What was to be shown, of what was measured."""
    rows = {
        (case["workload"], case["set"], row["cores"], row["contender"]): row.get("ratio", {})
        for case in cases
        for row in case["rows"]
    }
    found = []
    for workload, photos, cores, ours, other, goal in GOALS:
        ratio = rows.get((workload, photos, cores, other), {}).get(ours)
        if ratio is not None:
            what = f"{ours} / {other}, {workload}, {photos}, {cores} core"
            found.append({"what": what, "ratio": ratio, "goal": goal, "met": ratio[1] >= goal})
    for case in cases:
        for what, share in case["scaling"].items():
            if what.split(",")[0] in OURS:
                met = share[1] >= SCALING_GOAL
                found.append(
                    {"what": f"scaling of {what}", "ratio": share, "goal": SCALING_GOAL, "met": met}
                )
    return found
