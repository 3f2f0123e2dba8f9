# SPDX-License-Identifier: Apache-2.0
"""The loader itself: which batch is next, and where an epoch goes on."""

from __future__ import annotations

import os
import warnings
import weakref
from collections import deque
from collections.abc import Iterator
from typing import Any

import torch

from .. import _core
from .. import transforms as T
from . import ranks
from .batches import Allocator, Batch, ToDevice
from .errors import SampleError
from .handover import Servers
from .iteration import Iteration
from .options import Options
from .source import open_source
from .stats import Stats

STATE_SCHEMA = "stoker.loader/1"
BAD_SAMPLES_KEPT = 100


class ImageLoader:
    """Batches of images and labels, exact to Pillow + torchvision, from the threads of the engine.

        loader = stoker.ImageLoader("photos/train", 256, [T.RandomResizedCrop(224), T.ToTensor()])
        for images, labels in loader: ...

    source: a folder of one folder a class, a tar or a list of tars in WebDataset's layout, a folder
        of tars, or a list of (path, label).
    batch_size: rows of a batch, of each rank.
    transforms: of `stoker.transforms`; every sample must end with the same size.
    shuffle, seed: the order and all random draws are a function of seed, epoch and sample alone.
    drop_last: leave out a last batch that is not whole.
    rank, world_size: which share of each global batch this process gets; default: those of
        torch.distributed, else of RANK and WORLD_SIZE.
    uneven: how ranks end together: "pad" repeats the first samples of the order, "drop" leaves out
        the last ones. All ranks have the same number of batches either way.
    threads: a number, or "auto": as many as it takes for the consumer not to wait, within affinity
        and the limits of the container.
    prefetch: batches that are made ahead, or "auto".
    index: "auto" uses what `stoker data index` made, if there is one; a path; or None.
    on_error: "raise" SampleError, "skip" (the batch gets smaller), or "replace" by the next good
        sample of the order.
    dtype: float32, float16, bfloat16 or uint8 of `images`, whose shape is [rows, 3, height, width];
        layout: "nchw", or "nhwc" for the same shape in channels_last memory.
    device: None gives tensors on the CPU, page-locked where there is a GPU; "cuda" copies them
        there on a stream of its own.

    One process uses it from one thread. It may be forked: a child makes threads of its own.
    """

    def __init__(
        self,
        source: Any,
        batch_size: int,
        transforms: Any,
        *,
        shuffle: bool = True,
        seed: int = 0,
        drop_last: bool = False,
        rank: int | None = None,
        world_size: int | None = None,
        uneven: str = "pad",
        threads: int | str = "auto",
        prefetch: int | str = "auto",
        index: str | os.PathLike[str] | None = "auto",
        on_error: str = "raise",
        dtype: str | torch.dtype = "float32",
        layout: str = "nchw",
        device: str | torch.device | None = None,
    ) -> None:
        rank, world_size = ranks.of_this_process(rank, world_size)
        self._options = Options(
            batch_size=batch_size,
            shuffle=shuffle,
            seed=seed,
            drop_last=drop_last,
            rank=rank,
            world_size=world_size,
            uneven=uneven,
            threads=threads,
            prefetch=prefetch,
            on_error=on_error,
            dtype=str(dtype).removeprefix("torch."),
            layout=layout,
        )
        self._transforms = T.specs(transforms)
        self._source = open_source(source, index)
        for text in self._source.warnings():
            warnings.warn(f"stoker: {text}", stacklevel=2)
        self._engine: _core.Loader | None = None
        self._start_engine()
        self._to_device = None if device is None else ToDevice(torch.device(device))
        self._epoch = 0  # that the next iteration begins
        self._at: tuple[int, int] | None = None  # epoch and position to go on at
        self._resume = False  # the next iteration goes on there
        self._iteration = 0
        self._bad: list[dict[str, Any]] = []
        self._length: int | None = None
        _loaders.add(self)

    def _start_engine(self) -> None:
        self._engine = _core.Loader(self._source, self._transforms, self._options.for_engine())
        size = self._engine.out_size()
        most = self._engine.stats()["threads_most"]
        self._ahead = self._options.batches_ahead(most)
        self._allocator = Allocator(
            size, self._options.dtype, self._options.layout, free=self._ahead + 2
        )
        servers = Servers(self._engine, most)
        # Here and not in an iteration: one that is broken off dies while threads still write.
        self._lent: deque[Batch] = deque()
        self._finalizer = weakref.finalize(self, _end, self._engine, servers, self._lent)

    def _running(self) -> _core.Loader:
        if self._engine is None:  # in a child of a fork
            self._start_engine()
        assert self._engine is not None
        return self._engine

    @property
    def classes(self) -> list[str]:
        """Names of the labels 0, 1, ...; empty where the source has none."""
        return [os.fsdecode(name) for name in self._source.classes()]

    @property
    def class_to_idx(self) -> dict[str, int]:
        return {name: label for label, name in enumerate(self.classes)}

    @property
    def batch_size(self) -> int:
        return self._options.batch_size

    def __len__(self) -> int:
        """Batches of a whole epoch on this rank."""
        if self._length is None:
            self._length = _core.Loader.batches_of_epoch(
                self._source.count(), self._options.for_engine()
            )
        return self._length

    def set_epoch(self, epoch: int) -> None:
        """The epoch that the next iteration runs; it changes order and draws. Without it each
        iteration is one epoch further. A state that was loaded for this epoch goes on in it."""
        if not self._resume or self._at is None or self._at[0] != epoch:
            self._resume = False
            self._at = None
        self._epoch = epoch

    def state_dict(self) -> dict[str, Any]:
        """Where the training is: after the batch that was given out last. The same on all ranks,
        for any number of ranks, threads and prefetched batches; under 1 KB."""
        epoch, position = self._at or (self._epoch, 0)
        return {
            "schema": STATE_SCHEMA,
            "seed": self._options.seed,
            "shuffle": self._options.shuffle,
            "epoch": epoch,
            "position": position,
            "samples": self._source.count(),
            "fingerprint": f"{self._source.fingerprint():016x}",
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Go on where `state` was taken, in the next iteration. Raises ValueError for a state of
        other samples, another seed or another order: it would repeat some and lose others."""
        mine = self.state_dict()
        for key in ("schema", "samples", "fingerprint", "seed", "shuffle"):
            if state.get(key) != mine[key]:
                raise ValueError(
                    f"this state has {key} {state.get(key)!r}, the loader has {mine[key]!r}; "
                    "make the loader as it was when the state was taken"
                )
        self._at = (int(state["epoch"]), int(state["position"]))
        self._epoch = self._at[0]
        self._resume = True

    def __iter__(self) -> Iteration:
        return Iteration(self.batches(), self.batch_size)

    def batches(self) -> Iterator[Batch]:
        """As iterating, with the samples' numbers in the source too."""
        engine = self._running()
        epoch, position = self._at if self._resume and self._at else (self._epoch, 0)
        self._resume = False
        self._epoch = epoch + 1
        self._at = (epoch, position)
        self._iteration += 1
        engine.begin_epoch(epoch, position)
        self._lent.clear()
        made = self._made(engine)
        return self._handed_out(self._copied(made), epoch, self._iteration)

    def _made(self, engine: _core.Loader) -> Iterator[tuple[Batch, int]]:
        """Batches in order, with the position after each."""
        lent = self._lent
        count = engine.batches()
        for number in range(count):
            while len(lent) < self._ahead and number + len(lent) < count:
                batch = self._allocator.batch(engine.batch_samples(number + len(lent)))
                engine.lend(
                    batch.images.data_ptr(), batch.labels.data_ptr(), batch.samples.data_ptr()
                )
                lent.append(batch)
            errors, missing = engine.next()
            batch = self._without_bad(lent.popleft(), errors, missing)
            yield batch, engine.position_after(number)

    def _copied(self, made: Iterator[tuple[Batch, int]]) -> Iterator[tuple[Batch, int]]:
        """On the device, where one was asked for: the copy of the next batch is under way while the
        consumer works on this one."""
        if self._to_device is None:
            yield from made
            return
        copies: deque[tuple[tuple[Batch, Any], int]] = deque()
        for batch, position in made:
            copies.append((self._to_device.start(batch), position))
            if len(copies) > 1:
                copy, at = copies.popleft()
                yield self._to_device.hand_out(*copy), at
        for copy, at in copies:
            yield self._to_device.hand_out(*copy), at

    def _handed_out(
        self, copied: Iterator[tuple[Batch, int]], epoch: int, iteration: int
    ) -> Iterator[Batch]:
        for batch, position in copied:
            self._at = (epoch, position)
            yield batch
            if iteration != self._iteration:
                raise RuntimeError("a newer iteration of this loader has begun; this one is over")
        self._at = None

    def _without_bad(
        self, batch: Batch, errors: list[tuple[int, int, bytes, str]], missing: list[int]
    ) -> Batch:
        if not errors:
            return batch
        errors = sorted(errors)  # they come as threads end
        for _, sample, raw, reason in errors:
            self._note_bad(os.fsdecode(raw), sample, reason)
        _, sample, raw, reason = errors[0]
        if self._options.on_error == "raise":
            raise SampleError(os.fsdecode(raw), sample, reason)
        if len(missing) == len(batch.labels) or (missing and self._options.on_error == "replace"):
            raise SampleError(os.fsdecode(raw), sample, f"{reason}; no sample of its batch is good")
        return batch.without(set(missing))

    def _note_bad(self, name: str, sample: int, reason: str) -> None:
        if not self._bad and self._options.on_error != "raise":
            warnings.warn(
                f"stoker: {name}: {reason}; on_error={self._options.on_error!r} goes on, "
                "loader.stats() counts such files",
                stacklevel=2,
            )
        if len(self._bad) < BAD_SAMPLES_KEPT:
            self._bad.append({"name": name, "sample": sample, "reason": reason})

    def stats(self) -> Stats:
        """What was done since the loader was made; see Stats."""
        engine = self._running()
        stats = Stats(engine.stats())
        seconds = stats["elapsed_ms"] / 1000
        stats["samples_per_s"] = stats["samples"] / seconds if seconds > 0 else 0.0
        stats["waited_share"] = stats["waited_ms"] / stats["elapsed_ms"] if seconds > 0 else 0.0
        stats["bad_samples"] = list(self._bad)
        stats["repeated"] = engine.repeated()
        stats["dropped"] = engine.dropped()
        return stats

    def close(self) -> None:
        """End the threads; also done when the loader is no longer used."""
        self._finalizer()


def _end(engine: _core.Loader, servers: Servers, lent: deque[Batch]) -> None:
    engine.close()
    servers.join()
    lent.clear()


_loaders: weakref.WeakSet[ImageLoader] = weakref.WeakSet()
_left_behind: list[Any] = []


def _after_fork() -> None:
    """The engine's threads stayed in the parent: leave it alone and make another when needed."""
    for loader in list(_loaders):
        loader._finalizer.detach()
        _left_behind.append(loader._engine)
        loader._engine = None
        loader._iteration += 1


os.register_at_fork(after_in_child=_after_fork)
