# SPDX-License-Identifier: Apache-2.0
"""The baseline of `stoker data bench`: the same samples by Pillow and torchvision.

usage: bench_baseline.py FOLDER TRANSFORMS WORKERS

TRANSFORMS is a JSON array of [name, {parameter: text}].

Answers in lines of JSON on stdout: first {"name"} or {"error"}, then {"samples", "seconds"} for
each line on stdin, which says how many seconds to measure. Runs as a program of its own, so that
nothing of stoker is loaded beside what it measures.
"""

from __future__ import annotations

import ast
import json
import multiprocessing
import random
import sys
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

SUFFIXES = (".jpg", ".jpeg", ".png", ".ppm", ".bmp", ".pgm", ".tif", ".tiff", ".webp")

# Set before the workers are forked, and theirs from then on.
files: list[str] = []
transform: Callable[[Any], Any]


def value_of(name: str, text: str) -> Any:
    """A parameter as torchvision wants it: "224,160" is a tuple."""
    from torchvision.transforms import InterpolationMode

    if name == "interpolation":
        return InterpolationMode(text)
    if text in ("true", "false"):
        return text == "true"
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def make_transform(name: str, texts: dict[str, str]) -> Any:
    from torchvision import transforms

    if not hasattr(transforms, name):
        raise LookupError(f"torchvision.transforms has no {name}")
    return getattr(transforms, name)(**{key: value_of(key, texts[key]) for key in texts})


def prepare(folder: str, specs: list[tuple[str, dict[str, str]]]) -> str:
    """Loads the libraries; returns their names and versions."""
    global transform
    import PIL
    import torch
    import torchvision
    from torchvision import transforms

    torch.set_num_threads(1)
    found = (p for p in Path(folder).rglob("*") if p.suffix.lower() in SUFFIXES)
    files.extend(sorted(str(path) for path in found))
    if not files:
        raise LookupError("it reads folders of image files alone")
    transform = transforms.Compose([make_transform(name, texts) for name, texts in specs])
    return f"Pillow {PIL.__version__} + torchvision {torchvision.__version__}"


def measure(seconds: float, seed: int) -> int:
    """Samples that one process makes in `seconds`."""
    from PIL import Image

    choose = random.Random(seed)
    end = time.monotonic() + seconds
    samples = 0
    while time.monotonic() < end:
        with open(choose.choice(files), "rb") as file:
            try:
                transform(Image.open(file).convert("RGB"))
            except OSError:  # a broken file is no sample, on the other side neither
                continue
        samples += 1
    return samples


def answer(**values: object) -> None:
    print(json.dumps(values), flush=True)


def serve(workers: int) -> None:
    context = multiprocessing.get_context("fork")
    with ProcessPoolExecutor(workers, mp_context=context) as pool:
        for block, line in enumerate(sys.stdin):
            begin = time.monotonic()
            seeds = range(block * workers, (block + 1) * workers)
            samples = sum(pool.map(measure, [float(line)] * workers, seeds))
            answer(samples=samples, seconds=time.monotonic() - begin)


def main() -> None:
    # This folder is first on the path, and the names in it must not stand for other packages.
    del sys.path[0]
    folder, specs, workers = sys.argv[1], json.loads(sys.argv[2]), int(sys.argv[3])
    try:
        name = prepare(folder, specs)
    except Exception as error:
        answer(error=f"{type(error).__name__}: {error}")
        return
    answer(name=name)
    serve(workers)


if __name__ == "__main__":
    main()
