# SPDX-License-Identifier: Apache-2.0
"""Grain: Pillow and torchvision in a reading thread, or in a worker process a core."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import grain
import numpy as np
import torch
from PIL import Image
from torch import Tensor
from workloads import Photos, torchvision_transform

NAME = "Grain"
PACKAGES = ("grain",)
SETS = ("jpeg",)


def make(photos: Photos, batch: int, threads: int, workload: str) -> Iterator[Tensor]:
    transform = torchvision_transform(workload)

    def load(path: str) -> Any:
        with Image.open(path) as image:
            return transform(image.convert("RGB")).numpy()

    data = grain.MapDataset.source([str(path) for path in photos.files()])
    if workload == "train":
        data = data.shuffle(seed=0)
    read = grain.ReadOptions(num_threads=1, prefetch_buffer_size=batch)
    stream = data.repeat().map(load).to_iter_dataset(read).batch(batch, drop_remainder=True)
    if threads > 1:  # its threads share one GIL: measured, these are faster
        stream = stream.mp_prefetch(grain.MultiprocessingOptions(num_workers=threads))
    for images in stream:
        yield torch.from_numpy(np.asarray(images))
