# SPDX-License-Identifier: Apache-2.0
"""stoker.ImageLoader on untouched files with the index that `stoker data index` made."""

from __future__ import annotations

from collections.abc import Iterator

import ours
from torch import Tensor
from workloads import Photos

NAME = "stoker.ImageLoader, indexed"
PACKAGES = ()
SETS = ("jpeg",)


def prepare(photos: Photos) -> None:
    ours.command("index", photos.folder)


def make(photos: Photos, batch: int, threads: int, workload: str) -> Iterator[Tensor]:
    return ours.batches(photos.folder, batch, threads, workload)
