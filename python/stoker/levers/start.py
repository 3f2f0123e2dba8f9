# SPDX-License-Identifier: Apache-2.0
"""Putting levers in front of torch: what has to be noticed before the first step."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable
from typing import Any

import torch

from . import fused_optimizer
from .outcome import say
from .plan import Plan


class _Seen:
    """What the script does itself, and levers therefore leave alone."""

    grad_scaler = False
    compiles = False


seen = _Seen()
_started = False


def start(
    allowed: Callable[[str], bool],
    hung: Callable[[torch.nn.Module], None] = lambda module: None,
    pause: Callable[[], contextlib.AbstractContextManager[Any]] = contextlib.nullcontext,
    fault: Callable[[str, BaseException], None] = lambda where, error: None,
) -> None:
    """Apply what `allowed(lever id)` allows, each at its time. Requires: no model was trained yet.
    A second call does nothing."""
    global _started
    if _started:
        return
    _started = True
    _notice_grad_scaler()
    _notice_compile()
    if allowed("fused_optimizer"):
        for kind in fused_optimizer.kinds():
            _make_fused(kind)
    Plan(allowed, lambda: seen.grad_scaler, lambda: seen.compiles, hung, pause, fault).start()


def _notice_grad_scaler() -> None:
    kind: Any = torch.amp.GradScaler
    original = kind.__init__

    @functools.wraps(original)
    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        original(self, *args, **kwargs)
        if self.is_enabled():
            seen.grad_scaler = True
            _fused_off("the script uses a GradScaler")

    kind.__init__ = __init__


def _notice_compile() -> None:
    original = torch.compile

    @functools.wraps(original)
    def compile(*args: Any, **kwargs: Any) -> Any:
        seen.compiles = True
        return original(*args, **kwargs)

    torch.compile = compile


_fused: list[Any] = []  # optimizers that were made fused here


def _make_fused(kind: type) -> None:
    original = kind.__init__  # type: ignore[misc]

    @functools.wraps(original)
    def __init__(self: Any, params: Any, *args: Any, **kwargs: Any) -> None:
        params = fused_optimizer.readable(params)
        if type(self) is not kind and type(self) in fused_optimizer.kinds():
            original(self, params, *args, **kwargs)  # AdamW is made by Adam's
            return
        reason = _fused_refused(type(self), kind, (params, *args), kwargs)
        if reason:
            original(self, params, *args, **kwargs)
            say("fused_optimizer", False, reason)
            return
        original(self, params, *args, **{**kwargs, "fused": True})
        _fused.append(self)
        say("fused_optimizer", True, "", kind.__name__)

    kind.__init__ = __init__  # type: ignore[misc]


def _fused_refused(own: type, kind: type, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    if own is not kind:
        # A subclass may call this with arguments of its own, and read them back.
        return f"{own.__name__} is a class of the script's own"
    if seen.grad_scaler:
        return "the script uses a GradScaler"
    try:
        return fused_optimizer.refuse(kind, args, kwargs)
    except Exception as error:
        return f"its probe failed: {type(error).__name__}: {error}"


def _fused_off(reason: str) -> None:
    for optimizer in _fused:
        for group in optimizer.param_groups:
            group["fused"] = None if "foreach" in group else False
        optimizer._step_supports_amp_scaling = False
    if _fused:
        _fused.clear()
        say("fused_optimizer", False, reason)
