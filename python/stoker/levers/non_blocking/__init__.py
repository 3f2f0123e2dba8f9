# SPDX-License-Identifier: Apache-2.0
"""Copies to the GPU for which the host does not wait."""

from __future__ import annotations

from collections.abc import Callable

import torch

from ..case import Training
from .copies import Copies

SCOPE = "process"
TURN = 10


def refuse(training: Training) -> str:
    if training.device.type != "cuda":
        return "no CUDA device in use"
    if training.uses_streams:
        return "the script uses streams of its own, which may rely on the wait"
    if torch.cuda.current_stream(training.device) != torch.cuda.default_stream(training.device):
        return "the script trains on a stream of its own, which may rely on the wait"
    return ""


def apply(training: Training) -> Callable[[], None]:
    return Copies(training.device, lambda: training.uses_streams).install()
