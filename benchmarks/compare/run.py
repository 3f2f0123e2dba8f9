# SPDX-License-Identifier: Apache-2.0
"""stoker.ImageLoader against other loaders: one run, interleaved, on one core and on more.

Every contender runs in a process of its own that is pinned to its cores and stopped between its
blocks. `setup` beside this file installs the other loaders; those that are missing are left out and
named. Contenders are the files in contenders/: to add one, add a file.

    build/compare/bin/python benchmarks/compare/run.py --record benchmarks/results/compare.json
    .venv/bin/python benchmarks/compare/page.py benchmarks/results/compare.json docs/comparison.md
"""

from __future__ import annotations

import argparse
import json
import signal
import sys
from pathlib import Path
from typing import Any

import bench
import page
import photos
import report

sys.path.append(str(bench.HERE.parent))
import conditions


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--photos", type=Path, help="ImageFolder tree of JPEGs (default: made)")
    parser.add_argument("--cores", default="1,2", help="numbers of cores, such as 1,2")
    parser.add_argument("--rounds", type=int, default=7, help="blocks of each contender")
    parser.add_argument("--block-s", type=float, default=1.25, help="seconds of a block")
    parser.add_argument("--warm-s", type=float, default=1.0, help="seconds of the first, uncounted")
    parser.add_argument("--only", default="", help="contenders, such as dali_cpu,spdl")
    parser.add_argument(
        "--cases", default=",".join(bench.CASES), help="such as train:jpeg,eval:jpeg"
    )
    parser.add_argument(
        "--clock",
        choices=("wall", "cpu"),
        default="wall",
        help="cpu: for a machine with other work",
    )
    parser.add_argument("--record", type=Path, help="write the result to this JSON file")
    return parser.parse_args()


def words(text: str) -> list[str]:
    return [word for word in text.split(",") if word]


def measure(args: argparse.Namespace) -> dict[str, Any]:
    found = conditions.describe(), conditions.warnings()  # before this adds load of its own
    cores = sorted({int(word) for word in words(args.cores)})
    plan = bench.Plan(words(args.cases), cores, args.rounds, args.block_s, args.warm_s)
    bench.check(plan)
    files = bench.contender_files(words(args.only))
    folder = args.photos or photos.make_photos(bench.BUILD / "compare-photos")
    runner = bench.Bench(plan, files, folder.resolve())
    cases = [runner.run(what, args.clock) for what in plan.cases]
    return {
        "schema": "stoker.benchmark.compare/1",
        "conditions": found[0],
        "warnings": found[1],
        "photos": "given" if args.photos else "made by benchmarks/compare/photos.py",
        "batch": bench.BATCH,
        "rounds": args.rounds,
        "block_s": args.block_s,
        "clock": args.clock,
        "contenders": runner.contenders,
        "cases": cases,
        "goals": report.goals(cases),
    }


def main() -> None:
    args = arguments()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended"))  # its processes end with it
    result = measure(args)
    if args.record:
        args.record.write_text(json.dumps(result, indent=1) + "\n")
    for warning in result["warnings"]:
        print(f"warning: {warning}", file=sys.stderr)
    print(page.markdown(result))
    for goal in result["goals"]:
        met = "met" if goal["met"] else "not met"
        print(f"{goal['what']}: {goal['ratio'][1]:.2f}, the goal is {goal['goal']}: {met}")


if __name__ == "__main__":
    main()
