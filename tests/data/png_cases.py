# SPDX-License-Identifier: Apache-2.0
"""PNG files of every kind, written here because Pillow writes only some; made from a seed."""

from __future__ import annotations

import random
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

SIGNATURE = b"\x89PNG\r\n\x1a\n"
GREY, RGB, PALETTE, GREY_ALPHA, RGBA = 0, 2, 3, 4, 6
SAMPLES = {GREY: 1, RGB: 3, PALETTE: 1, GREY_ALPHA: 2, RGBA: 4}
KINDS = [(GREY, depth) for depth in (1, 2, 4, 8, 16)]
KINDS += [(PALETTE, depth) for depth in (1, 2, 4, 8)]
KINDS += [(colour, depth) for colour in (RGB, GREY_ALPHA, RGBA) for depth in (8, 16)]
# Of each pass of an interlaced image: first column and row, and steps.
PASSES = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2)]
PASSES += [(0, 1, 1, 2)]

Array = npt.NDArray[np.int64]


@dataclass
class Png:
    """What a file is made of; `bytes()` writes it."""

    samples: Array  # height x width x samples of a pixel
    colour: int
    depth: int
    interlaced: bool = False
    filters: tuple[int, ...] = (0, 1, 2, 3, 4)  # of the rows, in turn
    palette: bytes = b""
    before: list[tuple[bytes, bytes]] = field(default_factory=list)  # chunks
    after_palette: list[tuple[bytes, bytes]] = field(default_factory=list)
    behind: list[tuple[bytes, bytes]] = field(default_factory=list)
    idat_bytes: int = 1 << 30  # of one IDAT chunk
    level: int = 6

    @property
    def size(self) -> tuple[int, int]:
        return self.samples.shape[1], self.samples.shape[0]

    def stream(self) -> bytes:
        """The filtered rows."""
        passes = PASSES if self.interlaced else [(0, 0, 1, 1)]
        pixel_bytes = max(1, SAMPLES[self.colour] * self.depth // 8)
        out = []
        for x, y, x_step, y_step in passes:
            part = self.samples[y::y_step, x::x_step]
            if part.size:
                out.append(filtered(packed(part, self.depth), pixel_bytes, self.filters))
        return b"".join(out)

    def bytes(self) -> bytes:
        data = zlib.compress(self.stream(), self.level)
        chunks = [(b"IHDR", self.header()), *self.before]
        chunks += [(b"PLTE", self.palette)] if self.palette else []
        chunks += self.after_palette
        step = self.idat_bytes
        chunks += [(b"IDAT", data[at : at + step]) for at in range(0, len(data), step)]
        chunks += [*self.behind, (b"IEND", b"")]
        return SIGNATURE + b"".join(chunk(*item) for item in chunks)

    def header(self) -> bytes:
        return struct.pack(">IIBBBBB", *self.size, self.depth, self.colour, 0, 0, self.interlaced)


def chunk(name: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))


def chunks_of(data: bytes) -> Iterator[tuple[bytes, int, int]]:
    """(name, start, end) of each chunk, with its length and checksum."""
    at = len(SIGNATURE)
    while at < len(data):
        end = at + 12 + int.from_bytes(data[at : at + 4], "big")
        yield data[at + 4 : at + 8], at, end
        at = end


def with_checksums(data: bytes) -> bytes:
    """The file with the right checksum in each chunk, as far as chunks go."""
    out = bytearray(data)
    for name, start, end in chunks_of(data):
        if end <= len(data):
            sum_ = zlib.crc32(name + data[start + 8 : end - 4])
            out[end - 4 : end] = struct.pack(">I", sum_)
    return bytes(out)


def packed(samples: Array, depth: int) -> npt.NDArray[np.uint8]:
    """Rows of bytes."""
    flat = samples.reshape(samples.shape[0], -1)
    if depth == 16:
        return flat.astype(">u2").view(np.uint8)
    if depth == 8:
        return flat.astype(np.uint8)
    bits = (flat[:, :, None] >> np.arange(depth)[::-1]) & 1
    return np.packbits(bits.reshape(flat.shape[0], -1).astype(np.uint8), axis=1)


def filtered(rows: npt.NDArray[np.uint8], pixel_bytes: int, filters: tuple[int, ...]) -> bytes:
    out = bytearray()
    width = rows.shape[1]
    above = np.zeros(width, np.int64)
    for number, current in enumerate(rows.astype(np.int64)):
        left = np.zeros(width, np.int64)
        left[pixel_bytes:] = current[:-pixel_bytes]
        corner = np.zeros(width, np.int64)
        corner[pixel_bytes:] = above[:-pixel_bytes]
        kind = filters[number % len(filters)]
        guess = (0, left, above, (left + above) >> 1, paeth(left, above, corner))[kind]
        out.append(kind)
        out += ((current - guess) & 255).astype(np.uint8).tobytes()
        above = current
    return bytes(out)


