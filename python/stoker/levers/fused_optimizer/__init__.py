# SPDX-License-Identifier: Apache-2.0
"""fused=True for optimizers whose maker left it open."""

from __future__ import annotations

import inspect
from typing import Any

import torch

_NAMES = ("Adam", "AdamW", "SGD", "Adagrad")
_CHOICES = ("fused", "foreach", "differentiable", "capturable")
_DEVICES = ("cuda", "cpu")


def kinds() -> list[type]:
    return [getattr(torch.optim, name) for name in _NAMES]


def readable(params: Any) -> Any:
    """`params` with iterators, such as `model.parameters()`, read into lists, as torch would."""
    if not isinstance(params, (list, tuple, torch.Tensor, dict)):
        params = list(params)
    if isinstance(params, (list, tuple)):
        for group in params:
            if isinstance(group, dict) and hasattr(group.get("params"), "__next__"):
                group["params"] = list(group["params"])
    return params


def refuse(optimizer: type, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    """Why an optimizer that is about to be made with these arguments must be left alone."""
    try:
        given = inspect.signature(optimizer).bind(*args, **kwargs).arguments
    except TypeError:
        return "the optimizer's arguments do not fit"
    chosen = [name for name in _CHOICES if given.get(name)]
    chosen += [name for name in ("fused", "foreach") if given.get(name) is False]
    if chosen:
        return f"the script sets {chosen[0]} itself"
    if isinstance(given.get("lr"), torch.Tensor):
        return "the learning rate is a tensor"
    parameters = _parameters(given["params"])
    if parameters is None:
        return "the parameters can be read once only"
    return refuse_parameters(parameters)


def refuse_parameters(parameters: list[Any]) -> str:
    for parameter in parameters:
        if not isinstance(parameter, torch.Tensor) or not parameter.is_floating_point():
            return "not all parameters are floating-point tensors"
        if type(parameter).__name__ == "DTensor":
            return "the parameters are sharded"
        if parameter.device.type not in _DEVICES:
            return f"parameters lie on {parameter.device.type}"
    return ""


def _parameters(params: Any) -> list[Any] | None:
    if not isinstance(params, (list, tuple)):
        return None
    flat: list[Any] = []
    for entry in params:
        group = entry["params"] if isinstance(entry, dict) else entry
        if isinstance(group, tuple):
            group = group[1]  # a named parameter
        if isinstance(group, torch.Tensor):
            flat.append(group)
        elif isinstance(group, (list, tuple)):
            flat.extend(group)
        else:
            return None
    return flat
