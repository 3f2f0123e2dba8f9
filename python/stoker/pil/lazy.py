# SPDX-License-Identifier: Apache-2.0
"""Pillow images that decode late: only what is left after crops, and only when somebody looks.

A lazy image is a Pillow image whose class overrides the few methods that can stay lazy. Whatever
else is asked of it goes through `.im`, which fills in the pixels and turns the object into a plain
Pillow image for good. So nothing has to be known of the rest of Pillow.
"""

from __future__ import annotations

import threading
import weakref
from typing import TYPE_CHECKING, Any

from PIL import Image, ImageFile, JpegImagePlugin

from . import arguments, counters, render
from .access import LazyPixelAccess
from .source import accept
from .view import View

if TYPE_CHECKING:
    _Base = Image.Image
else:
    _Base = object

# Pillow 11 made `im` a property over `_im`; before, it is a plain attribute.
_IM_PROPERTY = getattr(Image.Image, "im", None)


class LazyPixels(_Base):
    """The methods that stay lazy. `_plain` is the Pillow class that the object turns into.

    Another thread may turn the object plain at any time, so a method asks `_view_of` once and ends
    in a call of Pillow's method by name.
    """

    _plain: type[Image.Image]
    _view: View | None
    _pixels: bytes | None
    _access: weakref.ref[LazyPixelAccess] | None
    _lock: threading.Lock

    def _read(self) -> View | None:
        """The first view, of an object that was made without one."""
        return None

    def _become_plain(self, core: Any = None) -> None:
        # The pixels first: from the change of class on other threads look at them.
        if core is not None and isinstance(_IM_PROPERTY, property):
            self._im = core
        elif core is not None:
            self.__dict__["im"] = core
        self.__class__ = self._plain  # type: ignore[assignment]
        self._view = None
        self._pixels = None

    def _packed(self, view: View) -> bytes:
        pixels = self._pixels
        if pixels is None:
            pixels = self._pixels = render.pixels(view)
        return pixels

    @property
    def im(self) -> Any:
        with self._lock:
            if isinstance(self, LazyPixels) and self._view is None:
                self._become_plain()  # a file that was never loaded has none in Pillow either
        _fill(self)
        return self.im

    @im.setter
    def im(self, core: Any) -> None:
        self._become_plain()
        self.im = core

    def load(self) -> Any:
        if _view_of(self) is None:
            return self.load()
        access = LazyPixelAccess(self)
        self._access = weakref.ref(access)
        return access

    def tobytes(self, encoder_name: str = "raw", *args: Any) -> bytes:
        if encoder_name == "raw" and not args:
            view = _view_of(self)
            if view is not None:
                return self._packed(view)
        _fill(self)
        return self.tobytes(encoder_name, *args)

    def copy(self) -> Image.Image:
        view = _view_of(self)
        return self.copy() if view is None else lazy_image(self, view)

    def __copy__(self) -> Image.Image:
        return self.copy()

    def convert(self, mode: str | None = None, *args: Any, **kwargs: Any) -> Image.Image:
        view = _view_of(self)
        if view is not None and not args and not kwargs:
            if mode is None or mode == view.mode:
                return lazy_image(self, view)
            if (view.mode, mode) == ("L", "RGB") and "transparency" not in self.info:
                return lazy_image(self, view.in_mode("RGB"))
        _fill(self)
        return self.convert(mode, *args, **kwargs)

    def crop(self, box: Any = None) -> Image.Image:
        view = _view_of(self)
        part = None if view is None else arguments.crop(view, box)
        if part is not None:
            return lazy_image(self, part)
        _fill(self)
        return self.crop(box)

    def resize(
        self, size: Any, resample: int | None = None, box: Any = None, reducing_gap: Any = None
    ) -> Image.Image:
        view = _view_of(self)
        if view is not None and box is None and reducing_gap is None:
            scaled = arguments.resize(view, size, resample)
            if scaled is not None:
                return lazy_image(self, scaled)
        _fill(self)
        return self.resize(size, resample, box, reducing_gap)

    def transpose(self, method: Any) -> Image.Image:
        view = _view_of(self)
        if view is not None and isinstance(method, int) and method in (0, 1):
            return lazy_image(self, view.mirrored(horizontal=method == 0))
        _fill(self)
        return self.transpose(method)

    def close(self) -> None:
        # Pixel access that was handed out outlives the image in Pillow.
        access = None if self._access is None else self._access()
        if access is not None:
            access.fill()
        if isinstance(self, LazyPixels):
            self._become_plain()
        self.close()

    def __eq__(self, other: object) -> bool:
        for image in (self, other):
            if isinstance(image, LazyPixels):
                _fill(image)
        return bool(self == other)

    __hash__ = None  # type: ignore[assignment]

    def __reduce_ex__(self, protocol: Any) -> Any:
        _fill(self)
        return self.__reduce_ex__(protocol)


