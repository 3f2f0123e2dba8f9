# SPDX-License-Identifier: Apache-2.0
"""Exceptions of damaged files: same type, same text, same line of the user's program."""

from __future__ import annotations

import io
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jpeg_cases
import pytest
from compare import Raised, both
from PIL import Image, ImageFile

Damage = Callable[[bytes], bytes]


def _scan_start(data: bytes) -> int:
    return jpeg_cases.segments(data)[-1][2]


def _insert(data: bytes, share: float, what: bytes) -> bytes:
    start = _scan_start(data)
    at = start + int((len(data) - 2 - start) * share)
    while data[at - 1] == 0xFF:
        at += 1
    return data[:at] + what + data[at:]


DAMAGE: dict[str, Damage] = {
    "cut in half": lambda data: data[: len(data) // 2],
    "cut in the header": lambda data: data[:300],
    "cut behind the header": lambda data: data[: _scan_start(data)],
    "cut before the end marker": lambda data: data[:-2],
    "cut inside the end marker": lambda data: data[:-1],
    "cut twenty bytes": lambda data: data[:-20],
    "no end marker but a tail": lambda data: data[:-2] + bytes(500),
    "a tail": lambda data: data + b"\x00garbage\xff\xd8\xff" * 9,
    "two files in one": lambda data: data + data,
    "stray restart marker": lambda data: _insert(data, 0.5, b"\xff\xd3"),
    "stray end marker": lambda data: _insert(data, 0.5, b"\xff\xd9"),
    "stray start marker": lambda data: _insert(data, 0.4, b"\xff\xd8"),
    "stray frame marker": lambda data: _insert(data, 0.3, b"\xff\xc0"),
    "stray scan marker": lambda data: _insert(data, 0.6, b"\xff\xda"),
    "stray APP1": lambda data: _insert(data, 0.6, b"\xff\xe1\x00\x04ab"),
    "stray reserved marker": lambda data: _insert(data, 0.2, b"\xff\x02"),
    "fill bytes before the end": lambda data: data[:-2] + b"\xff\xff\xff\xd9",
    "zeros in the scan": lambda data: _insert(data, 0.5, bytes(40)),
    "no tables": lambda data: jpeg_cases.without(data, 0xC4),
    "no quantisation": lambda data: jpeg_cases.without(data, 0xDB),
    "no frame": lambda data: jpeg_cases.without(data, 0xC0),
    "height of zero": lambda data: jpeg_cases._patched(
        jpeg_cases._patched(data, 0xC0, 5, 0), 0xC0, 6, 0
    ),
    "more rows than data": lambda data: jpeg_cases._patched(data, 0xC0, 6, 99),
    "fewer rows than data": lambda data: jpeg_cases._patched(data, 0xC0, 6, 9),
    "twelve bits": lambda data: jpeg_cases._patched(data, 0xC0, 4, 12),
    "empty": lambda data: b"",
    "text": lambda data: b"this is not a picture\n" * 20,
    "start marker alone": lambda data: b"\xff\xd8\xff",
}


def _first_use_of_the_file(path: Path) -> Any:
    try:
        image = Image.open(path)
        image = image.convert("RGB")
    except Exception as error:
        return "placeholder", type(error).__name__, str(error)
    part = image.crop((3, 2, 29, 31))
    small = part.resize((17, 11))
    return small.tobytes()


def _load_in_the_middle(path: Path) -> Any:
    image = Image.open(path)
    assert image.format == "JPEG"
    image.load()
    flipped = image.transpose(Image.Transpose.FLIP_LEFT_RIGHT)
    return flipped.tobytes()


def _crop_first(path: Path) -> Any:
    with Image.open(path) as image:
        part = image.crop((0, 0, 9, 9))
    return part.tobytes()


def _copy_first(path: Path) -> Any:
    with open(path, "rb") as file:
        image = Image.open(file)
        copied = image.copy()
    return copied.tobytes()


def _pixels_first(path: Path) -> Any:
    image = Image.open(path)
    first = image.getpixel((0, 0))
    return first, image.tobytes()


def _unread(path: Path) -> Any:
    image = Image.open(path)
    return image.size, image.mode, sorted(image.info)


PROGRAMS = [
    _first_use_of_the_file,
    _load_in_the_middle,
    _crop_first,
    _copy_first,
    _pixels_first,
    _unread,
]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
@pytest.mark.parametrize("damage", DAMAGE)
def test_damaged_file(
    damage: str, program: Callable[[Path], Any], jpeg: bytes, tmp_path: Path
) -> None:
    path = tmp_path / "damaged.jpg"
    path.write_bytes(DAMAGE[damage](jpeg))
    both(program, path, native=None)


def test_a_cut_file_raises_where_it_is_converted(jpeg: bytes, tmp_path: Path) -> None:
    path = tmp_path / "cut.jpg"
    path.write_bytes(jpeg[: len(jpeg) // 2])
    result = both(_first_use_of_the_file, path, native=False)
    assert result[1] == "OSError"
    assert result[2].startswith("image file is truncated (")
    raised = both(_crop_first, path, native=False)
    assert isinstance(raised, Raised)
    assert raised.line == _crop_first.__code__.co_firstlineno + 2


def test_flipped_bits_show_the_same_pixels(jpeg: bytes, seed: int) -> None:
    rng = random.Random(seed)
    start = _scan_start(jpeg)
    for _ in range(60):
        data = bytearray(jpeg)
        data[rng.randrange(start, len(data))] ^= 1 << rng.randrange(8)
        both(lambda data: Image.open(io.BytesIO(data)).convert("RGB").tobytes(), data, native=None)


def test_load_truncated_images(
    jpeg: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ImageFile, "LOAD_TRUNCATED_IMAGES", True)
    path = tmp_path / "cut.jpg"
    for data in (jpeg, jpeg[:-2], jpeg[: len(jpeg) // 2]):
        path.write_bytes(data)
        both(_load_in_the_middle, path, native=False)


def test_load_truncated_images_is_read_at_each_call(path: Path) -> None:
    def program() -> Any:
        image = Image.open(path)
        cut = Image.open(io.BytesIO(path.read_bytes()[:900]))
        ImageFile.LOAD_TRUNCATED_IMAGES = True
        try:
            return image.convert("RGB").tobytes(), cut.convert("RGB").tobytes()
        finally:
            ImageFile.LOAD_TRUNCATED_IMAGES = False

    both(program, native=False)


def test_reading_fails(jpeg: bytes) -> None:
    class Broken(io.BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            if size is None or not 0 <= size < 10_000:
                raise OSError(5, "Input/output error")
            return super().read(size)

    def program() -> Any:
        image = Image.open(Broken(jpeg))
        return image.convert("RGB")

    raised = both(program, native=False)
    assert raised == Raised("OSError", "[Errno 5] Input/output error", raised.line)
