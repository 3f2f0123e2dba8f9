# SPDX-License-Identifier: Apache-2.0
"""NHWC layout of weights, inputs and what the optimizer keeps of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch.utils import _pytree

from ..case import Case

SCOPE = "model"
TURN = 40


def refuse(case: Case) -> str:
    if not case.has(torch.nn.Conv2d):
        return "the model has no 2-d convolution"
    if case.has(torch.nn.Conv3d, torch.nn.ConvTranspose3d):
        return "the model has 3-d convolutions"
    if case.wrapper():
        return f"the model is already wrapped in {case.wrapper()}"
    if case.observed.replicas is not None:
        return "the model is already wrapped in DistributedDataParallel"
    if not any(_is_image(leaf) for leaf in _pytree.tree_leaves(case.observed.last_call)):
        return "no input has four dimensions"
    weights = [p for p in case.parameters() if p.ndim == 4]
    if all(p.is_contiguous(memory_format=torch.channels_last) for p in weights):
        return "the model is in this layout already"
    return ""


def apply(case: Case) -> Callable[[], None]:
    _lay_out(case, torch.channels_last)
    case.driver.channels_last = True

    def undo() -> None:
        case.driver.channels_last = False
        _lay_out(case, torch.contiguous_format)

    return undo


def _is_image(leaf: Any) -> bool:
    return isinstance(leaf, torch.Tensor) and leaf.ndim == 4 and leaf.is_floating_point()


def _lay_out(case: Case, layout: torch.memory_format) -> None:
    with torch.no_grad():
        for parameter in case.parameters():
            if parameter.ndim != 4:
                continue
            parameter.data = parameter.data.contiguous(memory_format=layout)
            if parameter.grad is not None:
                parameter.grad = parameter.grad.contiguous(memory_format=layout)
            for optimizer in case.training.optimizers:
                kept = optimizer.state.get(parameter, {})
                for name, value in kept.items():
                    if isinstance(value, torch.Tensor) and value.shape == parameter.shape:
                        kept[name] = value.contiguous(memory_format=layout)
