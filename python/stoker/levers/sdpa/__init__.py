# SPDX-License-Identifier: Apache-2.0
"""Which kernel scaled_dot_product_attention takes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from ..case import Training

SCOPE = "process"
TURN = 60
# Private: torch.nn.attention.sdpa_kernel sets the same, but for one block of code alone.
_C: Any = torch._C


def refuse(training: Training) -> str:
    if training.device.type != "cuda":
        return "no CUDA device in use"
    if not any(_has_attention(case.module) for case in training.models):
        return "no part of the model is called attention"
    if torch.cuda.get_device_capability(training.device) < (9, 0):
        return "this GPU gains nothing by cuDNN's attention"
    if not hasattr(_C, "_set_sdp_priority_order"):
        return f"torch {torch.__version__} has no order of attention kernels"
    if not _C._get_cudnn_sdp_enabled():
        return "the script turned cuDNN's attention off"
    if torch.are_deterministic_algorithms_enabled():
        return "the script asks for deterministic algorithms"
    if _order()[:1] == [_cudnn()]:
        return "cuDNN's attention is the first choice already"
    return ""


def apply(_training: Training) -> Callable[[], None]:
    before = _order()
    _C._set_sdp_priority_order([_cudnn(), *(kernel for kernel in before if kernel != _cudnn())])
    return lambda: _C._set_sdp_priority_order(before)


def _cudnn() -> int:
    return int(torch.nn.attention.SDPBackend.CUDNN_ATTENTION.value)


def _order() -> list[int]:
    return [int(kernel) for kernel in _C._get_sdp_priority_order()]


def _has_attention(model: torch.nn.Module) -> bool:
    return any("attention" in type(part).__name__.lower() for part in model.modules())
