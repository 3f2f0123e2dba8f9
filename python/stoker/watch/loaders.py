# SPDX-License-Identifier: Apache-2.0
"""Data wait: the time that the training thread spends in `next()` of a DataLoader's iterator."""

from __future__ import annotations

import itertools
import weakref
from typing import Any

import torch

from stoker import _core

from .patch import probe, replace
from .recording import NEXT, watcher

# A loader has one number for all its epochs.
_numbers = itertools.count(1)
_known: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()


def watch_loaders() -> None:
    loader = torch.utils.data.dataloader
    replace(loader.DataLoader, "__iter__", probe("loader start", _start, _started))
    replace(
        loader._BaseDataLoaderIter,
        "__next__",
        lambda original: _core.event_probe(original, watcher, NEXT),
    )


def watch_image_loader() -> None:
    """The same for `stoker.ImageLoader`, whose threads belong to this process."""
    from stoker.loader.iteration import Iteration

    replace(Iteration, "__init__", probe("image loader", leave=_begun))
    replace(Iteration, "__next__", lambda original: _core.event_probe(original, watcher, NEXT))


def _begun(iteration: Any, _result: object, error: object) -> None:
    if error is None:
        watcher.know_iterator(iteration, next(_numbers), iteration.batch_size)


def _start(_loader: object) -> None:
    steps = watcher.steps()
    if steps is not None and watcher.here():
        watcher.pause_device()
        steps.loader_start_begin()


def _started(loader: Any, iterator: Any, error: object) -> None:
    if error is None:
        number = _known.get(loader)
        if number is None:
            number = _known[loader] = next(_numbers)
        watcher.know_iterator(iterator, number, loader.batch_size or 0)
    steps = watcher.steps()
    if steps is not None and watcher.here():
        steps.loader_start_end()
