# SPDX-License-Identifier: Apache-2.0
"""SPDL: FFmpeg decodes, crops and scales in one filter graph an image, in threads; the batch is
normalised by torch."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from typing import Any

import spdl.io
import torch
from spdl.pipeline import PipelineBuilder
from torch import Tensor
from torchvision.transforms import RandomResizedCrop
from workloads import MEAN, RESIZE, SIZE, STD, Photos

NAME = "SPDL"
PACKAGES = ("spdl",)
SETS = ("jpeg",)

SCALE = torch.tensor([255 * value for value in STD]).reciprocal().view(1, 3, 1, 1)
SHIFT = -(torch.tensor(MEAN) / torch.tensor(STD)).view(1, 3, 1, 1)


def random_filter(width: int, height: int) -> str:
    shape = torch.empty(1, 1, 1).expand(3, height, width)  # only its size counts
    y, x, h, w = RandomResizedCrop.get_params(shape, [0.08, 1.0], [3 / 4, 4 / 3])
    flip = ",hflip" if random.random() < 0.5 else ""
    scale = f"scale=w={SIZE}:h={SIZE}:flags=bilinear"
    return f"crop=w={w}:h={h}:x={x}:y={y}:exact=1,{scale}{flip},format=pix_fmts=rgb24"


def center_filter(width: int, height: int) -> str:
    short = min(width, height)
    w, h = int(RESIZE * width / short), int(RESIZE * height / short)
    x, y = round((w - SIZE) / 2), round((h - SIZE) / 2)
    crop = f"crop=w={SIZE}:h={SIZE}:x={x}:y={y}:exact=1"
    return f"scale=w={w}:h={h}:flags=bilinear,format=pix_fmts=rgb24,{crop}"


def make(photos: Photos, batch: int, threads: int, workload: str) -> Iterator[Tensor]:
    files = [str(path) for path in photos.files()]
    describe = random_filter if workload == "train" else center_filter

    def names() -> Iterator[str]:
        for _ in itertools.count():
            yield from random.sample(files, len(files)) if workload == "train" else files

    def decode(path: str) -> Any:
        packets = spdl.io.demux_image(path)
        return spdl.io.decode_packets(packets, describe(packets.width, packets.height))

    def normalised(frames: list[Any]) -> Tensor:
        images = spdl.io.to_torch(spdl.io.convert_frames(frames)).permute(0, 3, 1, 2)
        out = torch.empty(images.shape, dtype=torch.float32)
        return out.copy_(images).mul_(SCALE).add_(SHIFT)

    order = "completion" if workload == "train" else "input"
    pipeline = (
        PipelineBuilder()
        .add_source(names())
        .pipe(decode, concurrency=threads, output_order=order)
        .aggregate(batch)
        .pipe(normalised)
        .add_sink(2)
        .build(num_threads=threads, max_failures=0)
    )
    with pipeline.auto_stop():
        yield from pipeline.get_iterator()
