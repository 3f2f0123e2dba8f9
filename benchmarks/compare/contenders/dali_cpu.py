# SPDX-License-Identifier: Apache-2.0
"""A DALI pipeline on the CPU: it decodes the crop alone and hands tensors over without a copy."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from nvidia.dali import fn, pipeline_def, types
from nvidia.dali.plugin.pytorch import DALIGenericIterator
from torch import Tensor
from workloads import MEAN, RESIZE, SIZE, STD, Photos

NAME = "NVIDIA DALI, CPU"
PACKAGES = ("nvidia-dali-cuda130",)
SETS = ("jpeg",)


@pipeline_def(enable_conditionals=False)
def pipeline(folder: str, train: bool) -> Any:
    files, _ = fn.readers.file(file_root=folder, random_shuffle=train, initial_fill=2048)
    if train:
        images = fn.decoders.image_random_crop(
            files,
            device="cpu",
            output_type=types.RGB,
            random_area=[0.08, 1.0],
            random_aspect_ratio=[3 / 4, 4 / 3],
        )
        images = fn.resize(images, size=[SIZE, SIZE], interp_type=types.INTERP_LINEAR)
        mirror = fn.random.coin_flip()
    else:
        images = fn.decoders.image(files, device="cpu", output_type=types.RGB)
        images = fn.resize(images, resize_shorter=RESIZE, interp_type=types.INTERP_LINEAR)
        mirror = 0
    return fn.crop_mirror_normalize(
        images,
        crop=(SIZE, SIZE),
        rounding="truncate",  # where torchvision's crop begins, for these sizes
        mirror=mirror,
        dtype=types.FLOAT,
        output_layout="CHW",
        mean=[255 * value for value in MEAN],
        std=[255 * value for value in STD],
    )


def make(photos: Photos, batch: int, threads: int, workload: str) -> Iterator[Tensor]:
    made = pipeline(
        str(photos.folder),
        workload == "train",
        batch_size=batch,
        num_threads=threads,
        device_id=None,
        exec_dynamic=True,
        seed=0,
    )
    for (outputs,) in DALIGenericIterator(made, ["images"]):
        yield outputs["images"]
