# SPDX-License-Identifier: Apache-2.0
"""FFCV: a file of its own format with the photos as JPEG of the same quality, encoded anew."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from ffcv.fields import IntField, RGBImageField
from ffcv.fields.rgb_image import CenterCropRGBImageDecoder, RandomResizedCropRGBImageDecoder
from ffcv.loader import Loader, OrderOption
from ffcv.transforms import NormalizeImage, RandomHorizontalFlip, ToTensor, ToTorchImage
from ffcv.writer import DatasetWriter
from PIL import Image
from torch import Tensor
from workloads import MEAN, RESIZE, SIZE, STD, Photos, endless

NAME = "FFCV"
PACKAGES = ("ffcv",)
SETS = ("jpeg",)
EPOCH = 12_000


class Images:
    def __init__(self, photos: Photos) -> None:
        self.files = photos.distinct()

    def __len__(self) -> int:
        return len(self.files)

    def __getitem__(self, i: int) -> tuple[Any, int]:
        return np.asarray(Image.open(self.files[i]).convert("RGB")), 0


def prepare(photos: Photos) -> None:
    out = photos.made / "photos.beton"
    if out.exists():
        return
    part = out.with_suffix(".part")
    image = RGBImageField(write_mode="jpg", max_resolution=None, jpeg_quality=96)
    writer = DatasetWriter(str(part), {"image": image, "label": IntField()}, num_workers=1)
    writer.from_indexed_dataset(Images(photos))
    part.rename(out)


def make(photos: Photos, batch: int, threads: int, workload: str) -> Iterator[Tensor]:
    train = workload == "train"
    scale = np.array(STD) * 255
    steps: list[Any] = [
        RandomResizedCropRGBImageDecoder((SIZE, SIZE))
        if train
        else CenterCropRGBImageDecoder((SIZE, SIZE), ratio=SIZE / RESIZE)
    ]
    if train:
        steps.append(RandomHorizontalFlip())
    steps.append(NormalizeImage(np.array(MEAN) * 255, scale, np.float32))
    steps += [ToTensor(), ToTorchImage(channels_last=False)]
    samples = np.arange(len(photos.distinct()))
    epoch = np.tile(samples, -(-EPOCH // len(samples)))
    loader = Loader(
        str(photos.made / "photos.beton"),
        batch_size=batch,
        num_workers=threads,
        os_cache=True,
        order=OrderOption.RANDOM if train else OrderOption.SEQUENTIAL,
        indices=epoch,
        pipelines={"image": steps, "label": None},
        drop_last=True,
    )
    return endless(loader)
