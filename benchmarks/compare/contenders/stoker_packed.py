# SPDX-License-Identifier: Apache-2.0
"""stoker.ImageLoader on what `stoker data pack` made: tar shards with an index, in which
progressive JPEGs are baseline ones with the same coefficients."""

from __future__ import annotations

from collections.abc import Iterator

import ours
from torch import Tensor
from workloads import Photos

NAME = "stoker.ImageLoader, packed"
PACKAGES = ()
SETS = ("progressive",)


def prepare(photos: Photos) -> None:
    ours.command("pack", photos.folder, photos.made / "packed")


def make(photos: Photos, batch: int, threads: int, workload: str) -> Iterator[Tensor]:
    return ours.batches(photos.made / "packed", batch, threads, workload)
