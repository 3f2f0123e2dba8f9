# SPDX-License-Identifier: Apache-2.0
"""Trying a changed call of a model beside the training.

Does it run forward and backward, and does it give what the plain call gives? Parameters,
gradients, buffers, attributes and random state stay untouched.
"""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

import torch
from torch.utils import _pytree

from .outcome import error_text
from .state import State

# Relative distances ||a - b|| / ||b|| of outputs and of all gradients together. The question is
# that of PyTorch's own tests of compilers: is the changed call no farther from full precision than
# the plain one is, give or take? Gradients of a fresh network in bf16 may be far from it in both.
WORSE_BY = 3.0
OUTPUTS_WITHIN = 0.01
GRADIENTS_WITHIN = 0.05


@dataclass(frozen=True)
class Result:
    ok: bool
    reason: str
    output_distance: float | None = None
    gradient_distance: float | None = None


def compare(
    module: torch.nn.Module,
    plain: Callable[..., Any],
    changed: Callable[..., Any],
    exact: Callable[..., Any],
    call: tuple[Any, Any],
    rounds: int = 1,
) -> Result:
    """`rounds` calls of `changed` on the arguments of `call`; the last is compared with `plain`,
    both measured by their distance from `exact`, the model in full precision."""
    try:
        with untouched(module), quiet():
            reference = pass_and_back(module, exact, call)
            first = pass_and_back(module, plain, call)
            again = pass_and_back(module, plain, call)
            for _ in range(rounds):
                second = pass_and_back(module, changed, call)
    except Exception as error:
        return Result(False, error_text(error))
    if _finite(first) and not _finite(second):
        return Result(False, "gives NaN or infinity where the plain model does not")
    if len(first[0]) != len(second[0]) or [x.shape for x in first[0]] != [
        x.shape for x in second[0]
    ]:
        return Result(False, "gives outputs of other shapes")
    if not first[0]:
        return Result(False, "no output to be compared has a gradient")
    if _distance(again[0], first[0]) > 1e-3:
        # Dropout and its like: other random numbers are no fault, and nothing can be compared.
        return Result(True, "")
    outputs, gradients = (_distance(second[i], reference[i]) for i in (0, 1))
    most = [
        WORSE_BY * _distance(first[i], reference[i]) + within
        for i, within in ((0, OUTPUTS_WITHIN), (1, GRADIENTS_WITHIN))
    ]
    if not (outputs <= most[0] and gradients <= most[1]):
        reason = (
            f"is {outputs:.2g} (outputs) and {gradients:.2g} (gradients) from full precision, "
            f"where at most {most[0]:.2g} and {most[1]:.2g} are allowed"
        )
        return Result(False, reason, outputs, gradients)
    return Result(True, "", outputs, gradients)


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """What the model or the compiler prints here was not asked for by the script."""
    nowhere = io.StringIO()
    with contextlib.redirect_stdout(nowhere), contextlib.redirect_stderr(nowhere):
        yield


@contextlib.contextmanager
def untouched(module: torch.nn.Module) -> Iterator[None]:
    """Put buffers, attributes and random state back as they were."""
    state = State(module)
    try:
        yield
    finally:
        state.restore()


def pass_and_back(
    module: torch.nn.Module, call: Callable[..., Any], arguments: tuple[Any, Any]
) -> tuple[list[torch.Tensor], list[torch.Tensor]]:
    """Floating-point outputs of a call, and the gradients of a weighted sum of them by all
    parameters, whose own `grad` stays as it is. The call may write into its arguments: they are
    copies."""
    args, kwargs = _copies(arguments)
    out = call(*args, **kwargs)
    floats = [
        leaf
        for leaf in _pytree.tree_leaves(out)
        if isinstance(leaf, torch.Tensor) and leaf.is_floating_point() and leaf.requires_grad
    ]
    if not floats:
        return [], []
    # A weighted sum: weights that differ, so that no error cancels in a plain one.
    total = torch.stack(
        [(leaf.float() * _weights(leaf)).sum() / max(1, leaf.numel()) for leaf in floats]
    ).sum()
    parameters = [p for p in module.parameters() if p.requires_grad]
    gradients = torch.autograd.grad(total, parameters, allow_unused=True)
    kept = [g.detach().float().clone() for g in gradients if g is not None]
    return [leaf.detach().float().clone() for leaf in floats], kept


def _copies(arguments: tuple[Any, Any]) -> Any:
    """With the strides of the originals, and one copy for a tensor that is passed twice: a compiler
    would compile other ones again."""
    made: dict[int, Any] = {}

    def copy(value: Any) -> Any:
        if not isinstance(value, torch.Tensor):
            return value
        if id(value) not in made:
            made[id(value)] = _copy(value)
        return made[id(value)]

    return _pytree.tree_map(copy, arguments)


def _copy(value: torch.Tensor) -> torch.Tensor:
    if type(value) is not torch.Tensor and value.is_leaf:
        return deepcopy(value)  # a class of its own, which may hold more
    if not value.is_leaf:  # nor is its copy, or it might not be written into
        return _apart(value.detach().requires_grad_())
    return _apart(value.detach()).detach().requires_grad_(value.requires_grad)


def _apart(value: torch.Tensor) -> torch.Tensor:
    if value.layout != torch.strided or value.numel() == 0:
        return value.clone()
    reach = 1 + sum((n - 1) * step for n, step in zip(value.shape, value.stride(), strict=True))
    memory = value.as_strided((reach,), (1,)).clone()
    return memory.as_strided(value.shape, value.stride(), 0)


def _finite(values: tuple[list[torch.Tensor], list[torch.Tensor]]) -> bool:
    return all(bool(torch.isfinite(value).all()) for value in (*values[0], *values[1]))


def _weights(leaf: torch.Tensor) -> torch.Tensor:
    count = torch.arange(leaf.numel(), device=leaf.device, dtype=torch.float32)
    return torch.cos(count).reshape(leaf.shape)


def _distance(a: list[torch.Tensor], b: list[torch.Tensor]) -> float:
    if len(a) != len(b):
        return float("inf")
    apart = sum(float((x - y).double().pow(2).sum()) for x, y in zip(a, b, strict=True))
    size = sum(float(y.double().pow(2).sum()) for y in b)
    return float((apart / size) ** 0.5) if size > 0 else float(apart > 0)
