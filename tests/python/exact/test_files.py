# SPDX-License-Identifier: Apache-2.0
"""Files and file objects of the user: closed when Pillow closes them, left where Pillow leaves
them; and the ways of opening that belong to Pillow alone."""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import Any

import jpeg_cases
import pytest
from compare import Raised, both
from PIL import Image, ImageFile, UnidentifiedImageError


@pytest.mark.parametrize("tail", [0, 100, 70_000, 200_000])
@pytest.mark.parametrize("use", ["convert", "load", "crop", "copy", "tobytes"])
def test_position_of_a_file_object(use: str, tail: int, jpeg: bytes) -> None:
    def program() -> Any:
        file = io.BytesIO(jpeg + bytes(tail))
        file.seek(11)
        image = Image.open(file)
        opened_at = file.tell()
        result = {
            "convert": lambda: image.convert("RGB"),
            "load": lambda: image.load(),
            "crop": lambda: image.crop((0, 0, 9, 9)),
            "copy": lambda: image.copy(),
            "tobytes": lambda: image.tobytes(),
        }[use]()
        del result
        return opened_at, file.tell(), file.closed, image.fp is None

    both(program, native=None)


def test_position_where_the_end_marker_crosses_a_block(jpeg: bytes) -> None:
    for end in (65_535, 65_536, 65_537, 131_072):
        comment = b"\xff\xfe" + (60_000).to_bytes(2, "big") + bytes(59_998)
        data = jpeg
        while len(data) + len(comment) < end:
            data = data[:2] + comment + data[2:]
        rest = end - len(data)
        data = data[:2] + b"\xff\xfe" + (rest - 2).to_bytes(2, "big") + bytes(rest - 4) + data[2:]
        assert len(data) == end

        def program(data: bytes = data) -> Any:
            file = io.BytesIO(data + bytes(90_000))
            image = Image.open(file)
            image.load()
            return file.tell(), image.tobytes()

        both(program)


def test_users_file_is_not_closed(path: Path) -> None:
    def program() -> Any:
        with open(path, "rb") as file:
            image = Image.open(file)
            rgb = image.convert("RGB")
            inside = file.closed, file.tell()
        return inside, file.closed, rgb.tobytes()

    assert both(program)[:1] == ((False, os.path.getsize(path)),)


def test_pillows_own_file_is_closed_when_pixels_are_loaded(path: Path) -> None:
    def program() -> Any:
        image = Image.open(path)
        file = image.fp
        before = file.closed
        image.convert("RGB")
        return before, file.closed, image.fp

    assert both(program, native=False) == (False, True, None)


def test_file_replaced_and_removed_after_convert(path: Path, jpeg: bytes) -> None:
    def program() -> Any:
        path.write_bytes(jpeg)
        image = Image.open(path).convert("RGB")
        path.write_bytes(b"something else")
        path.unlink()
        return image.resize((20, 20)).tobytes()

    both(program)


@pytest.mark.parametrize("use", ["convert", "load", "tobytes", "resize"])
def test_file_closed_too_early(use: str, path: Path) -> None:
    def program() -> Any:
        with open(path, "rb") as file:
            image = Image.open(file)
        arguments = {"convert": ("RGB",), "resize": ((5, 5),)}.get(use, ())
        return getattr(image, use)(*arguments)

    assert isinstance(both(program, native=False), Raised)


def test_with_block_left_too_early(path: Path) -> None:
    def program() -> Any:
        with Image.open(path) as image:
            pass
        return image.convert("RGB")

    assert isinstance(both(program, native=False), Raised)


def test_file_objects_of_other_kinds(jpeg: bytes) -> None:
    class Counted:
        """No `seekable`, a `read` that wants its argument."""

        def __init__(self) -> None:
            self._file = io.BytesIO(jpeg)
            self.read = lambda size: self._file.read(size)
            self.seek, self.tell = self._file.seek, self._file.tell

    class Forward(io.RawIOBase):
        """A pipe: it cannot seek, so Pillow reads it whole."""

        def __init__(self) -> None:
            self._file = io.BytesIO(jpeg)

        def read(self, size: int = -1) -> bytes:
            return self._file.read(size)

    for make in (Counted, Forward, lambda: io.BufferedReader(io.BytesIO(jpeg))):

        def program(make: Any = make) -> Any:
            return Image.open(make()).convert("RGB").tobytes()

        both(program, native=None)


def test_one_file_object_for_two_images(jpeg: bytes) -> None:
    def program() -> Any:
        file = io.BytesIO(jpeg)
        first, second = Image.open(file), Image.open(file)
        return first.tobytes(), second.crop((0, 0, 5, 5)).tobytes(), first.size, file.tell()

    both(program)


def test_bytes_overwritten_after_convert(jpeg: bytes) -> None:
    def program() -> Any:
        file = io.BytesIO(jpeg)
        image = Image.open(file).convert("RGB")
        file.seek(0)
        file.write(bytes(len(jpeg)))
        return image.tobytes()

    both(program)


