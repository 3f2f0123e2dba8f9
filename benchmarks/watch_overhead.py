# SPDX-License-Identifier: Apache-2.0
"""What it costs a step to be watched: a loop of short steps, alone and under `stoker run`.

Whole processes in A-B-B-A order. The loop is one linear layer with a DataLoader without workers,
because short steps show the cost best; nothing of stoker's is applied (`--allow none`).
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

CHECKOUT = Path(__file__).resolve().parent.parent
STOKER = os.environ.get("STOKER_EXECUTABLE", str(CHECKOUT / ".venv/bin/stoker"))
GOAL_US = 30.0


def training_loop(steps: int) -> None:
    """The watched script: prints the mean and the median time of a step."""
    import torch
    from torch.utils.data import DataLoader, TensorDataset

    torch.set_num_threads(1)
    torch.manual_seed(0)
    batch = 64
    data = TensorDataset(torch.randn(batch * 50, 256), torch.randint(0, 10, (batch * 50,)))
    loader = DataLoader(data, batch_size=batch, shuffle=True)
    model = torch.nn.Linear(256, 10)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)

    warmup = 100
    borders: list[float] = []
    while len(borders) < steps + warmup:
        for inputs, labels in loader:
            loss = torch.nn.functional.cross_entropy(model(inputs), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            borders.append(time.perf_counter())
    borders = borders[warmup:]
    times = sorted(b - a for a, b in itertools.pairwise(borders))
    mean, median = sum(times) / len(times), times[len(times) // 2]
    print(f"step mean {mean * 1e6:.2f} us, median {median * 1e6:.2f} us")


def run_loop(steps: int, out: Path | None) -> tuple[float, float | None]:
    """One process; the median step in microseconds, and what stoker itself says that it cost."""
    command = [sys.executable, str(Path(__file__).resolve()), "--loop", str(steps)]
    if out is not None:
        command = [STOKER, "run", "--allow", "none", "--out", str(out), "--", *command]
    done = subprocess.run(command, capture_output=True, text=True)
    found = re.search(r"median ([\d.]+) us", done.stdout)
    if done.returncode != 0 or found is None:
        raise SystemExit(f"the loop failed ({done.returncode}):\n{done.stdout}{done.stderr}")
    reported = None
    if out is not None:
        run = json.loads(next(out.rglob("run.json")).read_text())
        reported = run["overhead_us_per_step"]
    return float(found[1]), reported


def measure(pairs: int, steps: int) -> dict[str, Any]:
    import conditions
    import paired

    alone: list[float] = []
    watched: list[float] = []
    reported: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        for number, side in enumerate(paired.abba(pairs)):
            out = Path(folder, str(number)) if side == "B" else None
            step_us, said = run_loop(steps, out)
            (watched if side == "B" else alone).append(step_us)
            if said is not None:
                reported.append(said)
            what = "watched" if side == "B" else "alone"
            print(f"  {number + 1:2d} of {2 * pairs}  {what:8s} {step_us:8.1f} us", file=sys.stderr)
    cost = paired.difference(watched, alone)
    return {
        "schema": "stoker.watch_overhead/1",
        "conditions": conditions.describe(),
        "warnings": conditions.warnings(),
        "pairs": pairs,
        "steps": steps,
        "step_us": {"alone": alone, "watched": watched},
        "cost_us_per_step": list(cost),
        "reported_us_per_step": sorted(reported)[len(reported) // 2],
        "goal_us": GOAL_US,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, default=10)
    parser.add_argument("--steps", type=int, default=3000)
    parser.add_argument("--record", type=Path, help="write the result to this JSON file")
    parser.add_argument("--loop", type=int, metavar="STEPS", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.loop:
        training_loop(args.loop)
        return

    result = measure(args.pairs, args.steps)
    for warning in result["warnings"]:
        print(f"warning: {warning}", file=sys.stderr)
    low, estimate, high = result["cost_us_per_step"]
    print(
        f"watching costs {estimate:.1f} us a step (95 % interval {low:.1f} to {high:.1f}, "
        f"{args.pairs} pairs); stoker itself reports {result['reported_us_per_step']:.1f} us; "
        f"the goal is {GOAL_US:.0f} us"
    )
    if args.record:
        args.record.write_text(json.dumps(result, indent=1) + "\n")
    sys.exit(0 if estimate <= GOAL_US else 1)


if __name__ == "__main__":
    main()
