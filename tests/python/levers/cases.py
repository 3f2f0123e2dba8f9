# SPDX-License-Identifier: Apache-2.0
"""Trainings as levers see them, made by hand."""

from __future__ import annotations

from typing import Any

import torch

from stoker.levers.case import Case, Observed, Training
from stoker.levers.driver import Driver, signature

CUDA = torch.device("cuda", 0)
CPU = torch.device("cpu")


def conv_model() -> torch.nn.Module:
    return torch.nn.Sequential(torch.nn.Conv2d(3, 4, 3), torch.nn.ReLU(), torch.nn.Flatten())


def case_of(
    module: torch.nn.Module,
    *calls: torch.Tensor,
    device: torch.device = CPU,
    calls_of_steps: tuple[int, ...] = (1, 1, 1),
    optimizers: tuple[Any, ...] = (),
    models: int = 1,
    world_size: int = 1,
    uses_grad_scaler: bool = False,
    compiles_itself: bool = False,
    differentiates_twice: bool = False,
    saw_autocast: bool = False,
    output_kinds: tuple[str, ...] = ("Tensor",),
    replicas: Any = None,
) -> Case:
    """A model that was called with each of `calls`."""
    observed = Observed(
        module,
        list(calls_of_steps),
        [signature((x,), {}) for x in calls],
        saw_autocast,
        ((calls[-1],), {}),
        set(output_kinds),
        replicas,
    )
    training = Training(
        device,
        list(optimizers),
        world_size=world_size,
        uses_grad_scaler=uses_grad_scaler,
        compiles_itself=compiles_itself,
        differentiates_twice=differentiates_twice,
    )
    training.models = [Case(observed, Driver(module), training) for _ in range(models)]
    return training.models[0]
