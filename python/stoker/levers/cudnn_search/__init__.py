# SPDX-License-Identifier: Apache-2.0
"""torch.backends.cudnn.benchmark."""

from __future__ import annotations

from collections.abc import Callable

import torch

from ..case import Training

SCOPE = "process"
TURN = 70


def refuse(training: Training) -> str:
    if torch.backends.cudnn.benchmark:
        return "the script turned it on itself"
    if training.device.type != "cuda":
        return "no CUDA device in use"
    if not training.has(torch.nn.modules.conv._ConvNd):
        return "the model has no convolution"
    if torch.are_deterministic_algorithms_enabled() or torch.backends.cudnn.deterministic:
        return "the script asks for deterministic algorithms"
    if any(case.observed.shapes_change for case in training.models):
        return "shapes change from step to step: each would be searched anew"
    return ""


def apply(_training: Training) -> Callable[[], None]:
    torch.backends.cudnn.benchmark = True

    def undo() -> None:
        torch.backends.cudnn.benchmark = False

    return undo
