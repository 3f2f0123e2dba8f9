# SPDX-License-Identifier: Apache-2.0
"""What `load()` of a lazy image gives: pixel access that decodes when a pixel is touched."""

from __future__ import annotations

from typing import Any

from PIL import Image


class LazyPixelAccess:
    """Indexing as Pillow's PixelAccess; programs that call `load()` for its effect touch none."""

    __slots__ = ("__weakref__", "_access", "_image")

    def __init__(self, image: Image.Image) -> None:
        self._image = image
        self._access: Any = None

    def fill(self) -> Any:
        if self._access is None:
            self._image.im  # noqa: B018  (fills the pixels in)
            self._access = self._image.load()
        return self._access

    def __getitem__(self, xy: Any) -> Any:
        return self.fill()[xy]

    def __setitem__(self, xy: Any, color: Any) -> None:
        self.fill()[xy] = color
