# SPDX-License-Identifier: Apache-2.0
"""One decision for all ranks of a training.

Every rank publishes what it found, and each computes the same decision from the findings of all.
They meet in the store of the process group, not in a collective: a collective would have to find
its place among those of the script, and no device has to wait for it.
"""

from __future__ import annotations

import json
import time
from typing import Any

import torch

FIRST_S = 30.0  # a rank that does not know of stoker never answers
LATER_S = 600.0  # one rank may compile longer than another
_POLL_S = 0.005
_PREFIX = "stoker/levers"


class NoAnswer(Exception):
    """A rank that gave up, or never began, is no longer waited for."""


class Ranks:
    def __init__(self, store: Any, rank: int, world_size: int) -> None:
        self._store = store
        self.rank = rank
        self.world_size = world_size
        self._meetings = 0

    def all(self, value: Any) -> list[Any]:
        """`value` of each rank, in their order; values are what JSON can hold. Blocks until all
        ranks have called it as often. Raises NoAnswer."""
        if self.world_size == 1:
            return [value]
        meeting, self._meetings = self._meetings, self._meetings + 1
        self._store.set(f"{_PREFIX}/{meeting}/{self.rank}", json.dumps(value))
        deadline = time.monotonic() + (LATER_S if meeting else FIRST_S)
        return [self._value(meeting, rank, deadline) for rank in range(self.world_size)]

    def leave(self) -> None:
        """Tell the others not to wait for this rank any more."""
        if self.world_size > 1:
            self._store.set(f"{_PREFIX}/gone", str(self.rank))

    def _value(self, meeting: int, rank: int, deadline: float) -> Any:
        key = f"{_PREFIX}/{meeting}/{rank}"
        # Asked again and again: a blocking wait would hold the store against torch's own threads.
        while not self._store.check([key]):
            if self._store.check([f"{_PREFIX}/gone"]):
                raise NoAnswer("another rank has given up levers")
            if time.monotonic() > deadline:
                raise NoAnswer(f"rank {rank} does not answer")
            time.sleep(_POLL_S)
        return json.loads(self._store.get(key))


def ranks() -> Ranks:
    """Of the default process group, if there is one with several ranks."""
    distributed = torch.distributed
    if not (distributed.is_available() and distributed.is_initialized()):
        return Ranks(None, 0, 1)
    world_size = distributed.get_world_size()
    if world_size == 1:
        return Ranks(None, 0, 1)
    store = distributed.distributed_c10d._get_default_store()
    return Ranks(store, distributed.get_rank(), world_size)
