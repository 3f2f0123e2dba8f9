# SPDX-License-Identifier: Apache-2.0
"""bfloat16 autocast."""

from __future__ import annotations

from collections.abc import Callable

import torch

from ..case import Case

SCOPE = "model"
TURN = 50


def refuse(case: Case) -> str:
    if case.observed.saw_autocast:
        return "the script uses autocast itself"
    if case.training.uses_grad_scaler:
        return "the script uses a GradScaler"
    if case.device.type != "cuda":
        return "no CUDA device in use"
    if not torch.cuda.is_bf16_supported(including_emulation=False):
        return "this GPU has no bfloat16"
    kinds = {p.dtype for p in case.parameters() if p.is_floating_point()}
    if kinds != {torch.float32}:
        return "parameters are not all float32: " + ", ".join(sorted(str(k) for k in kinds))
    if case.opaque_results():
        return f"the model returns {case.opaque_results()}, which cannot be looked into"
    if case.wrapper() in ("fully_shard", "FullyShardedDataParallel"):
        return "the model is sharded; FSDP has a precision policy of its own"
    return ""


def apply(case: Case) -> Callable[[], None]:
    case.driver.autocast = torch.bfloat16

    def undo() -> None:
        case.driver.autocast = None

    return undo