def paeth(left: Array, up: Array, corner: Array) -> Array:
    guess = left + up - corner
    by_left, by_up, by_corner = abs(guess - left), abs(guess - up), abs(guess - corner)
    rest = np.where(by_up <= by_corner, up, corner)
    return np.where((by_left <= by_up) & (by_left <= by_corner), left, rest)


def draw_samples(rng: random.Random, width: int, height: int, count: int, most: int) -> Array:
    """Noise, gradients or few values, from 0 to `most`."""
    source = np.random.default_rng(rng.getrandbits(32))
    shape = (height, width, count)
    content = rng.choice(("noise", "gradient", "few", "edges"))
    if content == "noise":
        return source.integers(0, most + 1, shape)
    if content == "few":
        return source.choice(source.integers(0, most + 1, 3), shape)
    if content == "edges":  # around the byte, which 16-bit grey is cut off at
        return source.choice(np.clip([0, 1, 254, 255, 256, 257, most - 1, most], 0, most), shape)
    y, x, c = np.mgrid[0:height, 0:width, 0:count]
    wave = x * rng.randint(-9, 9) + y * rng.randint(-9, 9) + c * 40
    return (wave * max(1, most // 255) % (most + 1)).astype(np.int64)


def draw_size(rng: random.Random) -> tuple[int, int]:
    if rng.random() < 0.6:
        return rng.randint(1, 20), rng.randint(1, 20)
    if rng.random() < 0.9:
        return rng.randint(1, 67), rng.randint(1, 67)
    return rng.randint(60, 400), rng.randint(60, 400)


def draw_png(rng: random.Random, kind: tuple[int, int] | None = None) -> Png:
    """A file that the native decoder must answer for."""
    colour, depth = kind or rng.choice(KINDS)
    width, height = draw_size(rng)
    most = (1 << depth) - 1
    samples = draw_samples(rng, width, height, SAMPLES[colour], most)
    png = Png(samples, colour, depth, interlaced=rng.random() < 0.4)
    png.filters = rng.choice(((0, 1, 2, 3, 4), (4,), (3,), (2, 1), (0,), (4, 3, 1)))
    png.level = rng.choice((0, 1, 6, 9))
    if rng.random() < 0.3:
        png.idat_bytes = rng.choice((1, 7, 100, 8192))
    if colour == PALETTE:
        entries = rng.choice((1, most + 1, rng.randint(1, most + 1)))
        png.palette = rng.randbytes(3 * entries)
        if rng.random() < 0.5:  # else indices beyond the palette
            png.samples = samples % entries
    elif colour in (RGB, RGBA) and rng.random() < 0.2:
        png.palette = rng.randbytes(3 * rng.randint(1, 256))
    if rng.random() < 0.3 and colour in (GREY, RGB, PALETTE):
        png.after_palette.append((b"tRNS", transparency(rng, png)))
    for chunks in (png.before, png.behind):
        count = rng.choice((0, 0, 1, 3))
        chunks += [side_chunk(rng) for _ in range(count)]
    return png


def transparency(rng: random.Random, png: Png) -> bytes:
    if png.colour == PALETTE:
        entries = len(png.palette) // 3
        if rng.random() < 0.4:  # one entry alone
            return b"\xff" * rng.randrange(entries) + b"\0"
        return rng.randbytes(rng.randint(1, entries))
    values = [rng.randrange(1 << png.depth) for _ in range(SAMPLES[png.colour])]
    return struct.pack(f">{len(values)}H", *values)


def side_chunk(rng: random.Random) -> tuple[bytes, bytes]:
    """One that says nothing about pixels, as Pillow reads them."""
    text = b"a text " * rng.choice((1, 9, 3000))
    return rng.choice(
        (
            (b"gAMA", struct.pack(">I", rng.choice((45455, 100000, 1)))),
            (b"sRGB", b"\0"),
            (b"cHRM", bytes(range(32))),
            (b"pHYs", struct.pack(">IIB", 2835, 2835, rng.choice((0, 1)))),
            (b"sBIT", b"\5\6\5"),
            (b"bKGD", b"\0\1\0\2\0\3"),
            (b"tIME", bytes(7)),
            (b"eXIf", b"MM\0\x2a\0\0\0\x08\0\1\x01\x12\0\3\0\0\0\1\0\6\0\0\0\0\0\0"),
            (b"iCCP", b"name\0\0" + zlib.compress(rng.randbytes(rng.choice((9, 3000))))),
            (b"iCCP", b"name\0\0" + b"no profile at all" * rng.choice((1, 200))),
            (b"tEXt", b"Title\0" + text),
            (b"tEXt", b"date:create\0" + text),
            (b"zTXt", b"Comment\0\0" + zlib.compress(text)),
            (b"zTXt", b"Raw profile type exif\0\0" + zlib.compress(rng.randbytes(5000))),
            (b"iTXt", b"XML:com.adobe.xmp\0\0\0\0\0" + text),
            (b"iTXt", b"Author\0\1\0en\0autor\0" + zlib.compress(text)),
            (b"iDOT", bytes(28)),
            (b"prVt", rng.randbytes(11)),
        )
    )
