# SPDX-License-Identifier: Apache-2.0
"""Exact, lazy decoding of JPEGs for anything that opens images with Pillow.

After `install()`, `PIL.Image.open` gives images that wait with decoding through `convert`, `crop`,
`transpose` and `resize` until somebody looks at a pixel; then the native decoder reads only what
is left. Same pixels, same random numbers, same exceptions at the same lines. The first images are
compared with Pillow's own pixels, later ones now and then; one difference turns the native path
off. See docs/pil.md for what stays lazy.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

# Called when this package is whole, by whoever was told of Pillow's import while it was not: it may
# be this package that imports Pillow.
_waiting: list[Callable[[], None]] = []

from . import counters, registry, render  # noqa: E402

__all__ = ["NotInstalled", "install", "stats", "uninstall"]

NotInstalled = registry.NotInstalled


def install() -> None:
    """Make `PIL.Image.open` lazy for JPEGs, in this process and those it forks.

    Idempotent. Raises NotInstalled, and changes nothing, where this Pillow is not one whose pixels
    are known: the message says why. Call it from the main thread before workers start.
    """
    registry.install()


def uninstall() -> None:
    """Give Pillow its own JPEG factory back. Images that are lazy already stay usable."""
    registry.uninstall()


def stats() -> dict[str, Any]:
    """Counts of this process: images_native, images_compared, images_differ, images_pillow,
    bytes_differ, and `reasons`, why images were left to Pillow. DataLoader workers count for
    themselves."""
    return {**counters.stats(), "installed": registry.installed(), "disabled": render.disabled}


while _waiting:
    _waiting.pop()()
