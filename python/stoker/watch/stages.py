# SPDX-License-Identifier: Apache-2.0
"""What making a batch consists of, in workers or in the main process: read, decode, transform,
collate. Time inside an inner stage is not counted for the outer one; transform is the rest."""

from __future__ import annotations

from typing import Any

import torch

from stoker import _core

from .patch import probe, replace
from .recording import FETCH, watcher

READ, DECODE, TRANSFORM, COLLATE = range(4)
_STAGES = {"read": READ, "decode": DECODE, "transform": TRANSFORM, "collate": COLLATE}
_COUNTERS = ("images_native", "images_compared", "images_differ", "images_pillow", "bytes_differ")
_COUNTER_NUMBERS = {name: number for number, name in enumerate(_COUNTERS)}


def add(stage: str, ns: int) -> None:
    """Count `ns` that were just spent on `stage`, and take them out of the stage around it."""
    watcher.add_stage_time(_STAGES[stage], ns)


def count(counter: str, amount: int) -> None:
    """Add to one of the counters of images that native decoding keeps."""
    recorder = watcher.batches()
    if recorder is not None:
        recorder.add(_COUNTER_NUMBERS[counter], amount)


def watch_fetchers() -> None:
    """Time the objects that make batches, the same in every kind of worker."""
    fetch = torch.utils.data._utils.fetch
    replace(fetch._BaseDatasetFetcher, "__init__", probe("fetcher", leave=_made))
    for kind in (fetch._MapDatasetFetcher, fetch._IterableDatasetFetcher):
        replace(kind, "fetch", _timed_fetch)


def watch_pillow() -> None:
    """Time Pillow's own decoding; it reads the file in small blocks meanwhile."""
    from PIL import ImageFile

    replace(ImageFile.ImageFile, "load", lambda load: _core.stage_timer(load, watcher, DECODE))


def _timed_fetch(original: Any) -> Any:
    return _core.event_probe(_core.stage_timer(original, watcher, TRANSFORM), watcher, FETCH)


def _made(fetcher: Any, _result: object, error: object) -> None:
    if error is None:
        fetcher.collate_fn = _core.stage_timer(fetcher.collate_fn, watcher, COLLATE)
