# SPDX-License-Identifier: Apache-2.0
"""ResNet-50 on a GPU from a folder of JPEGs, alone and under `stoker run`, in interleaved pairs.

Needs a GPU, and stoker installed. Prints a table; `--record FILE` writes JSON.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import conditions
import paired
import torch

KEPT = ("steps", "phases", "exposed_stall_share", "overhead_us_per_step", "loader", "verdict")
SCRIPT = conditions.ROOT / "examples/resnet50_gpu.py"


def train(arguments: list[str], under_stoker: bool) -> tuple[float, dict[str, Any], str]:
    """(images a second, run.json, what stoker said)."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "run")
        command = [sys.executable, str(SCRIPT), *arguments]
        if under_stoker:
            command = [
                os.environ.get("STOKER_EXECUTABLE", "stoker"),
                "run",
                "--out",
                str(out),
                "--",
                *command,
            ]
        done = subprocess.run(command, capture_output=True, text=True)
        rate = re.search(r"(\d+) images/s", done.stdout)
        if done.returncode != 0 or rate is None:
            raise SystemExit(f"failed ({done.returncode}):\n{done.stdout}{done.stderr}")
        report = json.loads((out / "run.json").read_text()) if under_stoker else {}
        return float(rate[1]), report, done.stderr


def enlarge(photos: Path, folder: Path, copies: int) -> None:
    """Hard links, so that an epoch is long enough."""
    for file in sorted(photos.glob("*/*.jpg")):
        (folder / file.parent.name).mkdir(exist_ok=True)
        for copy in range(copies):
            os.link(file, folder / file.parent.name / f"{file.stem}-{copy}.jpg")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--photos", type=Path, required=True, help="ImageFolder tree of JPEGs")
    parser.add_argument("--copies", type=int, default=12)
    parser.add_argument("--pairs", type=int, default=3)
    parser.add_argument("--workers", type=int, nargs="+", default=[4, 15])
    parser.add_argument("--record", type=Path, help="write the result to this JSON file")
    args = parser.parse_args()
    assert shutil.which(os.environ.get("STOKER_EXECUTABLE", "stoker")), "stoker is not installed"

    found: dict[str, Any] = {"gpu": torch.cuda.get_device_name(), **conditions.describe()}
    with tempfile.TemporaryDirectory(dir=args.photos.parent) as folder:
        enlarge(args.photos, Path(folder), args.copies)
        for workers in args.workers:
            arguments = ["--data", folder, "--workers", str(workers)]
            rates: dict[str, list[float]] = {"A": [], "B": []}
            said = ""
            report: dict[str, Any] = {}
            for side in paired.abba(args.pairs):
                rate, run, stderr = train(arguments, side == "B")
                rates[side].append(rate)
                how = "under stoker" if side == "B" else "alone"
                print(f"  {workers} workers, {how}: {rate:.0f} images/s", flush=True)
                said, report = (stderr, run) if run else (said, report)
            gain = paired.ratio(rates["B"], rates["A"])
            print(said)
            print(
                f"{workers} workers: {gain.estimate:.2f}x ({gain.low:.2f} to {gain.high:.2f})",
                flush=True,
            )
            kept = {name: report[name] for name in KEPT}
            found[f"workers_{workers}"] = {"images_per_s": rates, "gain": list(gain), "run": kept}
    if args.record:
        args.record.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
