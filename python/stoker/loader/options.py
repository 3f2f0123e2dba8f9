# SPDX-License-Identifier: Apache-2.0
"""What a loader was asked for, checked."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

from ..pil.registry import pass_order_of_pillow

_pass_order = functools.cache(pass_order_of_pillow)  # one Pillow a process
ON_ERROR = ("raise", "skip", "replace")
UNEVEN = ("pad", "drop")
DTYPES = ("float32", "float16", "bfloat16", "uint8")
LAYOUTS = ("nchw", "nhwc")


@dataclass(frozen=True)
class Options:
    batch_size: int
    shuffle: bool
    seed: int
    drop_last: bool
    rank: int
    world_size: int
    uneven: str
    threads: int | str
    prefetch: int | str
    on_error: str
    dtype: str
    layout: str

    def __post_init__(self) -> None:
        for name, known in (
            ("uneven", UNEVEN),
            ("on_error", ON_ERROR),
            ("dtype", DTYPES),
            ("layout", LAYOUTS),
        ):
            if getattr(self, name) not in known:
                raise ValueError(f"{name} is {getattr(self, name)!r}; it can be {', '.join(known)}")
        for name in ("threads", "prefetch"):
            value = getattr(self, name)
            if value != "auto" and (not isinstance(value, int) or value < 1):
                raise ValueError(f'{name} is {value!r}; it can be "auto" or at least 1')
        if not 0 <= self.seed < 2**64:
            raise ValueError(f"seed is {self.seed}; it can be 0 to 2**64 - 1")

    def for_engine(self) -> dict[str, Any]:
        return {
            "batch_size": self.batch_size,
            "shuffle": self.shuffle,
            "seed": self.seed,
            "drop_last": self.drop_last,
            "rank": self.rank,
            "world_size": self.world_size,
            "pad": self.uneven == "pad",
            "threads": 0 if self.threads == "auto" else self.threads,
            "on_error": ON_ERROR.index(self.on_error),
            "dtype": self.dtype,
            "layout": self.layout,
            "order": _pass_order(),
            "hand_over": True,
        }

    def batches_ahead(self, threads: int) -> int:
        """Enough for all threads to have work while the consumer takes a batch."""
        if isinstance(self.prefetch, int):
            return self.prefetch
        return 2 + -(-threads // self.batch_size)
