# SPDX-License-Identifier: Apache-2.0
"""`tensor.to(device)` and `tensor.cuda()` through pinned memory.

torch makes the host wait in each of them until the GPU has done all that was asked of it, so that
the next step cannot be prepared meanwhile. Here the host copies the tensor into pinned memory,
after which the script may do with it what it wants, and goes on; the tensor crosses the bus on a
stream of its own, beside the kernels. The same bytes arrive, in order before whatever the script
asks of the GPU next.
"""

from __future__ import annotations

import functools
import threading
from collections import deque
from collections.abc import Callable
from typing import Any

import torch

from ..outcome import error_text, say
from .staging import SMALL_BYTES, Staging

# How far the host may be ahead: large copies whose batch the GPU has not reached yet.
_MOST_AHEAD = 12
_MOST_AHEAD_BYTES = 512 << 20

# Partly untyped in torch.
_cuda: Any = torch.cuda
_Tensor: Any = torch.Tensor
_C: Any = torch._C


class Copies:
    """Used by the thread that makes it; copies of other threads are left to torch."""

    def __init__(self, device: torch.device, must_stop: Callable[[], bool]) -> None:
        self._device = device
        self._must_stop = must_stop
        self._thread = threading.get_ident()
        self._stream = _cuda.Stream(device)
        self._to = _Tensor.to
        self._staging = Staging()
        self._ahead: deque[tuple[Any, int]] = deque()
        self._ahead_bytes = 0
        self._on = True

    def install(self) -> Callable[[], None]:
        put_back = [self._hang("to", None), self._hang("cuda", torch.device("cuda"))]

        def undo() -> None:
            self._on = False
            for one in put_back:
                one()

        return undo

    def _hang(self, name: str, bare: torch.device | None) -> Callable[[], None]:
        """`bare` is the target of a call that names none."""
        original = getattr(_Tensor, name)

        @functools.wraps(original)
        def hung(tensor: Any, *args: Any, **kwargs: Any) -> Any:
            if type(tensor) is _Tensor and self._on and self._fits(tensor):
                target = _target(args, kwargs, bare)
                if target is not None and self._is_here(target):
                    return self._copy(tensor, lambda: original(tensor, *args, **kwargs))
            return original(tensor, *args, **kwargs)

        setattr(_Tensor, name, hung)

        def put_back() -> None:
            if getattr(_Tensor, name) is hung:
                setattr(_Tensor, name, original)

        return put_back

    def _fits(self, tensor: Any) -> bool:
        return bool(
            not tensor.is_cuda
            and tensor.device.type == "cpu"
            and not tensor.requires_grad
            and tensor.layout is torch.strided
            and tensor.numel() > 0
            and (tensor.is_contiguous() or _is_channels_last(tensor))
            and not (tensor.is_conj() or tensor.is_neg() or tensor.is_quantized)
            and threading.get_ident() == self._thread
            and _C._len_torch_function_stack() == 0
            and _C._len_torch_dispatch_stack() == 0
        )

    def _is_here(self, target: torch.device) -> bool:
        index = _cuda.current_device() if target.index is None else target.index
        return (
            target.type == "cuda"
            and index == self._device.index
            and index == _cuda.current_device()
            and _cuda.current_stream(self._device) == _cuda.default_stream(self._device)
            and not _cuda.is_current_stream_capturing()
            and not self._must_stop()
        )

    def _copy(self, tensor: Any, plain: Callable[[], Any]) -> Any:
        try:
            return self._copy_beside(tensor)
        except Exception as error:
            self._on = False
            say("non_blocking", False, f"taken off: {error_text(error)}")
        return plain()

    def _copy_beside(self, tensor: Any) -> Any:
        main = _cuda.current_stream(self._device)
        if tensor.nbytes > SMALL_BYTES:
            self._wait_for_room(tensor.nbytes, main)
        pinned = tensor.is_pinned()
        with _cuda.stream(self._stream):
            if pinned:
                copied = self._to(tensor, self._device, non_blocking=True)
            else:
                copied = self._staging.put(tensor, self._stream)
        if pinned:
            self._stream.synchronize()  # the script may write into it at once
        main.wait_stream(self._stream)
        copied.record_stream(main)
        return copied

    def _wait_for_room(self, size: int, main: Any) -> None:
        """An event before each copy: when the GPU has reached it, the batch before is used up."""
        while self._ahead and (
            len(self._ahead) >= _MOST_AHEAD or self._ahead_bytes + size > _MOST_AHEAD_BYTES
        ):
            reached, old = self._ahead.popleft()
            reached.synchronize()
            self._ahead_bytes -= old
        reached = _cuda.Event()
        reached.record(main)
        self._ahead.append((reached, size))
        self._ahead_bytes += size


def _is_channels_last(tensor: Any) -> bool:
    return bool(tensor.ndim == 4 and tensor.is_contiguous(memory_format=torch.channels_last))


def _target(args: Any, kwargs: Any, bare: torch.device | None) -> torch.device | None:
    """The device of a call that asks for nothing else than another device, or None."""
    if len(args) + ("device" in kwargs) > 1 or kwargs.keys() - {"device", "non_blocking"}:
        return None
    target = args[0] if args else kwargs.get("device")
    return bare if target is None else _as_device(target)


def _as_device(target: Any) -> torch.device | None:
    if isinstance(target, torch.device):
        return target
    if isinstance(target, str):
        return torch.device(target) if target.startswith("cuda") else None
    if type(target) is int:
        return torch.device("cuda", target)
    return None
