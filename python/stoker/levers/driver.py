# SPDX-License-Identifier: Apache-2.0
"""What stands in a model's slot `_compiled_call_impl`, and calls the model with levers.

The slot is torch's own, for `Module.compile`: class, identity, `state_dict` keys, pickling and
deepcopy of the model stay as they are. Evaluation and calls without gradients go to the plain
model.
"""

from __future__ import annotations

import contextlib
import sys
import weakref
from collections.abc import Callable
from typing import Any

import torch
from torch.utils import _pytree

from .case import Signature
from .state import State

SLOT = "_compiled_call_impl"
_FRESH = 3
_MOST_RECOMPILES = 4
_LOW = (torch.bfloat16, torch.float16)


class Storm(Exception):
    """A compiled model that is compiled again and again."""


class Driver:
    """Levers of one model. Called in its place, from the thread that trains."""

    def __init__(self, module: torch.nn.Module) -> None:
        self._module: Callable[[], Any] = weakref.ref(module)
        self.autocast: torch.dtype | None = None
        self.channels_last = False
        self.compiled: Callable[..., Any] | None = None
        self.compiled_for: Callable[[Signature], bool] = _nothing
        self.graphs = False  # the compiled call replays CUDA graphs
        # Told after the plain model has taken over the call: the compiled one, or any of the
        # levers, failed; or the output became NaN where the plain model's is not.
        self.on_compiled_failure: Callable[[Driver, BaseException], None] | None = None
        self.on_failure: Callable[[Driver, BaseException], None] | None = None
        self.on_nan: Callable[[Driver], None] | None = None
        self.notes_finite = False
        self._finite: torch.Tensor | None = None
        self._fresh = 0  # calls whose output is looked at, and before which State is kept
        self._recompiles = 0  # after these

    def use_compiled(
        self,
        compiled: Callable[..., Any] | None,
        fits: Callable[[Signature], bool],
        graphs: bool,
    ) -> Callable[[], None]:
        """Call `compiled` from now on where it fits. Gives a function that takes it back."""
        before = (self.compiled, self.compiled_for, self.graphs)
        self.compiled, self.compiled_for, self.graphs = compiled, fits, graphs
        self.changed()

        def undo() -> None:
            self.compiled, self.compiled_for, self.graphs = before

        return undo

    def changed(self) -> None:
        """A lever went on: the next calls are looked at more closely."""
        self._fresh, self._recompiles = _FRESH, 0

    def forget(self) -> None:
        """Look at calls no more."""
        self._fresh, self.notes_finite, self._finite = 0, False, None

    def hang(self) -> None:
        module = self._module()
        if module is not None:
            module.__dict__[SLOT] = self

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        module = self._module()
        assert module is not None, "a model was called after its end"
        if not (torch.is_grad_enabled() and module.training):
            return module._call_impl(*args, **kwargs)
        state = State(module) if self._fresh else None
        try:
            out = self.call(module, args, kwargs)
        except Exception as error:
            failure = error
        else:
            return self._looked_at(module, args, kwargs, state, out)
        return self._instead(module, args, kwargs, state, failure)

    def _looked_at(self, module: Any, args: Any, kwargs: Any, state: State | None, out: Any) -> Any:
        if state is None:
            if self.notes_finite:
                self._note_finite(out)
            return out
        self._fresh -= 1
        if _is_finite(out):
            return out
        state.restore()
        plain = module._call_impl(*args, **kwargs)
        if _is_finite(plain) and self.on_nan is not None:
            self.on_nan(self)
        return plain

    def _instead(
        self,
        module: Any,
        args: Any,
        kwargs: Any,
        state: State | None,
        failure: BaseException,
    ) -> Any:
        """The same call with fewer levers. If the error is the script's own, it comes again from
        the plain model, and levers stay."""
        if self._is_compiled(args, kwargs):
            if state is not None:
                state.restore()
            with contextlib.suppress(Exception):
                out = self._uncompiled(module, args, kwargs)
                self.compiled = None
                if self.on_compiled_failure is not None:
                    self.on_compiled_failure(self, failure)
                return out
        if state is not None:
            state.restore()
        out = module._call_impl(*args, **kwargs)
        if self.on_failure is not None:
            self.on_failure(self, failure)
        return out

    def _note_finite(self, out: Any) -> None:
        output = _first_float(out)
        if output is not None:
            finite = torch.isfinite(output).all()
            self._finite = finite if self._finite is None else self._finite & finite

    def was_finite(self) -> bool:
        """Were all outputs since the last question? Waits for the device."""
        finite, self._finite = self._finite, None
        return finite is None or bool(finite)

    def call(self, module: Any, args: Any, kwargs: Any) -> Any:
        """One training call with the levers that are on. Raises what they raise."""
        if not self._is_compiled(args, kwargs):
            return self._uncompiled(module, args, kwargs)
        if self.graphs:
            own_gradients(module)
        count, copy = unique_graphs(), self.graphs
        assert self.compiled is not None
        args, kwargs = self._inputs(args, kwargs)
        with self._precision():
            out = self.compiled(*args, **kwargs)
        if not self._fresh and unique_graphs() != count:
            self._count_recompile()
        return self._outputs(out, copy)

    def _uncompiled(self, module: Any, args: Any, kwargs: Any) -> Any:
        args, kwargs = self._inputs(args, kwargs)
        with self._precision():
            out = module._call_impl(*args, **kwargs)
        return self._outputs(out, False)

    def _is_compiled(self, args: Any, kwargs: Any) -> bool:
        return self.compiled is not None and self.compiled_for(signature(args, kwargs))

    def _inputs(self, args: Any, kwargs: Any) -> Any:
        if not self.channels_last:
            return args, kwargs
        return _pytree.tree_map(_to_channels_last, (args, kwargs))

    def _count_recompile(self) -> None:
        self._recompiles += 1
        if self._recompiles >= _MOST_RECOMPILES:
            self.compiled = None
            if self.on_compiled_failure is not None:
                storm = Storm(f"it was compiled again in {self._recompiles} steps")
                self.on_compiled_failure(self, storm)

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


def unique_graphs() -> int:
    """How many graphs torch.compile has made in this process."""
    dynamo = sys.modules.get("torch._dynamo.utils")
    return 0 if dynamo is None else int(dynamo.counters["stats"]["unique_graphs"])


def _nothing(_shapes: Signature) -> bool:
    return False


def signature(args: Any, kwargs: Any) -> Signature:
    """What a compiled model is made for: shapes, kinds and constants of a call's arguments."""
    leaves, structure = _pytree.tree_flatten((args, kwargs))
    return (structure, *map(_leaf, leaves))


def kind(shapes: Signature) -> Signature:
    """`shapes` without their sizes: what they have in common if these change."""
    return tuple((len(leaf[0]), *leaf[1:]) if isinstance(leaf, tuple) else leaf for leaf in shapes)


def _leaf(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return (tuple(value.shape), value.dtype, value.device, value.requires_grad)
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    return type(value)


def _is_finite(out: Any) -> bool:
    output = _first_float(out)
    return output is None or bool(torch.isfinite(output).all())


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
