# SPDX-License-Identifier: Apache-2.0
"""JPEG files of every kind that a data set may hold, made from a seed.

`make_case(rng)` draws one; `KINDS` names the kinds. Nothing is kept on disk.
"""

from __future__ import annotations

import functools
import io
import os
import random
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from PIL import Image, ImageFile

JFIF, EXIF_APP, ADOBE = 0xE0, 0xE1, 0xEE

# Luma and chroma factors that no Pillow option gives, as cjpeg writes them.
ODD_SAMPLINGS = ("2x2,1x2,1x2", "2x2,2x1,2x1", "4x1,2x1,2x1", "3x1", "1x3", "1x4", "4x2", "1x1,2x2")


@dataclass(frozen=True)
class JpegCase:
    """A file. `native`: the native decoder must answer for it itself; None: it may hand it over."""

    kind: str
    data: bytes
    size: tuple[int, int]
    native: bool | None

    def __repr__(self) -> str:  # short enough for a test's message
        return f"{self.kind} {self.size[0]}x{self.size[1]} ({len(self.data)} bytes)"


def draw_size(rng: random.Random) -> tuple[int, int]:
    band = rng.choices(("tiny", "small", "medium", "large", "thin"), (30, 50, 15, 1, 4))[0]
    if band == "tiny":
        return rng.randint(1, 40), rng.randint(1, 40)
    if band == "small":
        return rng.randint(20, 300), rng.randint(20, 300)
    if band == "medium":
        return rng.randint(200, 700), rng.randint(200, 700)
    if band == "large":
        size = (rng.randint(700, 3000), rng.randint(300, 900))
    else:
        size = (rng.randint(100, 1500), rng.randint(1, 9))
    return size if rng.random() < 0.5 else size[::-1]


@functools.cache
def photos() -> tuple[np.ndarray[Any, Any], ...]:
    """Real photographs that installed packages ship; none where they are not installed."""
    found = []
    try:
        import skimage.data

        folder = os.path.dirname(skimage.data.__file__)
        found += [
            os.path.join(folder, name) for name in ("coffee.png", "chelsea.png", "rocket.jpg")
        ]
        import sklearn

        folder = os.path.join(os.path.dirname(sklearn.__file__), "datasets", "images")
        found += [os.path.join(folder, name) for name in ("china.jpg", "flower.jpg")]
    except ImportError:
        pass
    return tuple(np.array(Image.open(path).convert("RGB")) for path in found)


