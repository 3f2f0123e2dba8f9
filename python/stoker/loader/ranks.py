# SPDX-License-Identifier: Apache-2.0
"""Which rank this process is."""

from __future__ import annotations

import os

import torch


def of_this_process(rank: int | None, world_size: int | None) -> tuple[int, int]:
    """As given; else torch.distributed's; else RANK and WORLD_SIZE; else 0 of 1."""
    if (rank is None) != (world_size is None):
        raise ValueError("give rank and world_size together, or neither")
    if rank is not None and world_size is not None:
        return rank, world_size
    distributed = torch.distributed
    if distributed.is_available() and distributed.is_initialized():
        return distributed.get_rank(), distributed.get_world_size()
    return int(os.environ.get("RANK", "0")), int(os.environ.get("WORLD_SIZE", "1"))