def test_mpo_named_jpg(tmp_path: Path, jpeg: bytes) -> None:
    path = tmp_path / "stereo.jpg"
    frames = [Image.open(io.BytesIO(jpeg)), Image.new("RGB", (61, 43), (9, 8, 7))]
    frames[0].save(path, "MPO", save_all=True, append_images=frames[1:])

    def program() -> Any:
        image = Image.open(path)
        first = image.convert("RGB").tobytes()
        image.seek(1)
        return image.format, type(image).__name__, image.n_frames, first, image.tobytes()

    assert both(program, native=False)[:3] == ("MPO", "MpoImageFile", 2)


def test_draft(jpeg: bytes) -> None:
    def program() -> Any:
        image = Image.open(io.BytesIO(jpeg))
        answers = [image.draft("L", (20, 20)), image.size, image.mode]
        second = Image.open(io.BytesIO(jpeg))
        second.load()
        answers += [second.draft("L", (20, 20)), second.size]
        return answers, image.tobytes(), second.tobytes()

    both(program)


@pytest.mark.parametrize("size", [(20, 20), (5, 5), (40.5, 30), (200, 200), (0, 0), (61, 2)])
@pytest.mark.parametrize("loaded", [False, True])
def test_thumbnail(size: Any, loaded: bool, jpeg: bytes) -> None:
    def program() -> Any:
        image = Image.open(io.BytesIO(jpeg))
        if loaded:
            image.load()
        image.thumbnail(size)
        later = Image.open(io.BytesIO(jpeg)).convert("RGB").crop((1, 1, 50, 40))
        later.thumbnail(size, Image.Resampling.BILINEAR, reducing_gap=None)
        return image.size, image.tobytes(), later.size, later.tobytes()

    both(program, native=None)


def test_verify_seek_tell(path: Path) -> None:
    def program() -> Any:
        image = Image.open(path)
        answers = [image.tell(), image.seek(0), image.verify(), image.fp]
        try:
            image.seek(1)
        except EOFError as error:
            answers.append(str(error))
        return answers

    both(program, native=False)

    def load_after_verify() -> Any:
        image = Image.open(path)
        image.verify()
        return image.load()

    assert isinstance(both(load_after_verify, native=False), Raised)


def test_other_ways_to_open(jpeg: bytes, path: Path) -> None:
    def program() -> Any:
        parser = ImageFile.Parser()
        for at in range(0, len(jpeg), 1000):
            parser.feed(jpeg[at : at + 1000])
        images = [parser.close(), Image.open(str(path)), Image.open(os.fsencode(path))]
        images.append(Image.open(path, formats=["JPEG"]))
        images.append(Image.open(path, "r", ("PNG", "JPEG")))
        return [image.convert("RGB").tobytes() for image in images]

    both(program)

    def wrong_format() -> Any:
        return Image.open(path, formats=["PNG"])

    assert both(wrong_format, native=False).kind == UnidentifiedImageError.__name__


def test_png_in_a_file_named_jpeg(tmp_path: Path) -> None:
    path = tmp_path / "x.JPEG"
    Image.new("RGB", (5, 4), (1, 2, 3)).save(path, "PNG")

    def program() -> Any:
        image = Image.open(path)
        return image.format, image.convert("RGB").tobytes()

    assert both(program, native=False) == ("PNG", bytes((1, 2, 3)) * 20)


@pytest.mark.parametrize("limit", [None, 500, 1500, 5000])
def test_decompression_bombs_at_each_call(
    limit: int | None, jpeg: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    def program() -> Any:
        image = Image.open(io.BytesIO(jpeg))  # 2,623 pixels
        monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", limit)
        part = image.crop((1, 0, 61, 43))
        whole = image.crop((0, 0, 61, 43))
        listed = image.crop([0, 0, 61, 43])
        result = part.tobytes(), whole.tobytes(), listed.tobytes()
        Image.open(io.BytesIO(jpeg))
        return result

    both(lambda: (monkeypatch.undo(), program())[1], native=None)


def test_metadata_warnings_come_once(jpeg: bytes) -> None:
    exif = b"Exif\x00\x00MM\x00\x2a\x00\x00\x00\x08\x00\x09\x01"
    broken = [
        jpeg_cases.with_segment(jpeg, 0xE1, exif),
        jpeg_cases.with_segment(jpeg, 0xE1, b"Exif\x00\x00nonsense"),
        jpeg_cases.with_segment(jpeg, 0xE2, b"ICC_PROFILE\x00\x02\x01abc"),
        jpeg_cases.with_segment(jpeg, 0xED, b"Photoshop 3.0\x008BIM\x04\x04\x00\x00\x00\xff\x00"),
        jpeg_cases.with_segment(jpeg, 0xE2, b"MPF\x00II\x2a\x00\x08\x00\x00\x00\x01"),
    ]
    for data in broken:

        def program(data: bytes = data) -> Any:
            image = Image.open(io.BytesIO(data))
            part = image.convert("RGB").crop((0, 0, 30, 30)).resize((12, 12))
            return image.info, part.tobytes(), dict(part.getexif())

        both(program, native=None)
