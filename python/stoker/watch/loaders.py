# SPDX-License-Identifier: Apache-2.0
"""Data wait: the time that the training thread spends in `next()` of a DataLoader's iterator."""

from __future__ import annotations

import itertools
import weakref
from typing import Any

import torch

from . import device
from .patch import replace
from .recording import recording
from .stages import samples_of

_numbers = itertools.count(1)
# A loader has one number for all its epochs. Iterators are looked up by address, which each new one
# writes anew.
_of_loader: weakref.WeakKeyDictionary[Any, tuple[int, int]] = weakref.WeakKeyDictionary()
_of_iterator: dict[int, tuple[int, int]] = {}
_UNKNOWN = (0, 0)


def watch_loaders() -> None:
    loader = torch.utils.data.dataloader
    replace(loader.DataLoader, "__iter__", _start, _started)
    replace(loader._BaseDataLoaderIter, "__next__", _ask, _got)


def _start(_loader: Any) -> None:
    if recording.here():
        recording.steps.loader_start_begin()
        device.clock.pause()


def _started(loader: Any, iterator: Any, error: Any) -> None:
    if error is None:
        known = _of_loader.get(loader)
        if known is None:
            known = _of_loader[loader] = (next(_numbers), loader.batch_size or 0)
        _of_iterator[id(iterator)] = known
    if recording.here():
        recording.steps.loader_start_end()


def _ask(iterator: Any) -> None:
    if recording.here():
        recording.steps.next_begin(_of_iterator.get(id(iterator), _UNKNOWN)[0])
        device.clock.asked()


def _got(iterator: Any, batch: Any, error: Any) -> None:
    if not recording.here():
        return
    number, expected = _of_iterator.get(id(iterator), _UNKNOWN)
    if error is None:
        recording.steps.next_end(number, samples_of(batch, expected))
        device.clock.got()
    else:
        recording.steps.next_end(number, -1 if issubclass(error, StopIteration) else 0)
