# SPDX-License-Identifier: Apache-2.0
"""An optimizer that was made fused: it saves and loads what one that was not would, and is made
plain again before a step that a fused one cannot do."""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable
from typing import Any

import torch

from .. import fused_optimizer

Fault = Callable[[str, BaseException], None]
_TAKE_SPARSE = (torch.optim.SGD, torch.optim.Adagrad)  # the others refuse sparse gradients anyway


def _open(hook: Callable[..., Any]) -> Callable[..., Any]:
    """A hook of torch whose error is reported, and is none of the script's."""

    @functools.wraps(hook)
    def open_hook(self: Made, *args: Any) -> Any:
        if torch.compiler.is_compiling() or not self.on:
            return None
        try:
            return hook(self, *args)
        except Exception as error:
            self.on = False
            self.fault("fused_optimizer", error)
            return None

    return open_hook


class Made:
    def __init__(self, optimizer: Any, unfit: Callable[[str], None], fault: Fault) -> None:
        """`unfit(reason)` is called when the optimizer is made plain again before a step."""
        self._optimizer: Callable[[], Any] = weakref.ref(optimizer)
        self._unfit = unfit
        self.fault = fault
        self.on = True
        self._groups = len(optimizer.param_groups)
        self._may_be_sparse = _may_be_sparse(optimizer)
        # As of one that is not fused: Lightning would not clip its gradients, and a GradScaler
        # that comes later unscales them itself.
        optimizer._step_supports_amp_scaling = False
        optimizer.register_state_dict_post_hook(self._saved)
        optimizer.register_load_state_dict_pre_hook(self._loading)
        optimizer.register_step_pre_hook(self._before_step)

    def take_off(self) -> bool:
        """Whether there was something to take off. Hooks stay: torch may be going through them."""
        optimizer, was_on = self._optimizer(), self.on
        self.on = False
        if optimizer is None or not was_on:
            return False
        for options in (optimizer.defaults, *optimizer.param_groups):
            options["fused"] = None
        optimizer.state.update(_steps_on_host(optimizer.state))
        return True

    @_open
    def _saved(self, _optimizer: Any, saved: dict[str, Any]) -> dict[str, Any]:
        groups = [{**group, "fused": None} for group in saved["param_groups"]]
        return {**saved, "state": _steps_on_host(saved["state"]), "param_groups": groups}

    @_open
    def _loading(self, _optimizer: Any, saved: dict[str, Any]) -> dict[str, Any]:
        groups = [
            {**group, "fused": True} if group.get("fused") is None else group
            for group in saved["param_groups"]
        ]
        return {**saved, "param_groups": groups}

    @_open
    def _before_step(self, optimizer: Any, _args: Any, _kwargs: Any) -> None:
        reason = ""
        if len(optimizer.param_groups) != self._groups:
            added = optimizer.param_groups[self._groups :]
            self._groups = len(optimizer.param_groups)
            self._may_be_sparse = _may_be_sparse(optimizer)
            reason = fused_optimizer.refuse_parameters([p for g in added for p in g["params"]])
        for parameter in self._may_be_sparse:
            if parameter.grad is not None and parameter.grad.layout is not torch.strided:
                reason = "gradients are sparse"
        if reason and self.take_off():
            self._unfit(reason)


def _may_be_sparse(optimizer: Any) -> list[Any]:
    """Weights of embeddings among others: looking at these alone costs little in each step."""
    if not isinstance(optimizer, _TAKE_SPARSE):
        return []
    return [p for group in optimizer.param_groups for p in group["params"] if p.ndim == 2]


def _steps_on_host(state: Any) -> dict[Any, Any]:
    """Each parameter's state with its count of steps where a plain optimizer has it."""
    return {
        key: {**kept, "step": kept["step"].cpu()} if _counts_on_device(kept) else kept
        for key, kept in state.items()
    }


def _counts_on_device(kept: Any) -> bool:
    step = kept.get("step") if isinstance(kept, dict) else None
    return isinstance(step, torch.Tensor) and step.device.type != "cpu"
