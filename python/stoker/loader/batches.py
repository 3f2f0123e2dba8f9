# SPDX-License-Identifier: Apache-2.0
"""Memory of batches: torch's own tensors, lent to the engine until they are full."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
import torch.utils.dlpack

from .. import _core

DTYPES = {
    "float32": torch.float32,
    "float16": torch.float16,
    "bfloat16": torch.bfloat16,
    "uint8": torch.uint8,
}


# DLPack's code and bits of each type.
DLPACK = {"float32": (2, 32), "float16": (2, 16), "bfloat16": (4, 16), "uint8": (1, 8)}


@dataclass
class Batch:
    images: torch.Tensor  # [rows, 3, height, width]
    labels: torch.Tensor  # [rows], int64
    samples: torch.Tensor  # [rows], int64: their numbers in the source

    def without(self, rows: set[int]) -> Batch:
        if not rows:
            return self
        keep = torch.tensor([row for row in range(len(self.labels)) if row not in rows])
        return Batch(self.images[keep], self.labels[keep], self.samples[keep])


class Allocator:
    """Page-locked memory where there is a GPU, so that copies to it need not wait; else memory that
    comes back from tensors nobody has any more, since fresh memory costs a page fault for 4 kB."""

    def __init__(self, size: tuple[int, int], dtype: str, layout: str, free: int) -> None:
        self.size = size
        self.dtype = DTYPES[dtype]
        self.kind = DLPACK[dtype]
        self.nhwc = layout == "nhwc"
        self.memory = None if torch.cuda.is_available() else _core.BatchMemory(free)

    def batch(self, rows: int) -> Batch:
        pinned = self.memory is None
        labels = torch.empty(rows, dtype=torch.int64, pin_memory=pinned)
        return Batch(self._images(rows), labels, torch.empty(rows, dtype=torch.int64))

    def _images(self, rows: int) -> torch.Tensor:
        shape = [rows, 3, *self.size]
        height, width = self.size
        if self.memory is None:
            layout = torch.channels_last if self.nhwc else torch.contiguous_format
            return torch.empty(shape, dtype=self.dtype, memory_format=layout, pin_memory=True)
        plane = height * width
        strides = [3 * plane, 1, 3 * width, 3] if self.nhwc else [3 * plane, plane, width, 1]
        return torch.utils.dlpack.from_dlpack(self.memory.tensor(shape, strides, *self.kind))


class ToDevice:
    """Copies batches on a stream of its own, one batch ahead of the consumer."""

    def __init__(self, device: torch.device) -> None:
        self.device = device
        self.stream: Any = None
        if device.type == "cuda":
            self.stream = torch.cuda.Stream(device)  # type: ignore[no-untyped-call]

    def start(self, batch: Batch) -> tuple[Batch, Any]:
        """Begins to copy; the second value is for hand_out()."""
        if self.stream is None:
            images, labels = batch.images.to(self.device), batch.labels.to(self.device)
            return Batch(images, labels, batch.samples), None
        with torch.cuda.stream(self.stream):
            images = batch.images.to(self.device, non_blocking=True)
            labels = batch.labels.to(self.device, non_blocking=True)
            done = self.stream.record_event()
        return Batch(images, labels, batch.samples), done

    def hand_out(self, batch: Batch, done: Any) -> Batch:
        """The consumer's stream waits for this copy, and for none that was begun after it; memory
        is kept until that stream is done."""
        if self.stream is not None:
            current = torch.cuda.current_stream(self.device)
            current.wait_event(done)
            batch.images.record_stream(current)
            batch.labels.record_stream(current)
        return batch
