# SPDX-License-Identifier: Apache-2.0
"""What making a batch consists of, in workers or in the main process: read, decode, transform,
collate. Time inside an inner stage is not counted for the outer one; transform is the rest."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch

from stoker import _core

from .patch import probe, replace, replace_timed
from .recording import recording

READ, DECODE, TRANSFORM, COLLATE = range(4)
_NUMBERS = {"read": READ, "decode": DECODE, "transform": TRANSFORM, "collate": COLLATE}
_COUNTERS = ("images_native", "images_compared", "images_differ", "images_pillow", "bytes_differ")
_COUNTER_NUMBERS = {name: number for number, name in enumerate(_COUNTERS)}


def add(stage: str, ns: int) -> None:
    """Count `ns` that were just spent on `stage`, and take them out of the stage around it."""
    recording.clock.add(_NUMBERS[stage], ns)


def count(counter: str, amount: int) -> None:
    """Add to one of the counters of images that native decoding keeps."""
    recording.here()
    recording.batches.add(_COUNTER_NUMBERS[counter], amount)


def watch_fetchers() -> None:
    """Time the objects that make batches, the same in every kind of worker."""
    fetch = torch.utils.data._utils.fetch
    replace(fetch._BaseDatasetFetcher, "__init__", leave=_made)
    for kind in (fetch._MapDatasetFetcher, fetch._IterableDatasetFetcher):
        replace_timed(kind, "fetch", recording.clock, TRANSFORM)
        replace(kind, "fetch", leave=_fetched)


def watch_pillow() -> None:
    """Time Pillow's own decoding; it reads the file in small blocks meanwhile."""
    from PIL import ImageFile

    replace_timed(ImageFile.ImageFile, "load", recording.clock, DECODE)


class _Batch:
    """How many samples the batch that is being made holds, where the fetcher collates them."""

    samples = 0


def _made(fetcher: Any, _result: object, error: object) -> None:
    if error is not None:
        return
    timed = _core.stage_timer(fetcher.collate_fn, recording.clock, COLLATE)
    fetcher.collate_fn = probe(timed, "collate", _collate) if fetcher.auto_collation else timed


def _collate(samples: Any) -> None:
    _Batch.samples = len(samples)


def _fetched(_fetcher: object, batch: Any, error: object) -> None:
    recording.here()
    recording.batches.add_stages(recording.clock)
    if error is None:
        recording.batches.add_batch(_Batch.samples or samples_of(batch, 0))
    _Batch.samples = 0


def samples_of(batch: Any, expected: int) -> int:
    """How many samples a batch holds, as far as can be told at a glance; 0: unknown.

    `expected` is the loader's batch size, 0 where it has none.
    """
    lengths = []
    for _ in range(4):
        shape = getattr(batch, "shape", None)
        if isinstance(shape, tuple):
            lengths.append(shape[0] if shape else 1)
            break
        if isinstance(batch, (tuple, list)):
            if not batch:
                return 0
            lengths.append(len(batch))
            batch = batch[0]
        elif isinstance(batch, Mapping):
            batch = next(iter(batch.values()), None)
        else:
            break
    if not lengths or expected in lengths:
        return expected if lengths else 0
    # A list of images of different sizes is counted, not looked into; a tensor's rows are.
    return int(lengths[1] if len(lengths) > 2 else lengths[-1])