def draw_pixels(rng: random.Random, width: int, height: int) -> Image.Image:
    """RGB pixels: noise, a gradient, one colour, blocks with sharp edges, or part of a photo."""
    source = np.random.default_rng(rng.getrandbits(32))
    y, x = np.mgrid[0:height, 0:width]
    content = rng.choice(("noise", "gradient", "flat", "blocks", "photo", "photo"))
    if content == "photo" and photos():
        photo = photos()[rng.randrange(len(photos()))]
        ys = (np.arange(height) + rng.randrange(photo.shape[0])) % photo.shape[0]
        xs = (np.arange(width) + rng.randrange(photo.shape[1])) % photo.shape[1]
        pixels = photo[ys[:, None], xs[None, :]]
    elif content == "gradient":
        waves = [(x * rng.uniform(-3, 3) + y * rng.uniform(-3, 3)) % 256 for _ in range(3)]
        pixels = np.stack(waves, axis=-1)
    elif content == "flat":
        pixels = np.broadcast_to(source.integers(0, 256, 3), (height, width, 3))
    elif content == "blocks":
        palette = source.integers(0, 256, (16, 3))
        pixels = palette[(x // rng.randint(1, 9) + 5 * (y // rng.randint(1, 9))) % 16]
    else:
        pixels = source.integers(0, 256, (height, width, 3))
    return Image.fromarray(np.ascontiguousarray(pixels.astype(np.uint8)))


def encode(image: Image.Image, **options: Any) -> bytes:
    out = io.BytesIO()
    block = ImageFile.MAXBLOCK
    # Pillow's guess of the buffer that `optimize` needs is too small for noise.
    ImageFile.MAXBLOCK = 1 << 16 | 8 * image.width * image.height
    try:
        image.save(out, "JPEG", **options)
    finally:
        ImageFile.MAXBLOCK = block
    return out.getvalue()


def cjpeg(image: Image.Image, *options: str) -> bytes:
    """Encoded by libjpeg-turbo's own tool, which knows samplings that Pillow does not."""
    source = io.BytesIO()
    image.save(source, "PPM")
    tool = ["cjpeg", *options]  # it warns where a low quality needs 16-bit tables
    return subprocess.run(tool, input=source.getvalue(), capture_output=True, check=True).stdout


def segments(data: bytes) -> list[tuple[int, int, int]]:
    """(marker, start, end) of the segments between SOI and the scan's data."""
    found = []
    at, marker = 2, 0
    while marker != 0xDA:
        while data[at + 1] == 0xFF:  # fill bytes
            at += 1
        marker = data[at + 1]
        end = at + 2 + int.from_bytes(data[at + 2 : at + 4], "big")
        found.append((marker, at, end))
        at = end
    return found


def without(data: bytes, *markers: int) -> bytes:
    for marker, start, end in reversed(segments(data)):
        if marker in markers:
            data = data[:start] + data[end:]
    return data


def with_segment(data: bytes, marker: int, payload: bytes) -> bytes:
    """`payload` put behind the SOI and a JFIF segment, where writers put theirs."""
    first = segments(data)[0]
    at = first[2] if first[0] == JFIF else 2
    segment = bytes([0xFF, marker]) + (len(payload) + 2).to_bytes(2, "big") + payload
    return data[:at] + segment + data[at:]


def _patched(data: bytes, marker: int, offset: int, value: int) -> bytes:
    start = next(start for found, start, _ in segments(data) if found == marker)
    return data[: start + offset] + bytes([value]) + data[start + offset + 1 :]


def _options(rng: random.Random) -> dict[str, Any]:
    options: dict[str, Any] = {"quality": rng.choice((5, 20, 50, 75, 90, 96, 100))}
    options["optimize"] = rng.random() < 0.3
    if rng.random() < 0.15:
        options[rng.choice(("restart_marker_rows", "restart_marker_blocks"))] = rng.randint(1, 5)
    return options


def _plain(subsampling: int) -> Callable[[random.Random, Image.Image], bytes]:
    return lambda rng, image: encode(image, subsampling=subsampling, **_options(rng))


def _grey(rng: random.Random, image: Image.Image) -> bytes:
    return encode(image.convert("L"), **_options(rng))


def _grey_2x2(rng: random.Random, image: Image.Image) -> bytes:
    # Behind the marker: length 2, precision 1, size 4, count 1, id 1, then the sampling factors.
    return _patched(_grey(rng, image), 0xC0, 11, rng.choice((0x22, 0x21, 0x12)))


def _progressive(rng: random.Random, image: Image.Image) -> bytes:
    options = _options(rng)
    return encode(image, subsampling=rng.randrange(3), progressive=True, **options)


def _tool(*options: str) -> Callable[[random.Random, Image.Image], bytes]:
    def make(rng: random.Random, image: Image.Image) -> bytes:
        more = list(options)
        if rng.random() < 0.2:
            more += ["-restart", rng.choice(("1", "2", "3B", "7B"))]
        if rng.random() < 0.2 and "-arithmetic" not in options:
            more += ["-optimize"]
        return cjpeg(image, "-quality", str(rng.choice((10, 50, 75, 95, 100))), *more)

    return make


def _odd(rng: random.Random, image: Image.Image) -> bytes:
    return _tool("-sample", rng.choice(ODD_SAMPLINGS))(rng, image)


def _rgb_without_adobe(rng: random.Random, image: Image.Image) -> bytes:
    return without(_tool("-rgb")(rng, image), ADOBE)


def _other_ids(rng: random.Random, image: Image.Image) -> bytes:
    """YCbCr told by nothing but component ids that are not R, G, B."""
    return without(_plain(rng.randrange(3))(rng, image), JFIF)


def _cmyk(rng: random.Random, image: Image.Image) -> bytes:
    return encode(image.convert("CMYK"), quality=90)


def _ycck(rng: random.Random, image: Image.Image) -> bytes:
    return _patched(_cmyk(rng, image), ADOBE, 15, rng.choice((1, 2)))


def _cmyk_without_adobe(rng: random.Random, image: Image.Image) -> bytes:
    return without(_cmyk(rng, image), ADOBE)


def _fill_bytes(rng: random.Random, image: Image.Image) -> bytes:
    """FF bytes in front of markers, which the standard allows."""
    data = _plain(2)(rng, image)
    for _, start, _ in reversed(segments(data)):
        data = data[:start] + b"\xff" * rng.randint(0, 3) + data[start:]
    return data[:-2] + b"\xff\xff" + data[-2:]


KINDS: dict[str, tuple[int, bool | None, Callable[[random.Random, Image.Image], bytes]]] = {
    "4:4:4": (10, True, _plain(0)),
    "4:2:2": (10, True, _plain(1)),
    "4:2:0": (24, True, _plain(2)),
    "grey": (8, True, _grey),
    "grey 2x2": (3, None, _grey_2x2),
    "4:4:0": (6, None, _tool("-sample", "1x2")),
    "4:1:1": (6, None, _tool("-sample", "4x1")),
    "odd sampling": (6, None, _odd),
    "progressive": (6, None, _progressive),
    "arithmetic": (4, None, _tool("-arithmetic")),
    "rgb": (4, None, _tool("-rgb")),
    "rgb by ids": (3, None, _rgb_without_adobe),
    "no JFIF": (3, None, _other_ids),
    "cmyk": (2, False, _cmyk),
    "ycck": (2, False, _ycck),
    "cmyk by count": (2, False, _cmyk_without_adobe),
    "fill bytes": (2, None, _fill_bytes),
}


def _exif(orientation: int) -> bytes:
    entry = b"\x01\x12\x00\x03\x00\x00\x00\x01" + orientation.to_bytes(2, "big") + b"\x00\x00"
    tiff = b"MM\x00\x2a\x00\x00\x00\x08\x00\x01" + entry + b"\x00\x00\x00\x00"
    return b"Exif\x00\x00" + tiff


def decorate(rng: random.Random, data: bytes) -> bytes:
    """EXIF with an orientation, an ICC profile, comments, junk behind the end; pixels stay."""
    if rng.random() < 0.25:
        data = with_segment(data, EXIF_APP, _exif(rng.randint(1, 8)))
    if rng.random() < 0.15:
        profile = rng.randbytes(rng.randint(10, 4000))
        data = with_segment(data, 0xE2, b"ICC_PROFILE\x00\x01\x01" + profile)
    if rng.random() < 0.15:
        data = with_segment(data, 0xFE, b"a comment \xff\xd9\xff\xda in the way")
    if rng.random() < 0.1:
        data += rng.randbytes(rng.randint(1, 300))
    return data


def make_case(rng: random.Random, kind: str | None = None) -> JpegCase:
    if kind is None:
        kind = rng.choices(list(KINDS), [weight for weight, _, _ in KINDS.values()])[0]
    _, native, make = KINDS[kind]
    size = draw_size(rng)
    data = decorate(rng, make(rng, draw_pixels(rng, *size)))
    return JpegCase(kind, data, size, native)
