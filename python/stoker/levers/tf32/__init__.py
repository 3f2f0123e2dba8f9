# SPDX-License-Identifier: Apache-2.0
"""TF32 matrix products."""

from __future__ import annotations

from collections.abc import Callable

import torch

from ..case import Case

_DEFAULT = "highest"


def refuse(case: Case) -> str:
    if case.device.type != "cuda":
        return "no CUDA device in use"
    major, minor = torch.cuda.get_device_capability(case.device)
    if major < 8:
        return f"this GPU (compute capability {major}.{minor}) has no TF32"
    if torch.get_float32_matmul_precision() != _DEFAULT:
        return f"the script set {torch.get_float32_matmul_precision()!r} itself"
    return ""


def apply(case: Case) -> Callable[[], None]:
    torch.set_float32_matmul_precision("high")
    return lambda: torch.set_float32_matmul_precision(_DEFAULT)
