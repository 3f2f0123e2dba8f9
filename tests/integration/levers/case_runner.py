# SPDX-License-Identifier: Apache-2.0
"""Small trainings, each a function of a module that calls `main()`; it runs those it is asked for.

`python cases.py NAME` runs one. With several names each runs in a process of its own, forked, and
a line with its name stands before what it prints.
"""

from __future__ import annotations

import importlib
import os
import sys
import traceback
from collections.abc import Callable, Iterable

import torch

CASES: dict[str, Callable[[], object]] = {}


def case(function: Callable[[], object]) -> Callable[[], object]:
    CASES[function.__name__] = function
    return function


def main(names: list[str]) -> None:
    if len(names) == 1:
        torch.manual_seed(0)
        CASES[names[0]]()
        return
    importlib.import_module("torch._dynamo")  # once, as every optimizer does
    for name in names or list(CASES):
        print(f"== {name}", flush=True)
        child = os.fork()
        if child == 0:
            status = 1
            try:
                main([name])
                status = 0
            except BaseException:
                traceback.print_exc()
            finally:
                sys.stdout.flush()
                os._exit(status)
        _, status = os.waitpid(child, 0)
        if status:
            sys.exit(f"{name} failed")


def mlp() -> torch.nn.Sequential:
    return torch.nn.Sequential(torch.nn.Linear(6, 16), torch.nn.Tanh(), torch.nn.Linear(16, 2))


def sgd(model: torch.nn.Module) -> torch.optim.Optimizer:
    """One that the fused kernel leaves alone, so that a refused model is bit for bit the plain."""
    return torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9, foreach=False)


def train(
    model: Callable[..., torch.Tensor],
    optimizer: torch.optim.Optimizer,
    batches: Iterable[torch.Tensor] | None = None,
    steps: int = 8,
) -> None:
    """Prints each loss with all its digits."""
    fixed = torch.randn(8, 6)
    for batch in batches if batches is not None else (fixed for _ in range(steps)):
        optimizer.zero_grad()
        loss = model(batch).square().mean()
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        print(repr(loss.item()))
