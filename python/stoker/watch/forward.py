# SPDX-License-Identifier: Apache-2.0
"""Where the forward pass begins: finding the model, and noting when it is called.

The model is the first module with parameters that is called from outside any other, in training
mode and with gradients on, after an optimizer was made. A global forward hook waits for that call
and is taken away in it, so that no module below and no compiler sees it. From then on a probe lies
in the model's slot `_compiled_call_impl`, which torch keeps for `Module.compile` and leaves out of
pickles and copies; class, identity and `state_dict` stay as they are.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import torch
from torch.nn.modules.module import register_module_forward_pre_hook

from . import device, faults
from .patch import Probe, probe, replace
from .recording import recording

_SLOT = "_compiled_call_impl"
_SEARCHES = 3
_STEPS_WITHOUT_FORWARD = 3


class Finder:
    def __init__(self) -> None:
        self._model: Any = None
        self._waiting: Any = None
        self._searches = 0
        self._silent_steps = 0
        self._compiled: list[tuple[Any, Probe, Any]] = []
        self._withdraw: list[Callable[[], None]] = []

    def watch(self, when_imported: Callable[[str, Callable[[], None]], None]) -> None:
        optimizer = torch.optim.Optimizer
        self._withdraw.append(replace(optimizer, "__init__", leave=self._optimizer_made))
        replace(torch.nn.Module, "compile", leave=self._module_compiled)
        replace(torch.nn.Module, "_replicate_for_data_parallel", leave=_replicated)
        when_imported("torch._dynamo.eval_frame", self._watch_compiled)

    def stepped(self) -> None:
        """An optimizer has stepped. Without forward calls in between it was the wrong module."""
        self._silent_steps += 1
        if self._silent_steps > _STEPS_WITHOUT_FORWARD and self._searches < _SEARCHES:
            self._let_go()
            self._search()

    def _optimizer_made(self, _optimizer: object, _result: object, _error: object) -> None:
        while self._withdraw:
            self._withdraw.pop()()
        self._search()

    def _search(self) -> None:
        self._silent_steps = 0
        self._searches += 1
        self._wait()

    def _wait(self) -> None:
        if self._waiting is None and self._model is None:
            self._waiting = register_module_forward_pre_hook(self._hook())

    def _stop_waiting(self) -> None:
        if self._waiting is not None:
            self._waiting.remove()
            self._waiting = None

    def _hook(self) -> Callable[[Any, Any], None]:
        is_compiling = torch.compiler.is_compiling

        def called(module: Any, args: Any) -> None:
            if not is_compiling():
                self._called(module)

        return called

    def _called(self, module: Any) -> None:
        try:
            if _trains(module) and recording.here():
                self._take(module)
        except Exception as error:
            self._stop_waiting()
            faults.report("forward", error)

    def _take(self, module: Any) -> None:
        self._stop_waiting()
        self._forget_compiled()
        self._model = module
        self._hang(module)
        device.clock.model_found(module)
        self._begin()

    def _hang(self, module: Any) -> None:
        inner = module.__dict__.get(_SLOT)
        call = module._call_impl if inner is None else inner
        module.__dict__[_SLOT] = probe(call, "forward", lambda _first: self._model_called(module))

    def _let_go(self) -> None:
        module, self._model = self._model, None
        if module is not None:
            hung = module.__dict__.get(_SLOT)
            inner = getattr(hung, "original", None)
            if inner == module._call_impl:
                del module.__dict__[_SLOT]
            elif inner is not None:
                module.__dict__[_SLOT] = inner

    def _model_called(self, module: Any) -> None:
        if module is self._model and _trains(module) and recording.here():
            self._begin()

    def _begin(self) -> None:
        self._silent_steps = 0
        recording.steps.forward_begin()
        device.clock.forward_begin()

    def _watch_compiled(self) -> None:
        """A compiled module warns of global hooks, so the wait ends before it looks."""
        compiled = sys.modules["torch._dynamo.eval_frame"].OptimizedModule
        replace(compiled, "__call__", self._compiled_called, self._compiled_left)

    def _compiled_called(self, module: Any) -> None:
        if self._waiting is not None:
            self._stop_waiting()
            self._called(module)

    def _compiled_left(self, _module: object, _result: object, _error: object) -> None:
        if self._searches:
            self._wait()

    def _module_compiled(self, module: Any, _result: object, error: object) -> None:
        """`module.compile()` fills the slot. Calls through it must not meet the global hook."""
        if error is not None:
            return
        if module is self._model:
            self._hang(module)
        elif self._model is None:
            inner = module.__dict__[_SLOT]
            hung = probe(
                inner, "forward", lambda _first: self._compiled_called(module), self._compiled_left
            )
            module.__dict__[_SLOT] = hung
            self._compiled.append((module, hung, inner))

    def _forget_compiled(self) -> None:
        for module, hung, inner in self._compiled:
            if module.__dict__.get(_SLOT) is hung:
                module.__dict__[_SLOT] = inner
        self._compiled.clear()


def _trains(module: Any) -> bool:
    return (
        torch.is_grad_enabled()
        and module.training
        and any(parameter.requires_grad for parameter in module.parameters())
    )


def _replicated(_module: object, replica: Any, error: object) -> None:
    # The copy must not call the module that it was copied from.
    if error is None:
        replica.__dict__.pop(_SLOT, None)


finder = Finder()
