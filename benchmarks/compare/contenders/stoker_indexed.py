# SPDX-License-Identifier: Apache-2.0
"""stoker.ImageLoader on untouched files with the index that `stoker data index` made."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

from torch import Tensor
from workloads import MEAN, RESIZE, SIZE, STD, Photos, Unavailable, endless

import stoker
import stoker.transforms as T

NAME = "stoker.ImageLoader, indexed"
PACKAGES = ()
SETS = ("jpeg",)
COMMAND = os.environ.get(
    "STOKER_EXECUTABLE", str(Path(stoker.__file__).parents[2] / ".venv/bin/stoker")
)


def prepare(photos: Photos) -> None:
    command = [COMMAND, "data", "index", str(photos.folder)]
    made = subprocess.run(command, capture_output=True, text=True)
    if made.returncode != 0:
        raise Unavailable(f"stoker data index: {made.stderr.strip().splitlines()[0]}")


def make(photos: Photos, batch: int, threads: int, workload: str) -> Iterator[Tensor]:
    if workload == "train":
        first = [T.RandomResizedCrop(SIZE), T.RandomHorizontalFlip()]
    else:
        first = [T.Resize(RESIZE), T.CenterCrop(SIZE)]
    loader = stoker.ImageLoader(
        photos.folder,
        batch,
        [*first, T.ToTensor(), T.Normalize(MEAN, STD)],
        shuffle=workload == "train",
        drop_last=True,
        threads=threads,
    )
    return endless(loader)
