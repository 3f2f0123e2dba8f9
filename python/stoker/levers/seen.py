# SPDX-License-Identifier: Apache-2.0
"""What the script does itself, so that levers leave it alone."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any

import torch

from stoker import _core


class Seen:
    """Noticed from `watch` on. `on_compile` is called at the first torch.compile,
    `on_grad_scaler` at the first GradScaler that is on."""

    def __init__(self, fault: Callable[[str, BaseException], None]) -> None:
        self.grad_scaler = False
        self.compiles = False
        self.streams = False  # on the GPU
        self.loader_workers = False
        self.on_compile: list[Callable[[], None]] = []
        self.on_grad_scaler: list[Callable[[], None]] = []
        self.fault = fault

    def watch(self) -> None:
        self._hang(torch, "compile", enter=self._compiles)
        self._hang(torch.amp.GradScaler, "__init__", leave=self._grad_scaler_made)
        self._hang(torch.utils.data.DataLoader, "_get_iterator", enter=self._iterates)
        if torch.version.cuda is not None:
            self._hang(torch.cuda.Stream, "__new__", enter=self._stream_made)

    def _hang(
        self,
        owner: Any,
        name: str,
        enter: Callable[[Any], object] | None = None,
        leave: Callable[[Any, Any, Any], object] | None = None,
    ) -> None:
        original = owner.__dict__[name]
        if isinstance(original, staticmethod):
            original = original.__func__
        hung: Any = _core.probe(
            original, enter, leave, lambda error: self.fault(f"levers, {name}", error)
        )
        functools.update_wrapper(hung, original)
        setattr(owner, name, staticmethod(hung) if name == "__new__" else hung)

    def _compiles(self, _model: Any) -> None:
        if not self.compiles:
            self.compiles = True
            for callback in self.on_compile:
                callback()

    def _grad_scaler_made(self, scaler: Any, _result: object, error: object) -> None:
        if error is None and scaler.is_enabled() and not self.grad_scaler:
            self.grad_scaler = True
            for callback in self.on_grad_scaler:
                callback()

    def _iterates(self, loader: Any) -> None:
        self.loader_workers |= loader.num_workers > 0

    def _stream_made(self, _kind: Any) -> None:
        # The caller of this is torch.cuda.Stream's; torch and stoker make some of their own.
        caller = sys._getframe(1).f_globals.get("__name__", "")
        self.streams |= caller.split(".")[0] not in ("torch", "stoker")
