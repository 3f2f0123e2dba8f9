# SPDX-License-Identifier: Apache-2.0
"""What stands in a model's slot `_compiled_call_impl`, and calls the model with levers.

The slot is torch's own, for `Module.compile`: class, identity, `state_dict` keys, pickling and
deepcopy of the model stay as they are. Evaluation and calls without gradients go to the plain
model.
"""

from __future__ import annotations

import contextlib
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch.utils import _pytree

from .case import Signature
from .state import State

SLOT = "_compiled_call_impl"
_FRESH = 3
_LOW = (torch.bfloat16, torch.float16)


class Driver:
    """Levers of one model. Called in its place, from the thread that trains."""

    def __init__(self, module: torch.nn.Module) -> None:
        self._module: Callable[[], Any] = weakref.ref(module)
        self.autocast: torch.dtype | None = None
        self.channels_last = False
        self.compiled: Callable[..., Any] | None = None
        self.compiled_for: set[Signature] = set()
        self.graphs = False  # the compiled call replays CUDA graphs
        self.on_failure: Callable[[Driver, BaseException], None] | None = None
        self.other_shapes = 0  # calls that the compiled model was not made for
        self.first_output: torch.Tensor | None = None  # of the last call, while somebody looks
        self.keep_output = False
        self._strict = False
        self._fresh = 0  # compiled calls before which random state and buffers are kept

    def use_compiled(
        self, compiled: Callable[..., Any] | None, shapes: set[Signature], graphs: bool
    ) -> Callable[[], None]:
        """Call `compiled` for these shapes from now on. Gives a function that takes it back."""
        before = (self.compiled, self.compiled_for, self.graphs)
        self.compiled, self.compiled_for, self.graphs = compiled, shapes, graphs
        self._fresh = _FRESH

        def undo() -> None:
            self.compiled, self.compiled_for, self.graphs = before

        return undo

    def hang(self) -> None:
        module = self._module()
        if module is not None:
            module.__dict__[SLOT] = self

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        module = self._module()
        assert module is not None, "a model was called after its end"
        if not (torch.is_grad_enabled() and module.training):
            return module._call_impl(*args, **kwargs)
        out = self.call(module, args, kwargs)
        if self.keep_output:
            self.first_output = _first_float(out)
        return out

    @contextlib.contextmanager
    def strictly(self) -> Iterator[None]:
        """Let errors of the compiled call through, as a trial wants them."""
        self._strict = True
        try:
            yield
        finally:
            self._strict = False

    def call(self, module: Any, args: Any, kwargs: Any) -> Any:
        """One training call with the levers that are on."""
        if self.channels_last:
            args, kwargs = _pytree.tree_map(_to_channels_last, (args, kwargs))
        if self.compiled is not None:
            if signature(args, kwargs) in self.compiled_for:
                return self._call_compiled(module, args, kwargs)
            self.other_shapes += 1
        with self._precision():
            out = module._call_impl(*args, **kwargs)
        return self._outputs(out, False)

    def _call_compiled(self, module: Any, args: Any, kwargs: Any) -> Any:
        assert self.compiled is not None
        if self.graphs:
            own_gradients(module)
        state = State(module) if self._fresh else None
        self._fresh = max(0, self._fresh - 1)
        try:
            with self._precision():
                out = self.compiled(*args, **kwargs)
        except Exception as error:
            if self._strict:
                raise
            # The same call by the plain model: if the error is the script's own, it comes again.
            self.compiled = None
            if state is not None:
                state.restore()
            with self._precision():
                out = module._call_impl(*args, **kwargs)
            if self.on_failure is not None:
                self.on_failure(self, error)
            return self._outputs(out, False)
        return self._outputs(out, self.graphs)

    def _precision(self) -> contextlib.AbstractContextManager[Any]:
        module = self._module()
        assert module is not None
        if self.autocast is None:
            return contextlib.nullcontext()
        kind = next(module.parameters()).device.type
        if torch.is_autocast_enabled(kind):
            return contextlib.nullcontext()
        return torch.autocast(kind, dtype=self.autocast)

    def _outputs(self, out: Any, copy: bool) -> Any:
        """Float32 where autocast gave less; copies of what the next replay would overwrite."""
        widen = self.autocast is not None
        if not widen and not copy:
            return out

        def own(value: Any) -> Any:
            if not isinstance(value, torch.Tensor):
                return value
            if widen and value.dtype in _LOW:
                return value.float()
            return value.clone() if copy else value

        return _pytree.tree_map(own, out)


def signature(args: Any, kwargs: Any) -> Signature:
    """What a compiled model is made for: shapes, kinds and constants of a call's arguments."""
    leaves, structure = _pytree.tree_flatten((args, kwargs))
    return (structure, *map(_leaf, leaves))


def _leaf(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return (tuple(value.shape), value.dtype, value.device, value.requires_grad)
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    return type(value)


def _first_float(out: Any) -> torch.Tensor | None:
    for leaf in _pytree.tree_leaves(out):
        if isinstance(leaf, torch.Tensor) and leaf.is_floating_point():
            return leaf.detach()
    return None


def own_gradients(module: torch.nn.Module) -> None:
    """Give gradients that are still there memory of their own: a replay writes where the last one
    did, and accumulation must add to what was, not to what is being written."""
    for parameter in module.parameters():
        if parameter.grad is not None:
            parameter.grad = parameter.grad.clone()


def _to_channels_last(value: Any) -> Any:
    if isinstance(value, torch.Tensor) and value.ndim == 4 and value.is_floating_point():
        return value.contiguous(memory_format=torch.channels_last)
    return value
