# SPDX-License-Identifier: Apache-2.0
"""The first steps of a training: which modules are the models, and how they are called."""

from __future__ import annotations

import functools
import threading
import weakref
from collections.abc import Callable
from typing import Any

import torch
from torch.nn.modules.module import register_module_forward_hook, register_module_forward_pre_hook
from torch.utils import _pytree

from .case import Observed
from .driver import signature

STEPS = 3
_with_kwargs: Any = torch.nn.modules.module._global_forward_hooks_with_kwargs
_Replicas = torch.nn.parallel.DistributedDataParallel


class Observer:
    """Plain hooks on modules for the first STEPS optimizer steps, then none. Whoever makes it calls
    `stepped` after each optimizer step; `on_done(observer)` is called in the last of these steps,
    by the thread that trains. Without `look_at_models` it counts steps alone."""

    def __init__(
        self,
        on_done: Callable[[Observer], None],
        on_error: Callable[[Exception], None],
        look_at_models: bool = True,
    ) -> None:
        self.models: list[Observed] = []
        self.optimizers: list[Any] = []
        self.steps = 0
        self._on_done = on_done
        self._on_error = on_error
        self._depth = 0
        self._thread = threading.get_ident()
        self._calls: dict[int, int] = {}
        self._replicas: Any = None
        self._autocast_inside = False
        self.differentiates_twice = False
        self.over = False
        self.looked_at_models = look_at_models
        self._hooks: list[Any] = []
        self._put_back: list[Callable[[], None]] = []
        if look_at_models:
            self._hooks = [
                register_module_forward_pre_hook(self._enter),
                register_module_forward_hook(self._leave, with_kwargs=True, always_call=True),
            ]
            self._put_back = [self._watch_create_graph("grad", 4)]
            self._put_back.append(self._watch_create_graph("backward", 3))

    def stop(self) -> None:
        self.over = True
        self._unhook()

    def look_no_more(self) -> None:
        """The script compiles a model itself: hooks would be compiled into it, and warned of."""
        self._unhook()
        self.models.clear()

    def _unhook(self) -> None:
        for hook in self._hooks:
            hook.remove()
            _with_kwargs.pop(hook.id, None)  # torch leaves it there, and warns of it from then on
        self._hooks.clear()
        for put_back in self._put_back:
            put_back()
        self._put_back.clear()

    def _watch_create_graph(self, name: str, place: int) -> Callable[[], None]:
        """`place` of the argument `create_graph` among those without names."""
        original = getattr(torch.autograd, name)
        observer = weakref.ref(self)  # scripts may import what hangs here, and keep it

        @functools.wraps(original)
        def hung(*args: Any, **kwargs: Any) -> Any:
            if kwargs.get("create_graph") or any(args[place : place + 1]):
                watching = observer()
                if watching is not None:
                    watching.differentiates_twice = True
            return original(*args, **kwargs)

        setattr(torch.autograd, name, hung)

        def put_back() -> None:
            if getattr(torch.autograd, name) is hung:
                setattr(torch.autograd, name, original)

        return put_back

    # A compiler that meets these hooks must find at once that they do nothing.
    def _enter(self, module: Any, _args: Any) -> None:
        if torch.compiler.is_compiling() or threading.get_ident() != self._thread:
            return
        if isinstance(module, _Replicas):
            self._replicas = module  # what it calls is the model
            return
        self._depth += 1
        if self._depth > 1 and not self._autocast_inside:
            self._autocast_inside = any(map(torch.is_autocast_enabled, ("cuda", "cpu")))

    def _leave(self, module: Any, args: Any, *rest: Any) -> None:
        if torch.compiler.is_compiling() or threading.get_ident() != self._thread:
            return
        if isinstance(module, _Replicas):
            self._replicas = None
            return
        self._depth = max(0, self._depth - 1)
        if len(rest) != 2:
            return  # The call raised an error; torch then leaves keyword arguments out.
        kwargs, output = rest
        if self._depth == 0 and torch.is_grad_enabled() and module.training:
            try:
                self._called(module, args, kwargs, output)
            except Exception as error:
                self.stop()
                self._on_error(error)

    def _called(self, module: Any, args: Any, kwargs: Any, output: Any) -> None:
        parameters = list(module.parameters())
        if not any(parameter.requires_grad for parameter in parameters):
            return
        observed = next((model for model in self.models if model.module is module), None)
        if observed is None:
            observed = Observed(module, replicas=self._replicas)
            self.models.append(observed)
        kind = parameters[0].device.type
        observed.saw_autocast |= torch.is_autocast_enabled(kind) or self._autocast_inside
        self._autocast_inside = False
        observed.signatures.append(signature(args, kwargs))
        observed.last_call = (args, kwargs)
        observed.output_kinds |= {type(leaf).__name__ for leaf in _pytree.tree_leaves(output)}
        self._calls[id(module)] = self._calls.get(id(module), 0) + 1

    def stepped(self, optimizer: Any) -> None:
        if self.over:
            return
        try:
            self._count_step(optimizer)
        except Exception as error:
            self.stop()
            self._on_error(error)

    def _count_step(self, optimizer: Any) -> None:
        if all(known is not optimizer for known in self.optimizers):
            self.optimizers.append(optimizer)
        if optimizer is not self.optimizers[0]:
            return
        self.steps += 1
        for model in self.models:
            model.calls_of_steps.append(self._calls.pop(id(model.module), 0))
        if self.steps == STEPS:
            self.stop()
            self._on_done(self)
