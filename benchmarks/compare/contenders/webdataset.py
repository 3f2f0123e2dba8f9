# SPDX-License-Identifier: Apache-2.0
"""WebDataset: tar shards, Pillow and torchvision in the workers of torch's DataLoader."""

from __future__ import annotations

import tarfile
from collections.abc import Iterator

import webdataset
from torch import Tensor
from torch.utils.data import DataLoader
from workloads import Photos, torchvision_transform

NAME = "WebDataset"
PACKAGES = ("webdataset",)
SETS = ("jpeg",)
SHARDS = 4


def prepare(photos: Photos) -> None:
    if (photos.made / "shards").exists():
        return
    files = photos.distinct()
    part = photos.made / "shards.part"
    part.mkdir(exist_ok=True)
    for shard in range(SHARDS):
        with tarfile.open(part / f"{shard:04d}.tar", "w", format=tarfile.USTAR_FORMAT) as tar:
            for path in files[shard * len(files) // SHARDS : (shard + 1) * len(files) // SHARDS]:
                tar.add(path, f"{path.parent.name}_{path.stem}.jpg", recursive=False)
    part.rename(photos.made / "shards")


def make(photos: Photos, batch: int, threads: int, workload: str) -> Iterator[Tensor]:
    shards = [str(path) for path in sorted((photos.made / "shards").glob("*.tar"))]
    train = workload == "train"
    data = webdataset.WebDataset(
        shards,
        resampled=train,
        shardshuffle=False,
        nodesplitter=None,
        workersplitter=webdataset.split_by_worker,
        empty_check=False,
    )
    data = data.shuffle(1000) if train else data.repeat()
    transform = torchvision_transform(workload)
    data = data.decode("pil").to_tuple("jpg").map_tuple(transform).batched(batch, partial=False)
    workers = 0 if threads == 1 else threads
    for (images,) in DataLoader(data, batch_size=None, num_workers=workers):
        yield images
