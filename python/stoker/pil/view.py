# SPDX-License-Identifier: Apache-2.0
"""What a lazy image is a picture of: a compressed file and the operations still to be applied."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from .source import Source

Box = tuple[int, int, int, int]
Size = tuple[int, int]


@dataclass(frozen=True, slots=True)
class View:
    """Crop, mirror, resize, crop, mirror, in this order: the plan of `pipeline::Renderer`.

    An operation that does not fit behind the ones that are there gives None: the caller then
    works on pixels.
    """

    source: Source
    mode: str
    crop: Box
    mirror_before: tuple[bool, bool] = (False, False)
    resized: Size | None = None
    filter: int = 0
    window: Box = (0, 0, 0, 0)
    mirror_after: tuple[bool, bool] = (False, False)

    @staticmethod
    def whole(source: Source, mode: str) -> View:
        width, height = source.size
        return View(source, mode, (0, 0, width, height), window=(0, 0, width, height))

    @property
    def size(self) -> Size:
        x0, y0, x1, y1 = self.window
        return x1 - x0, y1 - y0

    def cropped(self, box: Box) -> View | None:
        """The part `box` of what is seen now; None if it is empty or reaches outside."""
        width, height = self.size
        x0, y0, x1, y1 = box
        if not (0 <= x0 < x1 <= width and 0 <= y0 < y1 <= height):
            return None
        if self.resized is None:
            crop = _inside(self.crop, self.mirror_before, box)
            return replace(self, crop=crop, window=(0, 0, x1 - x0, y1 - y0))
        return replace(self, window=_inside(self.window, self.mirror_after, box))

    def mirrored(self, horizontal: bool) -> View:
        if self.resized is None:
            return replace(self, mirror_before=_toggled(self.mirror_before, horizontal))
        return replace(self, mirror_after=_toggled(self.mirror_after, horizontal))

    def in_mode(self, mode: str) -> View:
        """Grey seen as colour: replicating a channel commutes with every operation here."""
        return replace(self, mode=mode)

    def scaled(self, size: Size, resample: int) -> View | None:
        """Resized to `size`; None if it is resized already (two roundings do not fold into one)."""
        if self.resized is not None:
            return None
        return replace(self, resized=size, filter=resample, window=(0, 0, *size))

    def plan(self, pass_order: int) -> tuple[Any, ...]:
        """The tuple that `_core.render` takes."""
        return (
            self.crop,
            self.mirror_before,
            self.resized,
            self.filter,
            pass_order,
            self.window,
            self.mirror_after,
            1 if self.mode == "L" else 3,
        )


def _toggled(mirror: tuple[bool, bool], horizontal: bool) -> tuple[bool, bool]:
    x, y = mirror
    return (not x, y) if horizontal else (x, not y)


def _inside(outer: Box, mirror: tuple[bool, bool], box: Box) -> Box:
    """`box`, given in what is seen of `outer` (mirrored), in the coordinates of `outer`."""
    x0, y0, x1, y1 = box
    left, right = (outer[2] - x1, outer[2] - x0) if mirror[0] else (outer[0] + x0, outer[0] + x1)
    top, bottom = (outer[3] - y1, outer[3] - y0) if mirror[1] else (outer[1] + y0, outer[1] + y1)
    return left, top, right, bottom
