# SPDX-License-Identifier: Apache-2.0
"""PNG files decoded natively: the pixels of Pillow, or a hand-over, never an own answer."""

from __future__ import annotations

import io
import os
import random
import struct
import sys
import zlib
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "data"))

import png_cases
from native_pixels import by_pillow, check_damaged, check_parts, native
from png_cases import GREY, PALETTE, RGB, Png, chunk, chunks_of, draw_png

FULL = bool(os.environ.get("STOKER_TEST_FULL"))
CASES = 6000 if FULL else 300
DAMAGED = 400 if FULL else 24


def name_of(kind: tuple[int, int]) -> str:
    return f"colour {kind[0]}, {kind[1]} bits"


def small(rng: random.Random, width: int = 9, height: int = 5) -> Png:
    return Png(png_cases.draw_samples(rng, width, height, 3, 255), RGB, 8)


@pytest.mark.parametrize("kind", png_cases.KINDS, ids=name_of)
def test_pixels_of_every_kind(kind: tuple[int, int]) -> None:
    for number in range(CASES // len(png_cases.KINDS)):
        rng = random.Random(f"png {kind} {number}")
        png = draw_png(rng, kind)
        check_parts(rng, png.bytes(), f"{kind} {number}", grey=png.colour == GREY)


@pytest.mark.parametrize("interlaced", [False, True])
@pytest.mark.parametrize("depth", [1, 8, 16])
def test_all_small_sizes(depth: int, interlaced: bool) -> None:
    rng = random.Random(depth)
    for width in range(1, 18):
        for height in range(1, 18, 1 if FULL else 4):
            samples = png_cases.draw_samples(rng, width, height, 1, (1 << depth) - 1)
            data = Png(samples, GREY, depth, interlaced).bytes()
            check_parts(rng, data, f"{width} x {height}", grey=True)


def test_values_by_hand() -> None:
    deep = np.array([[[0], [255], [256], [32768], [65535]]])
    grey16 = Png(deep, GREY, 16).bytes()
    assert native(grey16, (0, 0, 5, 1), "L") == bytes([0, 255, 255, 255, 255])
    colours = Png(np.array([[[0x1234, 0xFF00, 0x00FF]]]), RGB, 16).bytes()
    assert native(colours, (0, 0, 1, 1)) == bytes([0x12, 0xFF, 0x00])
    indices = Png(np.array([[[0], [1], [2]]]), PALETTE, 2, palette=bytes([1, 2, 3, 4, 5, 6]))
    indices.after_palette = [(b"tRNS", b"\x80\x00")]
    assert native(indices.bytes(), (0, 0, 3, 1)) == bytes([1, 2, 3, 4, 5, 6, 0, 0, 0])
    two_bits = Png(np.array([[[0], [1], [2], [3]]]), GREY, 2).bytes()
    assert native(two_bits, (0, 0, 4, 1), "L") == bytes([0, 85, 170, 255])


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGB", "RGBA", "I;16"])
def test_files_of_pillow(mode: str) -> None:
    rng = random.Random(mode)
    ramp = Image.linear_gradient("L").resize((83, 61)).rotate(30)
    image = Image.merge("RGB", (ramp, ramp.rotate(90), ramp.rotate(200)))
    out = io.BytesIO()
    image.convert("L" if mode == "I;16" else mode).convert(mode).save(out, "PNG")
    check_parts(rng, out.getvalue(), mode, grey=mode in ("1", "L", "I;16"))


@pytest.mark.parametrize("number", range(DAMAGED))
def test_damaged_files(number: int) -> None:
    rng = random.Random(f"damage {number}")
    kind = png_cases.KINDS[number % len(png_cases.KINDS)]
    while len(data := draw_png(rng, kind).bytes()) > 3000:
        pass
    cuts = range(0, len(data), 1 if FULL else max(1, len(data) // 40))
    damaged = [data[:size] for size in cuts]
    for _ in range(2000 if FULL else 120):
        broken = bytearray(data)
        for _ in range(rng.choice((1, 1, 2, 5))):
            broken[rng.randrange(len(broken))] = rng.randrange(256)
        damaged.append(bytes(broken))
        damaged.append(png_cases.with_checksums(bytes(broken)))
    check_damaged(damaged, f"{kind} {number}")


@pytest.mark.parametrize("number", range(DAMAGED))
def test_chunks_moved_doubled_lost(number: int) -> None:
    rng = random.Random(f"chunks {number}")
    png = draw_png(rng, png_cases.KINDS[number % len(png_cases.KINDS)])
    png.idat_bytes = rng.choice((1 << 30, 50))
    data = png.bytes()
    chunks = [data[start:end] for _, start, end in chunks_of(data)][:40]
    damaged = []
    for _ in range(300 if FULL else 30):
        mixed = list(chunks)
        how = rng.choice(("swap", "double", "drop", "add"))
        place = rng.randrange(len(mixed))
        if how == "swap":
            other = rng.randrange(len(mixed))
            mixed[place], mixed[other] = mixed[other], mixed[place]
        elif how == "double":
            mixed.insert(rng.randrange(len(mixed) + 1), mixed[place])
        elif how == "drop":
            del mixed[place]
        else:
            names = (
                b"PLTE",
                b"tRNS",
                b"acTL",
                b"fcTL",
                b"gAMA",
                b"CgBI",
                b"IDAT",
                b"iCCP",
                b"IHDR",
            )
            added = chunk(rng.choice(names), rng.randbytes(rng.choice((0, 1, 2, 6, 8, 26, 33))))
            mixed.insert(place, added)
        damaged.append(png_cases.SIGNATURE + b"".join(mixed))
    check_damaged(damaged, f"case {number}")


def stream_of(png: Png, stream: bytes) -> bytes:
    header = chunk(b"IHDR", png.header())
    return png_cases.SIGNATURE + header + chunk(b"IDAT", stream) + chunk(b"IEND", b"")


def test_odd_streams() -> None:
    png = small(random.Random(5))
    raw = png.stream()
    good = zlib.compress(raw)
    row = len(raw) // 5
    streams = {
        "whole": good,
        "one row too few": zlib.compress(raw[:-row]),
        "one row too many": zlib.compress(raw + raw[:row]),
        "one byte too many": zlib.compress(raw + b"\0"),
        "no checksum": good[:-4],
        "wrong checksum": good[:-1] + bytes([good[-1] ^ 1]),
        "junk behind": good + b"junk",
        "unknown filter": zlib.compress(raw[:row] + b"\5" + raw[row + 1 :]),
        "unknown filter in the last row": zlib.compress(raw[:-row] + b"\7" + raw[1 - row :]),
        "smaller window": b"\x18\x19" + good[2:],
        "dictionary": b"\x78\xbb" + good[2:],
    }
    files = {name: stream_of(png, stream) for name, stream in streams.items()}
    assert native(files["whole"], (0, 0, 9, 5)) == by_pillow(files["whole"])[1]
    refused = [name for name, data in files.items() if isinstance(native(data, (0, 0, 9, 5)), str)]
    assert sorted(refused) == sorted(set(files) - {"whole", "smaller window"})
    # A bad row is found below the region as well.
    assert isinstance(native(files["unknown filter in the last row"], (0, 0, 9, 1)), str)
    check_damaged(list(files.values()), "streams")


def test_what_pillow_keeps_texts_in_is_not_touched() -> None:
    for key in (b"transparency", b"interlace", b"bbox", b"default_image"):
        png = small(random.Random(6))
        png.before = [(b"tEXt", key + b"\0x")]
        assert isinstance(native(png.bytes(), (0, 0, 9, 5)), str), key
        check_damaged([png.bytes()], key.decode())


def test_bombs_in_side_chunks_are_handed_over() -> None:
    for length, fits in ((900_000, True), (1 << 20, False), (3 << 20, False)):
        packed = zlib.compress(bytes(length))
        for name, head in ((b"iCCP", b"n\0\0"), (b"zTXt", b"n\0\0"), (b"iTXt", b"n\0\1\0\0\0")):
            png = small(random.Random(7))
            png.before = [(name, head + packed)]
            answer = native(png.bytes(), (0, 0, 9, 5))
            assert isinstance(answer, bytes) == fits, (name, length)
            check_damaged([png.bytes()], f"{name!r} {length}")


def test_animations_are_handed_over() -> None:
    out = io.BytesIO()
    frames = [Image.new("RGB", (8, 6), (i, 2, 3)) for i in (1, 90)]
    frames[0].save(out, "PNG", save_all=True, append_images=frames[1:])
    assert "acTL" in str(native(out.getvalue(), (0, 0, 8, 6)))


def test_huge_size_with_few_data_is_refused_early() -> None:
    png = small(random.Random(8))
    data = bytearray(png.bytes())
    data[16:24] = struct.pack(">II", 1 << 30, 1 << 30)
    answer = native(png_cases.with_checksums(bytes(data)), (0, 0, 9, 5))
    assert "too few data" in str(answer)
