# SPDX-License-Identifier: Apache-2.0
"""Everything that a program can ask of an image: attributes, arrays, pixels, operations."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from typing import Any

import jpeg_cases
import numpy as np
import pytest
from compare import Raised, both
from PIL import Image, ImageOps, JpegImagePlugin


def _open(data: bytes) -> Image.Image:
    return Image.open(io.BytesIO(data))


def _attributes(image: Image.Image) -> dict[str, Any]:
    names = ("size", "mode", "format", "format_description", "info", "width", "height", "readonly")
    found = {name: getattr(image, name, "absent") for name in names}
    found["bands"] = image.getbands()
    found["exif"] = dict(image.getexif())
    found["palette"] = image.palette
    found["transparent"] = image.has_transparency_data
    found["class"] = (type(image).__name__, type(image).__module__, type(image).__qualname__)
    found["is file"] = isinstance(image, JpegImagePlugin.JpegImageFile)
    for name in ("quantization", "layers", "layer", "app", "applist", "bits", "filename", "tile"):
        found[name] = getattr(image, name, "absent")
    for name in ("is_animated", "n_frames", "map", "decoderconfig", "custom_mimetype"):
        found[name] = getattr(image, name, "absent")
    return found


def test_attributes_at_every_stage(jpeg: bytes) -> None:
    decorated = jpeg_cases.with_segment(jpeg, 0xE1, jpeg_cases._exif(6))
    decorated = jpeg_cases.with_segment(decorated, 0xFE, b"a comment")

    def program() -> Any:
        seen = []
        image = _open(decorated)
        for step in (
            lambda: None,
            lambda: image.load(),
            lambda: image.convert("RGB"),
            lambda: image.crop((1, 2, 30, 40)),
            lambda: image.resize((9, 8)),
            lambda: image.transpose(Image.Transpose.FLIP_TOP_BOTTOM),
            lambda: image.copy(),
            lambda: image.tobytes() and image,
        ):
            result = step()
            seen.append(_attributes(image))
            if isinstance(result, Image.Image):
                seen.append(_attributes(result))
                seen.append(result.info is image.info)
        return seen

    both(program)


def test_repr_and_type_names(jpeg: bytes) -> None:
    def program() -> list[str]:
        image = _open(jpeg)
        texts = [repr(image), repr(image.convert("RGB")), repr(image.crop((0, 0, 5, 5)))]
        texts += [str(type(image)), str(type(image.copy()))]
        return [re.sub("0x[0-9A-F]+", "0x", text) for text in texts]

    texts = both(program, native=False)
    assert texts[0] == "<PIL.JpegImagePlugin.JpegImageFile image mode=RGB size=61x43 at 0x>"
    assert texts[1] == "<PIL.Image.Image image mode=RGB size=61x43 at 0x>"


def _as_array(image: Image.Image) -> Any:
    array = np.asarray(image)
    interface = {**image.__array_interface__, "data": "not compared"}
    return array.tolist(), array.flags.writeable, array.strides, str(array.dtype), interface


def _pixel_access(image: Image.Image) -> Any:
    access = image.load()
    before = access[3, 4], image.getpixel((3, 4))
    access[3, 4] = 200 if image.mode == "L" else (1, 2, 3)
    image.putpixel((5, 6), 7 if image.mode == "L" else (7, 8, 9))
    return before, access[3, 4], access[5, 6], image.tobytes(), access[-1, -1]


def _access_outlives_the_image(image: Image.Image) -> Any:
    access = image.load()
    image.close()
    return access[2, 2]


def _access_out_of_range(image: Image.Image) -> Any:
    access = image.load()
    return access[1000, 0]


def _pasted(image: Image.Image) -> Any:
    paper = Image.new("RGB", (90, 90), (10, 20, 30))
    paper.paste(image.convert("RGB"), (4, 5))
    image.paste(Image.new(image.mode, (3, 3)), (1, 1))
    return paper.tobytes(), image.tobytes()


def _core(image: Image.Image) -> Any:
    image.load()
    core = image.im
    return core.mode, core.size, core.getpixel((1, 1)), core.bands


def _saved(image: Image.Image) -> Any:
    found = []
    for options in ({}, {"quality": "keep"}, {"quality": 40, "subsampling": "keep"}):
        out = io.BytesIO()
        image.save(out, "JPEG", **options)
        found.append(out.getvalue())
    image.convert("RGB").save(out := io.BytesIO(), "PNG")
    return [*found, out.getvalue()]


def _closed(image: Image.Image) -> Any:
    small = image.resize((4, 4))
    image.load()
    image.close()
    return small.tobytes(), image.getpixel((0, 0))


def _operations(image: Image.Image) -> Any:
    results = [
        image.rotate(30),
        image.rotate(90, expand=True),
        image.transpose(Image.Transpose.ROTATE_90),
        image.transpose(Image.Transpose.TRANSPOSE),
        image.reduce(2),
        image.point(lambda value: 255 - value),
        image.transform((20, 20), Image.Transform.AFFINE, (1, 0.1, 0, 0, 1, 0)),
        image.quantize(7).convert("RGB"),
        image.convert("L"),
        image.convert("RGBA"),
        image.convert("1"),
        image.convert("HSV"),
        image.convert("P", palette=Image.Palette.ADAPTIVE, colors=9).convert("RGB"),
        image.getchannel(0),
        ImageOps.exif_transpose(image),
        ImageOps.fit(image, (20, 10)),
        ImageOps.pad(image, (70, 50)),
        ImageOps.expand(image, 3),
        *image.split(),
    ]
    seen = [(result.mode, result.size, result.tobytes()) for result in results]
    return [*seen, image.histogram(), image.getextrema(), image.getbbox(), image.entropy()]


def _read_pixels(image: Image.Image) -> Any:
    flat = getattr(image, "get_flattened_data", image.getdata)()
    colors = image.getcolors(100_000)
    return list(flat), colors, image.tobytes("raw", image.mode, 0, -1)


PROGRAMS = [
    _as_array,
    _pixel_access,
    _access_outlives_the_image,
    _access_out_of_range,
    _pasted,
    _core,
    _saved,
    _closed,
    _operations,
    _read_pixels,
]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_on_a_fresh_file(program: Callable[..., Any], jpeg: bytes, grey_jpeg: bytes) -> None:
    for data in (jpeg, grey_jpeg):
        both(lambda data: program(_open(data)), data)


@pytest.mark.parametrize("program", [_as_array, _pixel_access, _pasted, _core, _operations])
def test_on_a_lazy_result(program: Callable[..., Any], jpeg: bytes, grey_jpeg: bytes) -> None:
    for data in (jpeg, grey_jpeg):
        both(lambda data: program(_open(data).convert("RGB").crop((2, 1, 38, 30))), data)


def test_transparency_in_info_is_converted_too(grey_jpeg: bytes) -> None:
    def program() -> Any:
        image = _open(grey_jpeg)
        image.info["transparency"] = 7
        converted = image.convert("RGB")
        return converted.info, converted.tobytes()

    assert both(program)[0]["transparency"] == (7, 7, 7)


def test_changing_one_image_leaves_its_relatives_alone(jpeg: bytes) -> None:
    def program() -> Any:
        image = _open(jpeg)
        copied, part = image.copy(), image.crop((0, 0, 20, 20))
        image.putpixel((0, 0), (1, 2, 3))
        copied.putpixel((1, 1), (4, 5, 6))
        copied.info["mine"] = 1
        return [(each.tobytes(), each.info) for each in (image, copied, part)]

    both(program)


def test_core_of_a_file_that_was_not_loaded(jpeg: bytes) -> None:
    def program() -> Any:
        image = _open(jpeg)
        return image.im

    both(program, native=False)


def test_closed_copy(jpeg: bytes) -> None:
    def program() -> Any:
        copied = _open(jpeg).copy()
        copied.close()
        return copied.tobytes()

    assert both(program, native=False).text == "Operation on closed image"


def test_pixel_access_of_a_closed_file_raises_at_load(jpeg: bytes) -> None:
    def program() -> Any:
        image = _open(jpeg)
        image.close()
        return image.load()

    assert isinstance(both(program, native=False), Raised)
