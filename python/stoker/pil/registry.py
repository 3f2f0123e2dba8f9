# SPDX-License-Identifier: Apache-2.0
"""Where Pillow looks up how to open a JPEG."""

from __future__ import annotations

import io
from typing import Any

import PIL
from PIL import Image, ImageFile, JpegImagePlugin

from .. import _core
from . import counters, render, tensor
from .lazy import make_lazy

OLDEST = (10, 1)


class NotInstalled(RuntimeError):
    """`stoker.pil` cannot be exact with this Pillow; nothing was changed."""


def installed() -> bool:
    return Image.OPEN.get("JPEG", (None,))[0] is _open_lazily


def install() -> None:
    if installed():
        return
    version = tuple(int(part) for part in PIL.__version__.split(".")[:2])
    if version < OLDEST:
        raise NotInstalled(f"Pillow {PIL.__version__} is older than 10.1; pip install -U pillow")
    factory, accept = Image.OPEN["JPEG"]
    if factory is not JpegImagePlugin.jpeg_factory:
        raise NotInstalled(f"another library opens JPEGs already: {factory!r}")
    render.pass_order = pass_order_of_pillow()
    if render.images is None:
        render.images = render.open_counter()
    tensor.patch_when_imported()
    Image.OPEN["JPEG"] = (_open_lazily, accept)


def uninstall() -> None:
    if installed():
        Image.OPEN["JPEG"] = (JpegImagePlugin.jpeg_factory, Image.OPEN["JPEG"][1])
    tensor.unpatch()


def _open_lazily(fp: Any, filename: Any = None) -> ImageFile.ImageFile:
    image = JpegImagePlugin.jpeg_factory(fp, filename)
    try:
        tensor.patch_when_imported()
        return make_lazy(image)
    except Exception as error:
        counters.fault("native_decoding", error)
        return image


def pass_order_of_pillow() -> int:
    """Which pass of a resize this Pillow does first: rounding in between makes it visible. Raises
    NotInstalled for a Pillow whose pixels are not known."""
    width, height, size = 64, 96, (61, 31)
    noise = bytes(
        (x * 167 + y * 59 + x * y * 31) % 256 for y in range(height) for x in range(width)
    )
    out = io.BytesIO()
    Image.frombytes("L", (width, height), noise).convert("RGB").save(out, "JPEG", quality=95)
    data = out.getvalue()
    with JpegImagePlugin.JpegImageFile(io.BytesIO(data)) as image:
        wanted = image.resize(size, Image.Resampling.BICUBIC).tobytes()
    plan: Any = ((0, 0, width, height), (False, False), size, Image.Resampling.BICUBIC.value)
    rest: Any = ((0, 0, *size), (False, False), 3)
    for order in (0, 1):
        if _core.render(data, (*plan, order, *rest))[0] == wanted:
            return order
    raise NotInstalled(f"Pillow {PIL.__version__} decodes or resizes in a way that is not known")
