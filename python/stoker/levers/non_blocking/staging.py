# SPDX-License-Identifier: Apache-2.0
"""Pinned memory through which tensors go to the GPU.

A few pieces in turn, kept for ever: torch's cache of pinned memory gives a piece back only after
the GPU has come to it on every stream, and a new one costs milliseconds.
"""

from __future__ import annotations

from typing import Any

import torch

_PIECES = 3  # of each size class
SMALL_BYTES = 1 << 20

# Partly untyped in torch.
_cuda: Any = torch.cuda


class _Piece:
    def __init__(self) -> None:
        self.memory = torch.empty(0, dtype=torch.uint8)
        self.busy: Any = None  # an event that the GPU reaches when it has read the piece


class Staging:
    """Used by one thread, with one stream."""

    def __init__(self) -> None:
        self._small = [_Piece() for _ in range(2 * _PIECES)]
        self._large = [_Piece() for _ in range(_PIECES)]

    def put(self, tensor: Any, stream: Any) -> Any:
        """A copy of `tensor` on the device of `stream`, made on that stream, which must be the
        current one. The caller may write into `tensor` at once."""
        pieces = self._small if tensor.nbytes <= SMALL_BYTES else self._large
        piece = pieces.pop(0)
        pieces.append(piece)
        if piece.busy is not None:
            piece.busy.synchronize()
        if piece.memory.numel() < tensor.nbytes:
            size = max(tensor.nbytes, SMALL_BYTES)
            with torch.inference_mode(False):  # what is made in that mode cannot be used outside
                piece.memory = torch.empty(size, dtype=torch.uint8, pin_memory=True)
        staged = piece.memory[: tensor.nbytes].view(tensor.dtype)
        staged = staged.as_strided(tensor.size(), tensor.stride())
        staged.copy_(tensor)
        copied = torch.empty_like(tensor, device=stream.device)
        copied.copy_(staged, non_blocking=True)
        piece.busy = _cuda.Event()
        piece.busy.record(stream)
        return copied
