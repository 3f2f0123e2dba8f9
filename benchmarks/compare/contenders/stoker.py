# SPDX-License-Identifier: Apache-2.0
"""stoker.ImageLoader on untouched files, without an index."""

from __future__ import annotations

from collections.abc import Iterator

import ours
from torch import Tensor
from workloads import Photos

NAME = "stoker.ImageLoader"
PACKAGES = ()
SETS = ("jpeg", "progressive", "png", "webp")


def make(photos: Photos, batch: int, threads: int, workload: str) -> Iterator[Tensor]:
    return ours.batches(photos.folder, batch, threads, workload, index=None)
