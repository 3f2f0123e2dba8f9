# SPDX-License-Identifier: Apache-2.0
"""The pixels of a file, natively and by Pillow, to be compared."""

from __future__ import annotations

import io
import warnings

from PIL import Image

from stoker import _core

Box = tuple[int, int, int, int]


def by_pillow(data: bytes, mode: str = "RGB") -> tuple[tuple[int, int], bytes] | None:
    """Size and pixels of `Image.open(file).convert(mode)`; None where Pillow raises."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            with Image.open(io.BytesIO(data)) as image:
                converted = image.convert(mode)
        except Exception:
            return None
    return converted.size, converted.tobytes()


def native(data: bytes, box: Box, mode: str = "RGB") -> bytes | str:
    """The pixels of a part of the file, or why the native decoder refuses it."""
    size = (box[2] - box[0], box[3] - box[1])
    channels = {"L": 1, "RGB": 3}[mode]
    plan = (box, (False, False), None, 0, 0, (0, 0, *size), (False, False), channels)
    try:
        return _core.render(data, plan)[0]
    except _core.DecodeError as error:
        return str(error)


def cropped(size: tuple[int, int], pixels: bytes, box: Box, channels: int = 3) -> bytes:
    width = size[0] * channels
    rows = range(box[1], box[3])
    return b"".join(
        pixels[y * width + box[0] * channels : y * width + box[2] * channels] for y in rows
    )
