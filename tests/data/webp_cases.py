# SPDX-License-Identifier: Apache-2.0
"""WebP files as Pillow writes them, made from a seed, and their chunks."""

from __future__ import annotations

import io
import random
import struct
from typing import Any

import jpeg_cases
from PIL import Image

HEAD = 12  # "RIFF", the size, "WEBP"


def draw_size(rng: random.Random) -> tuple[int, int]:
    if rng.random() < 0.8:
        return rng.randint(1, 67), rng.randint(1, 67)
    return rng.randint(60, 500), rng.randint(60, 400)


def draw_options(rng: random.Random) -> dict[str, Any]:
    options: dict[str, Any] = {
        "lossless": rng.random() < 0.35,
        "quality": rng.choice((0, 10, 50, 75, 80, 90, 100)),
        "method": rng.choice((0, 2, 4, 4, 6)),
        "exact": rng.random() < 0.5,
        "alpha_quality": rng.choice((0, 50, 100)),
        "use_sharp_yuv": rng.random() < 0.2,
    }
    if rng.random() < 0.2:
        options["icc_profile"] = rng.randbytes(rng.choice((33, 600)))
    if rng.random() < 0.2:
        options["exif"] = b"Exif\0\0" + rng.randbytes(21)
    if rng.random() < 0.2:
        options["xmp"] = b"<x/>"
    return options


def draw_webp(rng: random.Random, size: tuple[int, int] | None = None) -> bytes:
    width, height = size or draw_size(rng)
    image = jpeg_cases.draw_pixels(rng, width, height)
    if rng.random() < 0.4:
        image.putalpha(jpeg_cases.draw_pixels(rng, width, height).convert("L"))
    return encode(image, **draw_options(rng))


def encode(image: Image.Image, **options: Any) -> bytes:
    out = io.BytesIO()
    image.save(out, "WEBP", **options)
    return out.getvalue()


def chunks_of(data: bytes) -> list[tuple[bytes, bytes]]:
    """(name, body) of each chunk."""
    found = []
    at = HEAD
    while at + 8 <= len(data):
        size = int.from_bytes(data[at + 4 : at + 8], "little")
        found.append((data[at : at + 4], data[at + 8 : at + 8 + size]))
        at += 8 + size + size % 2
    return found


def file_of(chunks: list[tuple[bytes, bytes]], tail: bytes = b"") -> bytes:
    body = b"".join(
        name + struct.pack("<I", len(body)) + body + b"\0" * (len(body) % 2)
        for name, body in chunks
    )
    return b"RIFF" + struct.pack("<I", 4 + len(body)) + b"WEBP" + body + tail
