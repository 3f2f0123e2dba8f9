# SPDX-License-Identifier: Apache-2.0
"""Device times: whether there is a GPU to watch. The watcher does the rest, in C++.

Nothing here initialises CUDA.
"""

from __future__ import annotations

from typing import Any

import torch

from . import faults
from .recording import watcher

_cuda: Any = torch.cuda  # partly untyped in torch


def model_found(model: Any) -> None:
    """Watch the GPU that the model lies on, if it does. Never raises."""
    try:
        # torch calls other makers' GPUs "cuda" too.
        if torch.version.cuda is None or not _cuda.is_initialized():
            return
        place = next(model.parameters()).device
        if place.type == "cuda":
            raw_stream = torch._C._cuda_getCurrentRawStream
            watcher.set_device(place.index, raw_stream, faults.reporter("device time"))
    except Exception as error:
        faults.report("device time", error)
