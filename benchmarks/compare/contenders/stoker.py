# SPDX-License-Identifier: Apache-2.0
"""stoker.ImageLoader on untouched files, without an index."""

from __future__ import annotations

from collections.abc import Iterator

from torch import Tensor
from workloads import MEAN, RESIZE, SIZE, STD, Photos, endless

import stoker
import stoker.transforms as T

NAME = "stoker.ImageLoader"
PACKAGES = ()
SETS = ("jpeg", "png", "webp")


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
        index=None,
    )
    return endless(loader)
