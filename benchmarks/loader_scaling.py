# SPDX-License-Identifier: Apache-2.0
"""How ImageLoader scales with cores, plain and with an index, beside Pillow in bare processes.

RandomResizedCrop(224), flip, normalise, batches of 64 in float32. Each round takes every number of
cores once, in an order that turns round. Efficiency is speed over cores, against one core.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import conditions

import stoker
import stoker.transforms as T

MEAN, STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
STOKER = os.environ.get("STOKER_EXECUTABLE", str(Path(sys.executable).parent / "stoker"))
STAGES = ("read", "decode", "transform", "write")


class Ours:
    def __init__(self, photos: Path, cores: list[int]) -> None:
        os.sched_setaffinity(0, cores)  # threads that start now keep to them
        chain = [
            T.RandomResizedCrop(224),
            T.RandomHorizontalFlip(),
            T.ToTensor(),
            T.Normalize(MEAN, STD),
        ]
        self.cores = cores
        self.loader = stoker.ImageLoader(photos, 64, chain, threads=len(cores))

    def block(self, seconds: float) -> float:
        os.sched_setaffinity(0, self.cores)
        count, begin = 0, time.perf_counter()
        while time.perf_counter() - begin < seconds:
            for images, _ in self.loader:
                count += len(images)
                if time.perf_counter() - begin >= seconds:
                    break
        return count / (time.perf_counter() - begin)

    def shares(self) -> dict[str, float]:
        """Where the threads' time went; where it grows with cores, there the loss is."""
        stats = self.loader.stats()
        return {f"{s}_us": 1e3 * stats[f"{s}_ms"] / max(1, stats["samples"]) for s in STAGES}


def pillow_process(photos: str, core: int, seconds: float, counts: Any) -> None:
    os.sched_setaffinity(0, [core])
    import torch
    from torchvision import transforms as V
    from torchvision.datasets import ImageFolder

    torch.set_num_threads(1)
    steps = [V.RandomResizedCrop(224), V.RandomHorizontalFlip(), V.ToTensor()]
    data = ImageFolder(photos, V.Compose([*steps, V.Normalize(MEAN, STD)]))
    data[0]
    count, begin = 0, time.perf_counter()
    while time.perf_counter() - begin < seconds:
        data[(count * 7 + core) % len(data)]
        count += 1
    counts.put(count / (time.perf_counter() - begin))


def pillow(photos: Path, cores: list[int], seconds: float) -> float:
    context = multiprocessing.get_context("spawn")
    counts = context.Queue()
    workers = [
        context.Process(target=pillow_process, args=(str(photos), core, seconds, counts))
        for core in cores
    ]
    for worker in workers:
        worker.start()
    total = sum(counts.get() for _ in workers)
    for worker in workers:
        worker.join()
    return float(total)


def measure(photos: Path, counts: list[int], rounds: int, seconds: float) -> dict[str, Any]:
    usable = sorted(os.sched_getaffinity(0))
    with tempfile.TemporaryDirectory() as temporary:
        indexed = Path(temporary) / "indexed"
        shutil.copytree(photos, indexed)
        subprocess.run([STOKER, "data", "index", indexed], check=True, capture_output=True)
        cases = {
            f"{name} {n}": Ours(folder, usable[:n])
            for n in counts
            for name, folder in (("plain", photos), ("indexed", indexed))
        }
        speeds: dict[str, list[float]] = {name: [] for name in cases}
        for number in range(rounds + 1):  # the first one warms up
            order = list(cases) if number % 2 == 0 else list(cases)[::-1]
            for name in order:
                speed = cases[name].block(seconds)
                if number > 0:
                    speeds[name].append(speed)
            print(f"round {number} of {rounds}", file=sys.stderr, flush=True)
        shares = {name: case.shares() for name, case in cases.items()}
    for n in counts:
        speeds[f"Pillow {n}"] = [pillow(photos, usable[:n], seconds)]
    rows = {}
    for name, values in speeds.items():
        kind, n = name.split()
        one = statistics.median(speeds[f"{kind} {counts[0]}"]) / counts[0]
        rows[name] = {
            "samples_per_s": statistics.median(values),
            "blocks": values,
            "efficiency": statistics.median(values) / int(n) / one,
            **shares.get(name, {}),
        }
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--photos", type=Path, required=True, help="a folder of classes")
    parser.add_argument("--cores", default="1,2,4,8,16")
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--seconds", type=float, default=2)
    parser.add_argument("--record", type=Path)
    args = parser.parse_args()
    usable = len(os.sched_getaffinity(0))
    counts = [n for n in map(int, args.cores.split(",")) if n <= usable]
    rows = measure(args.photos, counts, args.rounds, args.seconds)
    for name, row in rows.items():
        stages = "  ".join(f"{s} {row[f'{s}_us']:.0f}" for s in STAGES if f"{s}_us" in row)
        print(f"{name:12} {row['samples_per_s']:8,.0f}/s  {row['efficiency']:4.0%}  {stages}")
    if args.record:
        result = {
            "schema": "stoker.benchmark.loader_scaling/1",
            "machine": conditions.describe(),
            "cases": rows,
        }
        args.record.write_text(json.dumps(result, indent=2) + "\n")


if __name__ == "__main__":
    main()
