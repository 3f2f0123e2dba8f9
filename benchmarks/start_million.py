# SPDX-License-Identifier: Apache-2.0
"""How soon does a loader over a million files give its first batch, and what memory does it take?

Makes a tree of hard links to a few JPEGs (1,000 classes of 1,000 files), opens it once, so that its
list is kept, and then in fresh processes.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import conditions

OPEN = """
import json, sys, time
from pathlib import Path
import torch, stoker, stoker.transforms as T
from stoker.loader import ImageLoader

def resident():
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096

chain = [T.RandomResizedCrop(224), T.RandomHorizontalFlip(), T.ToTensor()]
before, begin = resident(), time.perf_counter()
loader = ImageLoader(sys.argv[1], 64, chain, seed=1)
made, opened = resident(), time.perf_counter()
next(iter(loader))
print(json.dumps({"open_ms": (opened - begin) * 1e3, "first_batch_ms": (time.perf_counter() - begin)
    * 1e3, "samples": loader._source.count(), "source_bytes": made - before}))
"""


def link(root: Path, photos: list[Path], classes: int, files: int) -> None:
    for number in range(classes):
        place = root / f"n{number:08}"
        place.mkdir()
        for file in range(files):
            # A file takes 65,000 links, so each of the copies gets a part of them.
            os.link(photos[(number * files + file) % len(photos)], place / f"{number}_{file}.JPEG")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--classes", type=int, default=1000)
    parser.add_argument("--files", type=int, default=1000, help="of each class")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--record", type=Path)
    args = parser.parse_args()
    stoker = os.environ.get("STOKER_EXECUTABLE", str(Path(sys.executable).parent / "stoker"))
    with tempfile.TemporaryDirectory() as temporary:
        top = Path(temporary)
        command = [stoker, "data", "synth", top / "photos", "--images", "40", "--classes", "1"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        root = top / "million"
        root.mkdir()
        link(root, sorted((top / "photos").rglob("*.jpg")), args.classes, args.files)
        time.sleep(3)  # a list is kept only of folders that are not brand-new
        env = {**os.environ, "STOKER_CACHE": str(top / "cache")}
        runs: list[dict[str, Any]] = []
        for _ in range(args.runs + 1):
            done = subprocess.run(
                [sys.executable, "-c", OPEN, root], check=True, capture_output=True, env=env
            )
            runs.append(json.loads(done.stdout))
            print(json.dumps(runs[-1]), flush=True)
    cached = runs[1:]
    result = {
        "schema": "stoker.benchmark.start_million/1",
        "machine": conditions.describe(),
        "first": runs[0],
        "cached": {key: statistics.median(run[key] for run in cached) for key in cached[0]},
        "runs": cached,
    }
    print(json.dumps(result["cached"]))
    if args.record:
        args.record.write_text(json.dumps(result, indent=2) + "\n")


if __name__ == "__main__":
    main()
