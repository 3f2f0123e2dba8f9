# SPDX-License-Identifier: Apache-2.0
"""stoker keeps the GPU fed.

Importing this package imports neither torch nor Pillow: what needs them imports them when it is
called.
"""

from __future__ import annotations

import importlib
from typing import Any

__version__ = "0.1.0"
__all__ = ["ImageLoader", "SampleError", "pil", "setup", "transforms"]

_MODULES = {"ImageLoader": "loader", "SampleError": "loader", "setup": "levers.setup"}


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return getattr(importlib.import_module(f"{__name__}.{_MODULES[name]}"), name)
    if name in ("pil", "transforms"):
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
