# SPDX-License-Identifier: Apache-2.0
"""The reference: ImageFolder with Pillow, torchvision's transforms, torch's DataLoader. Nothing but
the loop on one core, a worker process a core on more."""

from __future__ import annotations

from collections.abc import Iterator

from torch import Tensor
from torch.utils.data import DataLoader
from torchvision.datasets import ImageFolder
from workloads import Photos, endless, torchvision_transform

NAME = "Pillow + torchvision"
PACKAGES = ("pillow", "torchvision")
SETS = ("jpeg", "progressive", "png", "webp")


def make(photos: Photos, batch: int, threads: int, workload: str) -> Iterator[Tensor]:
    data = ImageFolder(str(photos.folder), torchvision_transform(workload))
    workers = 0 if threads == 1 else threads
    loader = DataLoader(
        data,
        batch,
        shuffle=workload == "train",
        num_workers=workers,
        drop_last=True,
        persistent_workers=workers > 0,
    )
    return endless(loader)
