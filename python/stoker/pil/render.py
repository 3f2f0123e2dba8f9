# SPDX-License-Identifier: Apache-2.0
"""Pixels of a view: natively, compared with Pillow's on the first images and now and then."""

from __future__ import annotations

import os

from PIL import Image

from .. import _core
from . import counters
from .source import CHANNELS, Source
from .view import Box, View

FIRST_COMPARED = 32
THEN_ONE_IN = 1000

# Set by install(): which pass of a resize this Pillow does first, and the count of images that all
# processes of a run share, so that each fresh worker does not begin to compare anew.
pass_order = 0
images: _core.SharedCounter | None = None

# Why the native path was given up in this process, or "".
disabled = ""

# Share of the images of late that were asked for more than one view (two crops for contrastive
# learning, say). Those are decoded whole at once, because a second part costs as much again.
_several = 0.0
_MEMORY = 1 / 16
_OFTEN = 0.25


def open_counter() -> _core.SharedCounter:
    run_dir = os.environ.get("STOKER_RUN_DIR")
    if run_dir:
        try:
            return _core.SharedCounter.open(os.path.join(run_dir, "images.count"))
        except RuntimeError:
            pass  # the folder is gone or full: count in this process and its forks
    return _core.SharedCounter.open()


def pixels(view: View) -> bytes:
    """Packed HWC uint8 pixels of `view`, equal to what Pillow gives.

    Any failure of the native path is counted and answered by Pillow itself.
    """
    if disabled:
        counters.left_to_pillow(disabled)
        return by_pillow(view)
    try:
        data = _native(view)
    except Exception as error:
        if not isinstance(error, _core.DecodeError):
            counters.fault("native decoder", error)
        # Only the kind: messages name bytes and markers, and there would be a reason a file.
        counters.left_to_pillow(f"native decoder: {str(error).partition(':')[0]}")
        return by_pillow(view)
    counters.count("images_native")
    try:
        return _compared(view, data) if _is_compared() else data
    except Exception as error:
        counters.fault("comparison with Pillow", error)
        return data


def _native(view: View) -> bytes:
    global _several
    source = view.source
    source.views += 1
    if source.views == 1:
        _several -= _several * _MEMORY
    elif source.views == 2:
        _several += (1 - _several) * _MEMORY
    if source.pixels is None and (source.views > 1 or _several > _OFTEN):
        whole = View.whole(source, source.mode)
        source.pixels, decode_ns, _ = _core.render(source.data, whole.plan(pass_order))
        counters.time("decode", decode_ns)
    plan = view.plan(pass_order)
    if source.pixels is None:
        data, decode_ns, transform_ns = _core.render(source.data, plan)
        counters.time("decode", decode_ns)
    else:
        channels = CHANNELS[source.mode]
        data, _, transform_ns = _core.render_pixels(source.pixels, *source.size, channels, plan)
    counters.time("transform", transform_ns)
    return data


def _is_compared() -> bool:
    """True for the first images, and now and then; also notes that another process saw one
    differ."""
    global disabled
    if images is None:
        return True
    number = images.next()
    if number >= images.STOPPED:
        disabled = "an image differed from Pillow's in another process"
        return True
    return number < FIRST_COMPARED or number % THEN_ONE_IN == 0


def _compared(view: View, data: bytes) -> bytes:
    global disabled
    reference = by_pillow(view)
    counters.count("images_compared")
    if reference == data:
        return data
    differing = sum(a != b for a, b in zip(data, reference, strict=False))
    counters.count("images_differ")
    counters.count("bytes_differ", differing + abs(len(data) - len(reference)))
    disabled = "an earlier image differed from Pillow's"
    if images is not None:
        images.stop()
    return reference


def by_pillow(view: View) -> bytes:
    """The same pixels by Pillow's own decoder and operations.

    Neither the header nor the limits are looked at again: their warnings came when Pillow opened
    and cropped the image.
    """
    image = _whole(view.source)
    if image.mode != view.mode:
        image = image.convert(view.mode)
    image = _mirror(_crop(image, view.crop), view.mirror_before)
    if view.resized is not None:
        image = _crop(image.resize(view.resized, view.filter), view.window)
        image = _mirror(image, view.mirror_after)
    return image.tobytes()


def _whole(source: Source) -> Image.Image:
    image = Image.new(source.mode, source.size)
    decoder = Image._getdecoder(source.mode, "jpeg", (source.mode, ""), ())
    try:
        decoder.setimage(image.im, (0, 0, *source.size))
        if decoder.decode(source.data) != (-1, 0):
            raise OSError("Pillow cannot decode this file")
    finally:
        decoder.cleanup()
    return image


def _crop(image: Image.Image, box: Box) -> Image.Image:
    return image._new(image.im.crop(box))


def _mirror(image: Image.Image, mirror: tuple[bool, bool]) -> Image.Image:
    if mirror[0]:
        image = image.transpose(Image.Transpose.FLIP_LEFT_RIGHT)
    if mirror[1]:
        image = image.transpose(Image.Transpose.FLIP_TOP_BOTTOM)
    return image
