# SPDX-License-Identifier: Apache-2.0
"""The pixels of a file, natively and by Pillow, to be compared."""

from __future__ import annotations

import io
import random
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


def draw_box(rng: random.Random, size: tuple[int, int]) -> Box:
    x0, y0 = rng.randrange(size[0]), rng.randrange(size[1])
    return x0, y0, rng.randint(x0 + 1, size[0]), rng.randint(y0 + 1, size[1])


def check_parts(rng: random.Random, data: bytes, what: str, *, grey: bool = False) -> None:
    """The native decoder must answer, for the whole picture and for parts, as Pillow does."""
    wanted = by_pillow(data)
    assert wanted is not None, f"{what}: Pillow cannot read it"
    size, pixels = wanted
    boxes = [(0, 0, *size), draw_box(rng, size), draw_box(rng, size)]
    for box in boxes:
        got = native(data, box)
        assert got == cropped(size, pixels, box), f"{what}, part {box} of {size}: {got[:60]!r}"
    if grey:
        box = boxes[1]
        assert native(data, box, "L") == cropped(size, pixels, box)[::3], what


def check_damaged(files: list[bytes], what: str) -> None:
    """The native decoder gives Pillow's pixels or refuses; it refuses what Pillow raises on."""
    for number, data in enumerate(files):
        wanted = by_pillow(data)
        size = wanted[0] if wanted else (1, 1)
        got = native(data, (0, 0, *size))
        if isinstance(got, str):
            continue
        assert wanted is not None, f"{what}, file {number}: Pillow raises, the native one does not"
        assert got == wanted[1], f"{what}, file {number}: other pixels"
        if min(size) > 1:
            box = (0, 0, size[0] - 1, size[1] // 2)
            assert native(data, box) == cropped(size, wanted[1], box), f"{what}, file {number}"