def _view_of(image: LazyPixels) -> View | None:
    """The view, or None where the object is a plain Pillow image by now."""
    with image._lock:
        if isinstance(image, LazyPixels) and image._view is None:
            image._view = _first_view(image)
            if image._view is None:
                image._become_plain()
        return image._view


def _first_view(image: LazyPixels) -> View | None:
    try:
        return image._read()
    except Exception as error:
        counters.fault("native_decoding", error)
        counters.left_to_pillow("an error of stoker's own")
        return None


def _fill(image: LazyPixels) -> None:
    """Make it a plain Pillow image that holds the pixels, if it is not one already."""
    if _view_of(image) is None:
        return
    with image._lock:
        view = image._view
        if view is not None:
            core = Image.frombytes(view.mode, view.size, image._packed(view)).im
            image._become_plain(core)


class LazyImage(LazyPixels, Image.Image):
    """What `convert`, `crop` and their like give back."""

    _plain = Image.Image


class LazyJpegFile(LazyPixels, JpegImagePlugin.JpegImageFile):
    """What `Image.open` gives back: Pillow has read the header, and nothing else."""

    _plain = JpegImagePlugin.JpegImageFile

    def _read(self) -> View | None:
        """All bytes of the file where Pillow would read and decode it; None: leave it to Pillow."""
        if ImageFile.LOAD_TRUNCATED_IMAGES or self.decoderconfig or not _plain_tile(self):
            return self._left_to_pillow("options")
        if self.fp is None or render.disabled:
            return self._left_to_pillow(render.disabled or "file closed")
        data = _read_all(self.fp)
        if data is None:
            return self._left_to_pillow("file cannot be read")
        source, reason = accept(data, self.mode, self.size)
        if source is None:
            return self._left_to_pillow(reason)
        # What Pillow's load() leaves behind: it reads in blocks, to the one with the end marker.
        if not self._exclusive_fp:
            block = self.decodermaxblock
            self.fp.seek(min(len(data), -(-source.end_bytes // block) * block))
        self.tile = []
        self.map = None
        self.readonly = 0
        if self._exclusive_fp and self._close_exclusive_fp_after_loading:
            self.fp.close()
        self.fp = None
        return View.whole(source, self.mode)

    def _left_to_pillow(self, reason: str) -> View | None:
        counters.left_to_pillow(reason)
        return None

    def draft(self, mode: Any, size: Any) -> Any:
        if self._view is None:
            self._become_plain()
            return self.draft(mode, size)
        return super().draft(mode, size)

    def thumbnail(self, *args: Any, **kwargs: Any) -> None:
        if self._view is None:
            self._become_plain()
        else:
            _fill(self)
        self.thumbnail(*args, **kwargs)


def lazy_image(parent: Image.Image, view: View) -> Image.Image:
    """A new image of `view`, with what Pillow's `_new` copies from the parent."""
    new = Image.Image()
    new._mode = view.mode
    new._size = view.size
    copy_info = getattr(parent, "_copy_info", None)
    new.info = copy_info() if copy_info is not None else parent.info.copy()
    new.__class__ = LazyImage
    assert isinstance(new, LazyImage)
    new._view = view
    new._pixels = None
    new._access = None
    new._lock = threading.Lock()
    return new


def make_lazy(image: ImageFile.ImageFile) -> ImageFile.ImageFile:
    """Turn a freshly opened JPEG lazy in place; anything else comes back as it is."""
    if type(image) is JpegImagePlugin.JpegImageFile:
        image._view = None  # type: ignore[attr-defined]
        image._pixels = None  # type: ignore[attr-defined]
        image._access = None  # type: ignore[attr-defined]
        image._lock = threading.Lock()  # type: ignore[attr-defined]
        image.__class__ = LazyJpegFile
    return image


def _plain_tile(image: JpegImagePlugin.JpegImageFile) -> bool:
    """One JPEG tile over the whole image, as Pillow's `_open` leaves it."""
    if len(image.tile) != 1:
        return False
    decoder, extents, offset, args = image.tile[0]
    expected = ("jpeg", (0, 0, *image.size), 0, (image.mode, ""))
    return (decoder, extents, offset, args) == expected


def _read_all(fp: Any) -> bytes | None:
    start = counters.clock()
    try:
        fp.seek(0)
        data = fp.read()
    except Exception:
        return None  # Pillow reads for itself and raises at this very line
    counters.time("read", counters.clock() - start)
    return data if type(data) is bytes else None


for _lazy in (LazyImage, LazyJpegFile):
    # Their users see the class that Pillow would have given.
    _lazy.__name__ = _lazy._plain.__name__
    _lazy.__qualname__ = _lazy._plain.__qualname__
    _lazy.__module__ = _lazy._plain.__module__
