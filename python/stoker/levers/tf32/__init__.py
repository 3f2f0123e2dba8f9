# SPDX-License-Identifier: Apache-2.0
"""TF32 matrix products."""

from __future__ import annotations

from collections.abc import Callable

import torch

from ..case import Training

SCOPE = "process"
TURN = 30
_DEFAULT = "highest"


def refuse(training: Training) -> str:
    if (chosen := _chosen()) != _DEFAULT:
        return f"the script set {chosen!r} itself"
    if training.device.type != "cuda":
        return "no CUDA device in use"
    major, minor = torch.cuda.get_device_capability(training.device)
    if major < 8:
        return f"this GPU (compute capability {major}.{minor}) has no TF32"
    return ""


def _chosen() -> str:
    try:
        return torch.get_float32_matmul_precision()
    except RuntimeError:  # it was set by the newer name, which the older one will not read
        return str(torch.backends.cuda.matmul.fp32_precision)


def apply(_training: Training) -> Callable[[], None]:
    torch.set_float32_matmul_precision("high")
    return lambda: torch.set_float32_matmul_precision(_DEFAULT)
