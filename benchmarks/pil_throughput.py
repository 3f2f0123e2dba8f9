# SPDX-License-Identifier: Apache-2.0
"""How fast a Dataset gives samples with stoker.pil off and on, on one core.

RandomResizedCrop(224), flip, ToTensor, Normalize over JPEG files, inside ImageFolder. Blocks in
A-B-B-A order in one process; both blocks of a pair draw the same random numbers, so that they do
the same work. The samples of the first blocks are compared, tensor by tensor.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import conditions
import numpy as np
import paired
import torch
from PIL import Image
from torch import Tensor
from torchvision import transforms
from torchvision.datasets import ImageFolder
from torchvision.transforms import functional as F

import stoker.pil

GOAL = 1.5
MEAN, STD = [0.485, 0.456, 0.406], [0.229, 0.224, 0.225]
CHECKOUT = Path(__file__).resolve().parent.parent
STOKER = os.environ.get("STOKER_EXECUTABLE", str(CHECKOUT / ".venv/bin/stoker"))
CLOCKS: dict[str, Callable[[], float]] = {"wall": time.perf_counter, "cpu": time.process_time}
SYNTH = Path(__file__).resolve().parent.parent / "build/bench-photos"


class Bench:
    """A data set, with blocks of samples to draw from it."""

    def __init__(self, photos: Path, images_per_block: int, clock: Callable[[], float]) -> None:
        self.clock = clock
        self.crop = transforms.RandomResizedCrop(224)
        self.normalize = transforms.Normalize(MEAN, STD)
        self.flip = transforms.RandomHorizontalFlip()
        steps = [self.crop, self.flip, transforms.ToTensor(), self.normalize]
        self.data = ImageFolder(str(photos), transforms.Compose(steps))
        self.order = np.random.default_rng(0).permutation(len(self.data))
        self.size = images_per_block

    def block(self, number: int) -> list[int]:
        return [int(i) for i in np.resize(np.roll(self.order, -number * self.size), self.size)]

    def samples(self, number: int) -> list[Tensor]:
        torch.manual_seed(number)
        return [self.data[i][0] for i in self.block(number)]

    def seconds(self, number: int) -> float:
        torch.manual_seed(number)
        indices = self.block(number)
        start = self.clock()
        for i in indices:
            self.data[i]
        return self.clock() - start

    def parts(self, number: int) -> dict[str, float]:
        """Microseconds an image for each part of the chain, timed from outside."""
        torch.manual_seed(number)
        totals: dict[str, float] = {}

        def timed(part: str, call: Callable[..., Any], *arguments: Any) -> Any:
            start = self.clock()
            result = call(*arguments)
            totals[part] = totals.get(part, 0.0) + self.clock() - start
            return result

        indices = self.block(number)
        for i in indices:
            with timed("file", open, self.data.samples[i][0], "rb") as file:
                image = timed("Image.open", Image.open, file)
                image = timed("convert", image.convert, "RGB")
            box = timed("get_params", self.crop.get_params, image, self.crop.scale, self.crop.ratio)
            image = timed("crop, resize", F.resized_crop, image, *box, [224, 224])
            image = timed("flip", self.flip, image)
            tensor = timed("ToTensor", F.to_tensor, image)
            timed("Normalize", self.normalize, tensor)
        return {part: seconds / len(indices) * 1e6 for part, seconds in totals.items()}


def with_stoker(on: bool) -> None:
    (stoker.pil.install if on else stoker.pil.uninstall)()


def compare(bench: Bench) -> int:
    """How many samples differ between off and on; the first images also warm up both ways."""
    with_stoker(False)
    expected = bench.samples(0)
    with_stoker(True)
    return sum(not torch.equal(a, b) for a, b in zip(expected, bench.samples(0), strict=True))


def measure(photos: Path, pairs: int, images: int, clock: str) -> dict[str, Any]:
    bench = Bench(photos, images, CLOCKS[clock])
    differing = compare(bench)
    seconds: dict[str, list[float]] = {"A": [], "B": []}
    for number, side in enumerate(paired.abba(pairs)):
        with_stoker(side == "B")
        seconds[side].append(bench.seconds(number // 2))
    parts: dict[str, list[dict[str, float]]] = {"A": [], "B": []}
    for number, side in enumerate(paired.abba(4)):
        with_stoker(side == "B")
        parts[side].append(bench.parts(number // 2))
    stats = stoker.pil.stats()
    with_stoker(False)
    return {
        "schema": "stoker.pil_throughput/1",
        "conditions": conditions.describe(),
        "warnings": conditions.warnings(),
        "clock": clock,
        "photos": len(bench.data),
        "blocks": 2 * pairs,
        "images_per_block": images,
        "samples_per_s": {s: images / float(np.median(seconds[s])) for s in "AB"},
        "ratio": list(paired.ratio(seconds["A"], seconds["B"])),
        "parts_us": {s: _median_parts(parts[s]) for s in "AB"},
        "samples_compared": images,
        "samples_differ": differing,
        "pil": stats,
        "goal": GOAL,
    }


def _median_parts(blocks: list[dict[str, float]]) -> dict[str, float]:
    return {part: float(np.median([block[part] for block in blocks])) for part in blocks[0]}


def show(result: dict[str, Any]) -> None:
    off, on = result["samples_per_s"]["A"], result["samples_per_s"]["B"]
    low, estimate, high = result["ratio"]
    for warning in result["warnings"]:
        print(f"warning: {warning}", file=sys.stderr)
    print(f"{result['photos']} photos, one core, {result['blocks']} blocks in A-B-B-A order")
    print(f"  Pillow + torchvision   {off:7.0f} samples/s  {1e6 / off:6.0f} us")
    print(f"  with stoker.pil        {on:7.0f} samples/s  {1e6 / on:6.0f} us")
    print(f"  ratio {estimate:.2f} (95 % interval {low:.2f} to {high:.2f}); the goal is {GOAL}")
    print(f"  {result['samples_compared']} samples compared, {result['samples_differ']} differ")
    print("  where the time goes, us an image (timed one by one)      off      on")
    parts = result["parts_us"]
    for part, off_us in parts["A"].items():
        print(f"    {part:50s} {off_us:8.1f} {parts['B'].get(part, 0.0):7.1f}")
    print(f"    {'all':50s} {sum(parts['A'].values()):8.1f} {sum(parts['B'].values()):7.1f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--photos", type=Path, help="ImageFolder tree of JPEGs (default: made)")
    parser.add_argument("--pairs", type=int, default=8, help="pairs of blocks, off and on")
    parser.add_argument("--images", type=int, default=150, help="images in a block")
    parser.add_argument("--core", type=int, default=max(os.sched_getaffinity(0)))
    parser.add_argument(
        "--clock", choices=CLOCKS, default="wall", help="cpu: for a machine with other work on it"
    )
    parser.add_argument("--record", type=Path, help="write the result to this JSON file")
    args = parser.parse_args()

    photos = args.photos
    if photos is None:
        photos = SYNTH
        if not photos.exists():
            size = ["--images", "600", "--classes", "10", "--size", "500x375", "--seed", "1"]
            subprocess.run([STOKER, "data", "synth", str(photos), *size], check=True)
    os.sched_setaffinity(0, {args.core})
    torch.set_num_threads(1)
    result = measure(photos, args.pairs, args.images, args.clock)
    show(result)
    if args.record:
        args.record.write_text(json.dumps(result, indent=1) + "\n")
    sys.exit(0 if result["samples_differ"] == 0 and result["ratio"][1] >= GOAL else 1)


if __name__ == "__main__":
    main()
