# SPDX-License-Identifier: Apache-2.0
"""Where the forward pass begins: finding the model, and noting when it is called.

The model is the first module with parameters that is called from outside any other, in training
mode and with gradients on, after an optimizer was made. A global forward hook waits for that call
and is taken away in it, so that no module below and no compiler sees it.

At the begin of each call torch reads `_compiled_call_impl` from the module, where `Module.compile`
puts its function. From then on that read is noted, by an attribute of the model's class that gives
None as before: nothing of the module itself changes.
"""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable
from typing import Any

import torch
from torch.nn.modules.module import register_module_forward_pre_hook

from stoker import _core

from . import device, faults, recording
from .patch import probe, replace
from .recording import watcher

_SLOT = "_compiled_call_impl"
_MOST_SEARCHES = 3
is_compiling = torch.compiler.is_compiling


class _ModelCall:
    """The class attribute. Plain Python, because torch.compile reads it where it inlines a module
    that has hooks."""

    def __init__(self, module: Any) -> None:
        self._module = weakref.ref(module)

    def __get__(self, instance: Any, owner: Any = None) -> None:
        if not is_compiling() and instance is self._module():
            watcher.model_called(instance)

    def __reduce__(self) -> Any:
        return type(None), ()  # where a class is pickled with its attributes


class Finder:
    def __init__(self) -> None:
        self._model: Callable[[], Any] | None = None  # a weak reference
        self._kind: type | None = None  # the model's class
        self._hook: Any = None
        self._searches = 0
        self._compiled: list[Callable[[], Any]] = []  # weak references
        self._leave_optimizers: Callable[[], None] | None = None

    def watch(self, when_imported: Callable[[str, Callable[[], None]], None]) -> None:
        self._leave_optimizers = replace(
            torch.optim.Optimizer, "__init__", probe("optimizer made", leave=self._optimizer_made)
        )
        replace(torch.nn.Module, "compile", probe("Module.compile", leave=self._module_compiled))
        when_imported("torch._dynamo.eval_frame", self._watch_compiled)
        recording.on_silence.append(self._not_called)

    def _optimizer_made(self, *_args: object) -> None:
        if self._leave_optimizers is not None:
            self._leave_optimizers()
            self._leave_optimizers = None
            self._search()

    def _search(self) -> None:
        self._searches += 1
        self._wait()

    def _not_called(self) -> None:
        """Optimizers step, but the module that was found is not called: it is not the model, or it
        was compiled into a function, which another search would make torch compile again."""
        if self._hook is None and 0 < self._searches < _MOST_SEARCHES and not _has_graphs():
            self._let_go()
            self._search()

    def _wait(self) -> None:
        if self._hook is None and self._model is None:

            def called(module: Any, args: Any) -> None:
                if not is_compiling():
                    self._called(module)

            self._hook = register_module_forward_pre_hook(called)

    def _stop_waiting(self) -> None:
        if self._hook is not None:
            self._hook.remove()
            self._hook = None

    def _called(self, module: Any) -> None:
        try:
            if _trains(module) and watcher.here():
                self._take(module)
        except Exception as error:
            self._stop_waiting()
            self._searches = _MOST_SEARCHES
            faults.report("forward", error)

    def _take(self, module: Any) -> None:
        self._stop_waiting()
        self._forget_compiled()
        self._model = weakref.ref(module)
        self._hang(module)
        device.model_found(module)
        watcher.forward_begin()

    def _hang(self, module: Any) -> None:
        compiled = module.__dict__.get(_SLOT)
        if compiled is not None:
            module.__dict__[_SLOT] = _core.forward_probe(module, compiled, watcher)
        kind = type(module)
        if kind is not torch.nn.Module:  # whose attribute is torch's own
            setattr(kind, _SLOT, _ModelCall(module))
            self._kind = kind

    def _let_go(self) -> None:
        module = None if self._model is None else self._model()
        if module is not None:
            _unhang(module)
        self._model = None
        if self._kind is not None:
            delattr(self._kind, _SLOT)
            self._kind = None

    def _watch_compiled(self) -> None:
        """A compiled module warns of global hooks, so the wait ends before it looks."""
        compiled = sys.modules["torch._dynamo.eval_frame"].OptimizedModule
        replace(
            compiled,
            "__call__",
            probe("compiled module", self._compiled_called, self._compiled_left),
        )

    def _compiled_called(self, module: Any) -> None:
        if self._hook is not None:
            self._slot_called(module)
        elif self._model is not None and module._orig_mod is self._model():
            # Compiled after it was found: below here the read is compiled away.
            watcher.model_called(module)

    def _slot_called(self, module: Any) -> None:
        if self._hook is not None:
            self._stop_waiting()
            self._called(module)

    def _compiled_left(self, *_args: object) -> None:
        if 0 < self._searches < _MOST_SEARCHES:
            self._wait()

    def _module_compiled(self, module: Any, _result: object, error: object) -> None:
        """`module.compile()` fills the slot. Calls through it must not meet the global hook."""
        if error is not None:
            return
        if self._model is not None:
            if module is self._model():
                module.__dict__[_SLOT] = _core.forward_probe(
                    module, module.__dict__[_SLOT], watcher
                )
            return
        reference = weakref.ref(module)
        hung = probe(
            "Module.compile", lambda _: self._slot_called(reference()), self._compiled_left
        )
        module.__dict__[_SLOT] = hung(module.__dict__[_SLOT])
        self._compiled.append(reference)

    def slot_filled(self, module: Any) -> None:
        """Somebody put a call of their own into the module's slot: note calls through it."""
        if module.__dict__.get(_SLOT) is not None:
            self._module_compiled(module, None, None)

    def _forget_compiled(self) -> None:
        for reference in self._compiled:
            module = reference()
            if module is not None:
                _unhang(module)
        self._compiled.clear()


def _unhang(module: Any) -> None:
    hung = module.__dict__.get(_SLOT)
    if isinstance(hung, _core.Probe):
        module.__dict__[_SLOT] = hung.original


def _has_graphs() -> bool:
    dynamo = sys.modules.get("torch._dynamo.utils")
    return dynamo is not None and bool(dynamo.counters["stats"]["unique_graphs"])


def _trains(module: Any) -> bool:
    return (
        torch.is_grad_enabled()
        and module.training
        and any(parameter.requires_grad for parameter in module.parameters())
    )


finder = Finder()
