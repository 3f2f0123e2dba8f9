# SPDX-License-Identifier: Apache-2.0
"""torchvision.io decodes, the v2 transforms work on uint8 tensors; torch's DataLoader as for the
reference."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor
from torch.utils.data import DataLoader
from torchvision.datasets import ImageFolder
from torchvision.io import ImageReadMode, decode_image, read_file
from torchvision.transforms import v2
from workloads import MEAN, RESIZE, SIZE, STD, Photos, endless

NAME = "torchvision.io + v2"
PACKAGES = ("torchvision",)
SETS = ("jpeg", "png", "webp")


def decoded(path: str) -> Tensor:
    return decode_image(read_file(path), ImageReadMode.RGB)


def transform(workload: str) -> Any:
    if workload == "train":
        first = [v2.RandomResizedCrop(SIZE, antialias=True), v2.RandomHorizontalFlip()]
    else:
        first = [v2.Resize(RESIZE, antialias=True), v2.CenterCrop(SIZE)]
    return v2.Compose([*first, v2.ToDtype(torch.float32, scale=True), v2.Normalize(MEAN, STD)])


def make(photos: Photos, batch: int, threads: int, workload: str) -> Iterator[Tensor]:
    data = ImageFolder(str(photos.folder), transform(workload), loader=decoded)
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
