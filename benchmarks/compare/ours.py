# SPDX-License-Identifier: Apache-2.0
"""stoker.ImageLoader for the workloads, and the command `stoker` to prepare photos with."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

from torch import Tensor
from workloads import MEAN, RESIZE, SIZE, STD, Unavailable, endless

import stoker
import stoker.transforms as T

CHECKOUT = Path(__file__).resolve().parent.parent.parent
COMMAND = os.environ.get("STOKER_EXECUTABLE", str(CHECKOUT / ".venv/bin/stoker"))


def batches(
    source: Path, batch: int, threads: int, workload: str, index: str | None = "auto"
) -> Iterator[Tensor]:
    """Images of one epoch after the other."""
    first = [T.Resize(RESIZE), T.CenterCrop(SIZE)]
    if workload == "train":
        first = [T.RandomResizedCrop(SIZE), T.RandomHorizontalFlip()]
    loader = stoker.ImageLoader(
        source,
        batch,
        [*first, T.ToTensor(), T.Normalize(MEAN, STD)],
        shuffle=workload == "train",
        drop_last=True,
        threads=threads,
        index=index,
    )
    return endless(loader)


def command(*words: str | Path) -> None:
    """Runs `stoker data`; raises Unavailable with what it said when it fails."""
    done = subprocess.run([COMMAND, "data", *words], capture_output=True, text=True)
    if done.returncode != 0:
        said = done.stderr.strip().splitlines()[:1] or ["it ended without a word"]
        raise Unavailable(f"stoker data {words[0]}: {said[0]}")
