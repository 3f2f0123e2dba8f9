# SPDX-License-Identifier: Apache-2.0
"""Odd arguments of crop, resize, transpose and convert: what Pillow takes and refuses."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest
from compare import both
from PIL import Image


def _open(data: bytes) -> Image.Image:
    return Image.open(io.BytesIO(data))


BOXES: list[Any] = [
    (0, 0, 61, 43),
    [0, 0, 61, 43],
    (0.4, 0, 61, 43),
    (-3, -4, 20, 20),
    (50, 40, 80, 60),
    (100, 100, 120, 120),
    (5, 5, 5, 9),
    (5, 5, 5, 5),
    (9, 5, 5, 9),
    (5, 9, 9, 5),
    (0.5, 1.5, 20.5, 30.49),
    (1, 2, 3),
    (1, 2, 3, 4, 5),
    "abcd",
    7,
    None,
    np.array([1, 2, 30, 40]),
    (np.int64(1), np.int64(2), np.float32(30.2), np.int64(40)),
    (True, False, 5, 5),
    (float("nan"), 0, 4, 4),
    range(4),
]


@pytest.mark.parametrize("box", BOXES, ids=str)
def test_crop_arguments(box: Any, jpeg: bytes) -> None:
    def program() -> Any:
        part = _open(jpeg).crop(box)
        return part.size, part.tobytes()

    both(program, native=None)


SIZES: list[Any] = [
    (10, 12),
    [10, 12],
    (61, 43),
    (0, 5),
    (-1, 5),
    (5,),
    (5, 6, 7),
    (5.0, 6.0),
    (5.5, 6),
    np.array([7, 9]),
    (np.int64(7), np.int64(9)),
    (True, 3),
    "ab",
    5,
    None,
    (2**31, 1),
]


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_resize_sizes(size: Any, jpeg: bytes) -> None:
    def program() -> Any:
        small = _open(jpeg).resize(size)
        return small.size, small.tobytes()

    both(program, native=None)


@pytest.mark.parametrize(
    "arguments",
    [{"resample": number} for number in (*range(-1, 10), 2.0, True, "2", [2], Image.Resampling(3))]
    + [
        {"box": (1, 2, 30, 40)},
        {"box": (0, 0, 61, 43)},
        {"box": (0, 0, 62, 43)},
        {"reducing_gap": 2.0},
        {"reducing_gap": 0.5},
    ],
    ids=str,
)
def test_resize_options(arguments: dict[str, Any], jpeg: bytes) -> None:
    def program() -> Any:
        return _open(jpeg).resize((9, 7), **arguments).tobytes()

    both(program, native=None)


@pytest.mark.parametrize("method", [*range(-1, 8), 0.0, True, "0", None], ids=str)
def test_transpose_methods(method: Any, jpeg: bytes) -> None:
    def program() -> Any:
        return _open(jpeg).transpose(method).tobytes()

    both(program, native=None)


@pytest.mark.parametrize(
    "arguments",
    [(), (None,), ("RGB",), ("L",), ("",), ("nonsense",), (7,), ("RGB", (1.0,) * 12), ("L", None)],
    ids=str,
)
def test_convert_arguments(arguments: tuple[Any, ...], jpeg: bytes, grey_jpeg: bytes) -> None:
    for data in (jpeg, grey_jpeg):

        def program(data: bytes = data) -> Any:
            image = _open(data).convert(*arguments)
            return image.mode, image.tobytes()

        both(program, native=None)
