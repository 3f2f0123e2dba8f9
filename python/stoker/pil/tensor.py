# SPDX-License-Identifier: Apache-2.0
"""torchvision's ToTensor and Normalize by the native kernels: the same floats, sooner.

They are patched when torchvision has been imported by somebody else; nothing is imported here
before that.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any

from PIL import Image

from .. import _core
from . import counters
from .source import CHANNELS

_undo: list[Callable[[], None]] = []


def patch_when_imported() -> None:
    """Patch torchvision if it is there and not patched yet."""
    if _undo:
        return
    functional = sys.modules.get("torchvision.transforms.functional")
    transforms = sys.modules.get("torchvision.transforms.transforms")
    if not hasattr(transforms, "Normalize") or not hasattr(functional, "to_tensor"):
        return
    _patch_to_tensor(functional)
    _patch_normalize(transforms)


def unpatch() -> None:
    while _undo:
        _undo.pop()()


def _native(kernel: Callable[..., Any], *args: Any) -> Any:
    """None where torchvision has to do it."""
    try:
        return kernel(*args)
    except Exception as error:
        counters.fault("native tensors", error)
        return None


def _patch_to_tensor(functional: Any) -> None:
    original = functional.to_tensor

    @functools.wraps(original)
    def to_tensor(pic: Any) -> Any:
        tensor = _native(_native_to_tensor, pic) if isinstance(pic, Image.Image) else None
        return original(pic) if tensor is None else tensor

    functional.to_tensor = to_tensor
    _undo.append(lambda: setattr(functional, "to_tensor", original))


def _native_to_tensor(pic: Image.Image) -> Any:
    torch = sys.modules["torch"]
    channels = CHANNELS.get(pic.mode)
    width, height = pic.size
    if channels is None or not width or not height:
        return None
    if torch.get_default_dtype() is not torch.float32 or torch.jit.is_tracing():
        return None
    # torchvision permutes HWC: of one channel this leaves a stride that shows that.
    strides = (1, width, 1) if channels == 1 else (height * width, width, 1)
    shape = (channels, height, width)
    out = torch.empty_strided(shape, strides, dtype=torch.float32, device="cpu")
    if type(out) is not torch.Tensor:
        return None  # a mode that makes fake tensors is on
    try:
        pixels = pic.tobytes()
    except Exception:
        return None  # a damaged file, say: torchvision meets it at its own line
    _core.to_tensor(pixels, height, width, channels, out.data_ptr())
    return out


def _patch_normalize(transforms: Any) -> None:
    # On the class and not in F.normalize, which torch.jit.script compiles from its source.
    cls = transforms.Normalize
    inherited = cls.__call__

    def __call__(self: Any, *args: Any, **kwargs: Any) -> Any:
        if type(self) is cls and len(args) == 1 and not kwargs:
            out = _native(_native_normalize, self, args[0])
            if out is not None:
                return out
        return inherited(self, *args, **kwargs)

    cls.__call__ = __call__
    _undo.append(lambda: delattr(cls, "__call__"))


def _native_normalize(module: Any, tensor: Any) -> Any:
    torch = sys.modules["torch"]
    if type(tensor) is not torch.Tensor or tensor.dtype is not torch.float32 or tensor.ndim != 3:
        return None
    if tensor.device.type != "cpu" or tensor.requires_grad or not tensor.is_contiguous():
        return None
    if (
        module.inplace
        or module._forward_hooks
        or module._forward_pre_hooks
        or torch.jit.is_tracing()
    ):
        return None
    channels, height, width = tensor.shape
    mean, std = _floats(module.mean, channels), _floats(module.std, channels)
    if mean is None or std is None or not all(abs(value) > 1e-30 for value in std):
        return None
    out = torch.empty_like(tensor)
    if type(out) is not torch.Tensor:
        return None
    _core.normalize(tensor.data_ptr(), channels, height * width, mean, std, out.data_ptr())
    return out


def _floats(values: Any, count: int) -> list[float] | None:
    if not isinstance(values, (list, tuple)) or len(values) != count:
        return None
    return list(values) if all(type(value) is float for value in values) else None
