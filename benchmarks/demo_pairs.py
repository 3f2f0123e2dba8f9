# SPDX-License-Identifier: Apache-2.0
"""The main job, shown: a script alone and under `stoker run`, and that both train the same.

(a) examples/small_cnn.py in A-B-B-A pairs of whole processes: what it gains, that every number and
every weight is the same. (b) examples/resnet18.py, where the model is what takes the time: stoker
has to say so and to promise nothing.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import conditions
import paired
import torch

ROOT = Path(__file__).resolve().parent.parent
STOKER = os.environ.get("STOKER_EXECUTABLE", str(ROOT / ".venv/bin/stoker"))
GOAL = 1.3


@dataclass
class Run:
    """One process that trained."""

    train_s: float
    process_s: float
    images_per_s: float
    final_loss: str
    weights: dict[str, torch.Tensor]
    report: dict[str, Any]
    summary: str


def say(text: str = "") -> None:
    print(f"demo  {text}".rstrip(), flush=True)


def train(script: str, arguments: list[str], under_stoker: bool, can_save: bool = True) -> Run:
    with tempfile.TemporaryDirectory(prefix="stoker-demo-") as folder:
        out, saved = Path(folder, "run"), Path(folder, "weights.pt")
        command = [sys.executable, str(ROOT / "examples" / script), *arguments]
        if can_save:
            command += ["--save", str(saved)]
        if under_stoker:
            command = [STOKER, "run", "--out", str(out), "--", *command]
        start = time.perf_counter()
        done = subprocess.run(command, capture_output=True, text=True)
        process_s = time.perf_counter() - start
        timing = re.search(r"trained \d+ steps in ([\d.]+) s, (\d+) images/s", done.stdout)
        loss = re.search(r"final loss (\S+)", done.stdout)
        if done.returncode != 0 or timing is None or loss is None:
            raise SystemExit(f"{script} failed ({done.returncode}):\n{done.stdout}{done.stderr}")
        return Run(
            train_s=float(timing[1]),
            process_s=process_s,
            images_per_s=float(timing[2]),
            final_loss=loss[1],
            weights=torch.load(saved, weights_only=True) if can_save else {},
            report=json.loads((out / "run.json").read_text()) if under_stoker else {},
            summary=done.stderr,
        )


class Checks:
    """What the demo promises, each with what was found."""

    def __init__(self) -> None:
        self.found: list[dict[str, Any]] = []

    def expect(self, holds: bool, text: str) -> None:
        self.found.append({"ok": holds, "what": text})
        say(f"  [{' ok ' if holds else 'FAIL'}] {text}")

    def all_hold(self) -> bool:
        return all(check["ok"] for check in self.found)


def show_stoker_lines(run: Run) -> None:
    say("  what stoker says at the end of the last run:")
    for line in run.summary.splitlines():
        if line.startswith("stoker"):
            say(f"    {line}")


def same_weights(runs: list[Run]) -> bool:
    first = runs[0].weights
    return all(
        run.weights.keys() == first.keys()
        and all(torch.equal(run.weights[name], first[name]) for name in first)
        for run in runs
    )


def input_bound(args: argparse.Namespace, checks: Checks) -> dict[str, Any]:
    pairs = args.pairs
    say(f"(a) examples/small_cnn.py, alone and under `stoker run`, {pairs} pairs of processes")
    arguments = ["--data", args.data, "--seed", "1"]
    arguments += ["--epochs", str(args.epochs), "--workers", str(args.workers)]
    runs: dict[str, list[Run]] = {"A": [], "B": []}
    for number, side in enumerate(paired.abba(pairs)):
        run = train("small_cnn.py", arguments, under_stoker=side == "B")
        runs[side].append(run)
        how = "under stoker" if side == "B" else "alone       "
        say(f"    run {number + 1:2d} of {2 * pairs}  {how}  {run.images_per_s:5.0f} images/s")
    alone, watched = runs["A"], runs["B"]
    gain = paired.ratio([r.train_s for r in alone], [r.train_s for r in watched])
    whole = paired.ratio([r.process_s for r in alone], [r.process_s for r in watched])
    show_stoker_lines(watched[-1])

    kinds = sorted({run.report["verdict"]["kind"] for run in watched})
    checks.expect(kinds == ["input"], f"verdict of all {pairs} watched runs: {', '.join(kinds)}")
    checks.expect(
        gain.estimate >= GOAL and gain.low > 1.0,
        f"training is {gain.estimate:.2f}x as fast (95 % interval {gain.low:.2f} to "
        f"{gain.high:.2f}; at least {GOAL} is promised)",
    )
    images = {
        name: sum(run.report["loader"]["images"][name] for run in watched)
        for name in ("native", "compared", "differ", "bytes_differ", "pillow")
    }
    checks.expect(
        images["native"] > 0 and images["compared"] > 0 and images["bytes_differ"] == 0,
        f"{images['native']:,} images decoded natively, {images['compared']:,} of them compared "
        f"with Pillow: {images['bytes_differ']} bytes differ",
    )
    both = alone + watched
    losses = sorted({run.final_loss for run in both})
    checks.expect(
        len(losses) == 1 and same_weights(both),
        f"the final loss ({', '.join(losses)}) and all weights are the same, bit for bit, "
        f"in {len(both)} runs",
    )
    say(f"  The whole process, with its start of Python and torch: {whole.estimate:.2f}x.")
    return {
        "pairs": pairs,
        "epochs": args.epochs,
        "workers": args.workers,
        "train_s": {side: [run.train_s for run in runs[side]] for side in "AB"},
        "gain": list(gain),
        "whole_process_gain": list(whole),
        "images": images,
        "verdict": watched[-1].report["verdict"],
        "final_loss": losses,
    }


def compute_bound(data: str, steps: int, checks: Checks) -> dict[str, Any]:
    say(f"(b) examples/resnet18.py under `stoker run`, {steps} steps; the model takes the time")
    arguments = ["--data", data, "--steps", str(steps), "--batch-size", "8", "--seed", "1"]
    run = train("resnet18.py", arguments, under_stoker=True, can_save=False)
    show_stoker_lines(run)
    verdict = run.report["verdict"]
    checks.expect(verdict["kind"] == "compute", f"verdict: {verdict['kind']}")
    checks.expect(
        not verdict["fixes"] and "predicted" not in verdict["sentence"], "no gain is claimed"
    )
    return {"steps": steps, "train_s": run.train_s, "verdict": verdict}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", required=True, help="ImageFolder tree of JPEGs")
    parser.add_argument("--pairs", type=int, default=6)
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--workers", type=int, default=0, help="of the small CNN's DataLoader")
    parser.add_argument("--resnet-steps", type=int, default=24)
    parser.add_argument("--record", type=Path, help="write the result to this JSON file")
    args = parser.parse_args()

    start = time.perf_counter()
    for warning in conditions.warnings():
        say(f"warning: {warning}")
    checks = Checks()
    result = {
        "schema": "stoker.demo/1",
        "conditions": conditions.describe(),
        "input_bound": input_bound(args, checks),
        "compute_bound": compute_bound(args.data, args.resnet_steps, checks),
        "checks": checks.found,
    }
    if args.record:
        args.record.write_text(json.dumps(result, indent=1) + "\n")
    verdict = "everything held" if checks.all_hold() else "something did NOT hold, see [FAIL]"
    say(f"{verdict}  ({time.perf_counter() - start:.0f} s)")
    sys.exit(0 if checks.all_hold() else 1)


if __name__ == "__main__":
    main()
