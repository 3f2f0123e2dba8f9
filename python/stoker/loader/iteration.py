# SPDX-License-Identifier: Apache-2.0
"""What `iter(loader)` gives, as a class, so that `stoker run` finds where a script waits."""

from __future__ import annotations

from collections.abc import Iterator

import torch

from .batches import Batch


class Iteration:
    """Images and labels of one epoch, in order."""

    def __init__(self, batches: Iterator[Batch], batch_size: int) -> None:
        self.batch_size = batch_size
        self._batches = batches

    def __iter__(self) -> Iteration:
        return self

    def __next__(self) -> tuple[torch.Tensor, torch.Tensor]:
        batch = next(self._batches)
        return batch.images, batch.labels
