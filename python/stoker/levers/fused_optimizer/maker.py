# SPDX-License-Identifier: Apache-2.0
"""Optimizers are made fused where their makers left it open."""

from __future__ import annotations

import functools
import weakref
from typing import Any

from .. import fused_optimizer
from ..outcome import say
from ..seen import Seen
from .made import Made

_ID = "fused_optimizer"
# Optimizers that were made fused here; they end as soon as the script lets go of them.
_made: weakref.WeakKeyDictionary[Any, Made] = weakref.WeakKeyDictionary()


def make_fused(seen: Seen, dry_run: bool = False) -> None:
    """From now on, for every optimizer that nothing speaks against."""
    seen.on_grad_scaler.append(lambda: _take_off("the script uses a GradScaler"))
    for kind in fused_optimizer.kinds():
        _wrap(kind, seen, dry_run)


def _wrap(kind: type, seen: Seen, dry_run: bool) -> None:
    original = kind.__init__  # type: ignore[misc]

    @functools.wraps(original)
    def __init__(self: Any, params: Any, *args: Any, **kwargs: Any) -> None:
        params = fused_optimizer.readable(params)
        if type(self) is not kind and type(self) in fused_optimizer.kinds():
            original(self, params, *args, **kwargs)  # AdamW is made by Adam's
            return
        reason = _refused(type(self), kind, seen, (params, *args), kwargs)
        if reason or dry_run:
            original(self, params, *args, **kwargs)
            say(_ID, False, reason, "" if reason else kind.__name__, planned=not reason)
            return
        try:
            original(self, params, *args, **{**kwargs, "fused": True})
        except Exception as error:
            original(self, params, *args, **kwargs)
            say(_ID, False, f"{type(error).__name__}: {error}")
            return
        _made[self] = Made(self, functools.partial(say, _ID, False), seen.fault)
        say(_ID, True, "", f"{kind.__name__}, from the first step on")

    kind.__init__ = __init__  # type: ignore[misc]


def _refused(
    own: type, kind: type, seen: Seen, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> str:
    if own is not kind:
        # A subclass may call this with arguments of its own, and read them back.
        return f"{own.__name__} is a class of the script's own"
    if seen.grad_scaler:
        return "the script uses a GradScaler"
    try:
        return fused_optimizer.refuse(kind, args, kwargs)
    except Exception as error:
        return f"its probe failed: {type(error).__name__}: {error}"


def _take_off(reason: str) -> None:
    if any([made.take_off() for made in list(_made.values())]):
        say(_ID, False, reason)
    _made.clear()
