# SPDX-License-Identifier: Apache-2.0
"""What every contender makes: float32 NCHW batches, as Pillow + torchvision make them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from torch import Tensor
from torchvision import transforms

FIRST_COPY = "00_"
SIZE = 224
RESIZE = 256
MEAN, STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
WORKLOADS = {
    "train": "RandomResizedCrop(224), RandomHorizontalFlip, normalise; shuffled",
    "eval": "Resize(256), CenterCrop(224), normalise; in order",
}


class Photos(NamedTuple):
    """One set of photos, and a folder for what a contender makes of it."""

    folder: Path  # one folder a class
    made: Path

    def files(self) -> list[Path]:
        """All files in the order of ImageFolder."""
        return sorted(path for path in self.folder.glob("[!.]*/*") if path.is_file())

    def distinct(self) -> list[Path]:
        """One file for each photo, of the several links to it."""
        return [path for path in self.files() if path.name.startswith(FIRST_COPY)]


class Unavailable(Exception):
    """Raised by a contender that cannot run here; the text says why."""


def torchvision_transform(workload: str) -> Any:
    """The reference, for contenders that call torchvision on Pillow images."""
    if workload == "train":
        first = [transforms.RandomResizedCrop(SIZE), transforms.RandomHorizontalFlip()]
    else:
        first = [transforms.Resize(RESIZE), transforms.CenterCrop(SIZE)]
    return transforms.Compose([*first, transforms.ToTensor(), transforms.Normalize(MEAN, STD)])


def endless(loader: Any) -> Iterator[Tensor]:
    """The images of a loader of (images, labels), epoch after epoch."""
    while True:
        for images, *_ in loader:
            yield images
