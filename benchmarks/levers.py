# SPDX-License-Identifier: Apache-2.0
"""The scripts of examples/models alone and under `stoker run --allow rounding,precision`, on a GPU.

For each script: its rate alone; with levers on an empty cache (the first run of a training), and
two later runs; how long they take from the start of the process to full speed; and the losses of
three runs with levers, each with another seed, beside those of three runs alone. With two devices
the runs whose time does not matter go to the second as well. Needs stoker and transformers.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import json
import os
import queue
import re
import statistics
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import conditions
import torch

MODELS = ("bert", "vit", "resnet50", "gpt2")
ALLOW = "rounding,precision"
STEPS = 300
TIMED_STEPS_ALONE = 80  # alone it goes at one pace from the start
FULL_SPEED = 0.95
SEEDS = (0, 1, 2)


class Run(NamedTuple):
    rate: float
    unit: str
    losses: dict[int, float]  # by step
    full_speed_s: float  # from the start of the process
    wall_s: float
    levers: list[dict[str, Any]]


class Place(NamedTuple):
    """Where a process runs."""

    gpu: str
    cores: set[int]


def places(gpus: list[str]) -> list[Place]:
    """Each device with its share of the cores, so that runs beside each other do not meet."""
    cores = sorted(os.sched_getaffinity(0))
    each = len(cores) // len(gpus)
    return [Place(gpu, set(cores[i * each : (i + 1) * each])) for i, gpu in enumerate(gpus)]


def train(model: str, steps: int, seed: int, place: Place, cache: str = "") -> Run:
    """With levers if there is a folder for what they keep."""
    script = conditions.ROOT / "examples/models" / f"{model}.py"
    command = [sys.executable, str(script), "--steps", str(steps), "--seed", str(seed)]
    env = {**os.environ, "CUDA_VISIBLE_DEVICES": place.gpu}
    levers = []
    with tempfile.TemporaryDirectory() as folder:
        if cache:
            stoker = os.environ.get("STOKER_EXECUTABLE", "stoker")
            command = [stoker, "run", "--allow", ALLOW, "--out", f"{folder}/run", "--", *command]
            env["STOKER_CACHE"] = cache
        start = time.monotonic()
        with (
            tempfile.TemporaryFile("w+") as errors,
            subprocess.Popen(
                command, stdout=subprocess.PIPE, stderr=errors, text=True, env=env
            ) as process,
        ):
            os.sched_setaffinity(process.pid, place.cores)
            assert process.stdout is not None
            lines = [(time.monotonic() - start, line.strip()) for line in process.stdout]
            if process.wait() != 0:
                errors.seek(0)
                raise SystemExit(f"{model} failed:\n{errors.read()}")
        wall_s = time.monotonic() - start
        if cache:
            levers = json.loads(Path(folder, "run", "run.json").read_text())["levers"]
    return _run(lines, wall_s, levers)


def _run(lines: list[tuple[float, str]], wall_s: float, levers: list[dict[str, Any]]) -> Run:
    losses, marks = {}, []
    for at, line in lines:
        found = re.fullmatch(r"step (\d+) loss (\S+)", line)
        if found:
            losses[int(found[1])] = float(found[2])
            marks.append(at)
    rate, _, unit = lines[-1][1].partition(" ")
    gaps = [(end, end - begin) for begin, end in itertools.pairwise(marks)]
    pace = statistics.median(gap for _, gap in gaps[-len(gaps) // 3 :])
    full = next(at for at, gap in gaps if gap * FULL_SPEED <= pace)
    return Run(float(rate), unit, losses, full, wall_s, levers)


def measure(model: str, places: list[Place]) -> dict[str, Any]:
    """Runs whose rate counts have the first device to themselves until they are over."""
    alone: dict[int, Run] = {}
    waiting: queue.SimpleQueue[int] = queue.SimpleQueue()
    for seed in SEEDS:
        waiting.put(seed)

    def run_alone(place: Place) -> None:
        with contextlib.suppress(queue.Empty):
            while True:
                seed = waiting.get_nowait()
                alone[seed] = train(model, STEPS, seed, place)

    with ThreadPoolExecutor(3) as pool, tempfile.TemporaryDirectory() as cache:
        beside = [pool.submit(run_alone, place) for place in places[1:] for _ in range(2)]
        timed = train(model, TIMED_STEPS_ALONE, 0, places[0])
        with_levers = [train(model, STEPS, seed, places[0], cache) for seed in SEEDS]
        run_alone(places[0])
        for job in beside:
            job.result()
    runs = [alone[seed] for seed in SEEDS]
    return {
        "unit": timed.unit,
        "alone": timed.rate,
        "first_run": _row(with_levers[0]),
        "later_runs": [_row(run) for run in with_levers[1:]],
        "gain": round(statistics.median(run.rate for run in with_levers) / timed.rate, 2),
        "same_training": _compare(runs, with_levers),
        "levers": with_levers[0].levers,
        "losses": {
            "alone": [list(run.losses.values()) for run in runs],
            "levers": [list(run.losses.values()) for run in with_levers],
        },
    }


def _row(run: Run) -> dict[str, float]:
    times = {"full_speed_s": round(run.full_speed_s, 1), "wall_s": round(run.wall_s, 1)}
    return {"rate": run.rate, **times}


def _compare(alone: list[Run], levers: list[Run]) -> dict[str, Any]:
    """A point of a curve is inside if it lies between the lowest and the highest run alone, or no
    farther from them than they are from each other."""
    steps = list(alone[0].losses)
    inside = 0
    for step in steps:
        low, high = (pick(run.losses[step] for run in alone) for pick in (min, max))
        spread = high - low
        inside += sum(low - spread <= run.losses[step] <= high + spread for run in levers)
    tail = steps[-len(steps) // 3 :]
    sides = {"alone": alone, "levers": levers}
    return {
        "inside_share": round(inside / (len(steps) * len(levers)), 3),
        "mean_loss_of_last_third": {
            name: [round(statistics.fmean(run.losses[step] for step in tail), 5) for run in runs]
            for name, runs in sides.items()
        },
        "loss_at_step_90": {name: [run.losses[90] for run in runs] for name, runs in sides.items()},
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", nargs="+", choices=MODELS, default=list(MODELS))
    parser.add_argument("--devices", nargs="+", default=["0"], help="one or two indices")
    parser.add_argument("--record", type=Path, help="write the result to this JSON file")
    args = parser.parse_args()
    found: dict[str, Any] = {
        "command": " ".join(["benchmarks/levers.py", *sys.argv[1:]]),
        "gpu": torch.cuda.get_device_name(),
        **conditions.describe(),
        "models": {},
    }
    for model in args.models:
        found["models"][model] = row = measure(model, places(args.devices))
        shown = {name: row[name] for name in row if name not in ("levers", "losses")}
        print(model, json.dumps(shown), flush=True)
        if args.record:
            args.record.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
