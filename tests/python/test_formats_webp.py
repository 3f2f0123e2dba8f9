# SPDX-License-Identifier: Apache-2.0
"""WebP files decoded natively: the pixels of Pillow, or a hand-over, never an own answer."""

from __future__ import annotations

import io
import os
import random
import sys
from pathlib import Path

import pytest
from PIL import Image

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "data"))

import jpeg_cases
from native_pixels import by_pillow, check_damaged, check_parts, native
from webp_cases import chunks_of, draw_webp, encode, file_of

FULL = bool(os.environ.get("STOKER_TEST_FULL"))
CASES = 4000 if FULL else 240
DAMAGED = 300 if FULL else 20
BATCH = 20


@pytest.mark.parametrize("first", range(0, CASES, BATCH))
def test_pixels_and_parts(first: int) -> None:
    for number in range(first, first + BATCH):
        rng = random.Random(f"webp {number}")
        check_parts(rng, draw_webp(rng), f"case {number}")


@pytest.mark.parametrize("lossless", [False, True])
@pytest.mark.parametrize("alpha", [False, True])
def test_all_small_sizes(alpha: bool, lossless: bool) -> None:
    rng = random.Random(f"{alpha} {lossless}")
    for width in range(1, 19):
        for height in range(1, 19, 1 if FULL else 5):
            image = jpeg_cases.draw_pixels(rng, width, height)
            if alpha:
                image.putalpha(jpeg_cases.draw_pixels(rng, width, height).convert("L"))
            data = encode(image, lossless=lossless, method=0, quality=60)
            check_parts(rng, data, f"{width} x {height}")


@pytest.mark.parametrize("quality", range(0, 101, 2 if FULL else 10))
def test_every_quality(quality: int) -> None:
    rng = random.Random(quality)
    for size in ((127, 95), (64, 64), (33, 80)):
        image = jpeg_cases.draw_pixels(rng, *size)
        for method in (0, 4):
            check_parts(rng, encode(image, quality=quality, method=method), f"{size} {method}")


def test_colours_below_full_transparency_are_kept() -> None:
    image = Image.new("RGBA", (5, 4), (10, 20, 30, 0))
    data = encode(image, lossless=True, exact=True)
    assert native(data, (0, 0, 5, 4)) == bytes([10, 20, 30]) * 20


@pytest.mark.parametrize("number", range(DAMAGED))
def test_damaged_files(number: int) -> None:
    rng = random.Random(f"damage {number}")
    data = draw_webp(rng, (rng.randint(1, 50), rng.randint(1, 50)))
    while len(data) > 4000:
        data = draw_webp(rng, (rng.randint(1, 40), rng.randint(1, 40)))
    cuts = range(0, len(data), 1 if FULL else max(1, len(data) // 40))
    damaged = [data[:size] for size in cuts]
    # Cut, but with sizes that fit.
    chunks = chunks_of(data)
    for place, (name, body) in enumerate(chunks):
        for size in range(0, len(body), 1 if FULL else 1 + len(body) // 12):
            cut = (name, body[:size])
            damaged.append(file_of([*chunks[:place], cut, *chunks[place + 1 :]]))
    for _ in range(1500 if FULL else 100):
        broken = bytearray(data)
        for _ in range(rng.choice((1, 1, 2, 5))):
            broken[rng.randrange(len(broken))] = rng.randrange(256)
        damaged.append(bytes(broken))
    check_damaged(damaged, f"case {number}")


@pytest.mark.parametrize("number", range(DAMAGED))
def test_chunks_moved_doubled_lost(number: int) -> None:
    rng = random.Random(f"chunks {number}")
    image = jpeg_cases.draw_pixels(rng, 21, 17)
    image.putalpha(jpeg_cases.draw_pixels(rng, 21, 17).convert("L"))
    options = {"lossless": number % 2 == 0, "icc_profile": b"profile", "exif": b"Exif\0\0xy"}
    chunks = chunks_of(encode(image, **options))
    damaged = []
    for _ in range(200 if FULL else 25):
        mixed = list(chunks)
        for _ in range(rng.choice((1, 1, 2))):
            how = rng.choice(("swap", "double", "drop", "add"))
            place = rng.randrange(len(mixed))
            if how == "swap":
                other = rng.randrange(len(mixed))
                mixed[place], mixed[other] = mixed[other], mixed[place]
            elif how == "double":
                mixed.insert(rng.randrange(len(mixed) + 1), mixed[place])
            elif how == "drop" and len(mixed) > 1:
                del mixed[place]
            else:
                names = (b"ALPH", b"ANIM", b"ANMF", b"ICCP", b"VP8X", b"abcd")
                added = (rng.choice(names), rng.randbytes(rng.choice((0, 1, 10, 16, 33))))
                mixed.insert(place, added)
        damaged.append(file_of(mixed, rng.choice((b"", b"", b"tail"))))
    check_damaged(damaged, f"case {number}")


def test_animations_are_handed_over() -> None:
    out = io.BytesIO()
    frames = [Image.new("RGB", (8, 6), (i, 2, 3)) for i in (1, 90)]
    frames[0].save(out, "WEBP", save_all=True, append_images=frames[1:])
    assert "animation" in str(native(out.getvalue(), (0, 0, 8, 6)))
    check_damaged([out.getvalue()], "animation")


def test_a_broken_alpha_plane_is_an_error() -> None:
    image = jpeg_cases.draw_pixels(random.Random(3), 40, 30)
    image.putalpha(Image.linear_gradient("L").resize((40, 30)))
    chunks = dict(chunks_of(encode(image, quality=80)))
    chunks[b"ALPH"] = chunks[b"ALPH"][:1] + b"\xff" * 9
    data = file_of(list(chunks.items()))
    assert by_pillow(data) is None
    assert isinstance(native(data, (0, 0, 40, 30)), str)
