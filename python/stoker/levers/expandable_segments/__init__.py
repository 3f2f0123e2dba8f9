# SPDX-License-Identifier: Apache-2.0
"""Memory segments of the CUDA allocator that can grow."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import torch

from ..case import Training

SCOPE = "process"
TURN = 25
_VARIABLES = ("PYTORCH_ALLOC_CONF", "PYTORCH_CUDA_ALLOC_CONF", "PYTORCH_HIP_ALLOC_CONF")
_WASTED_SHARE = 0.2  # of the reserved memory, in blocks that are free but split

# Partly untyped in torch; the setting is private there, and environment variables come too late.
_cuda: Any = torch.cuda


def refuse(training: Training) -> str:
    if training.device.type != "cuda":
        return "no CUDA device in use"
    named = next((name for name in _VARIABLES if os.environ.get(name)), "")
    if named:
        return f"{named} is set"
    if _cuda.get_allocator_backend() != "native":
        return "another allocator is in use"
    if training.world_size > 1:
        return "several ranks may share memory between processes"
    return _nothing_to_gain(training.device)


def _nothing_to_gain(device: torch.device) -> str:
    numbers = _cuda.memory_stats(device)
    reserved = numbers.get("reserved_bytes.all.current", 0)
    split = numbers.get("inactive_split_bytes.all.current", 0)
    free, total = _cuda.mem_get_info(device)
    if numbers.get("num_alloc_retries", 0) > 0:
        return ""
    if reserved and split > _WASTED_SHARE * reserved and free < 0.2 * total:
        return ""
    return "no allocation had to be tried again, and memory is not fragmented"


def apply(_training: Training) -> Callable[[], None]:
    _cuda.memory._set_allocator_settings("expandable_segments:True")
    return lambda: _cuda.memory._set_allocator_settings("expandable_segments:False")
