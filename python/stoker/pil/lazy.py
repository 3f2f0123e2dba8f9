"""Pillow images that decode late: only what is left after crops, and only when somebody looks.

A lazy image is a Pillow image whose class overrides the few methods that can stay lazy. Whatever
else is asked of it goes through `.im`, which fills in the pixels and turns the object into a plain
Pillow image for good. So nothing has to be known of the rest of Pillow.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from PIL import Image, ImageFile, JpegImagePlugin

from . import counters, render
from .access import LazyPixelAccess
from .source import accept
from .view import View

if TYPE_CHECKING:
    _Base = Image.Image
else:
    _Base = object

_FILTERS = frozenset(range(6))


class LazyPixels(_Base):
    """The methods that stay lazy. `_plain` is the Pillow class that the object turns into."""

    _plain: type[Image.Image]
    _view: View | None
    _pixels: bytes | None
    _lock: threading.Lock

    def _ready(self) -> View | None:
        """The view, or None after the object has become a plain Pillow image."""
        raise NotImplementedError  # pragma: no cover

    def _become_plain(self) -> None:
        self.__class__ = self._plain  # type: ignore[assignment]
        self._view = None
        self._pixels = None

    def _fill(self) -> None:
        """Become a plain Pillow image that holds the pixels."""
        view = self._ready()
        if view is None:
            return
        with self._lock:
            if self._view is None:
                return
            core = Image.frombytes(view.mode, view.size, self._packed(view)).im
            self._become_plain()
            self.im = core

    def _packed(self, view: View) -> bytes:
        if self._pixels is None:
            self._pixels = render.pixels(view)
        return self._pixels

    @property
    def im(self) -> Any:
        self._fill()
        return self.im

    @im.setter
    def im(self, core: Any) -> None:
        self._become_plain()
        self.im = core

    def load(self) -> Any:
        if self._ready() is None:
            return self.load()
        return LazyPixelAccess(self)

    def tobytes(self, encoder_name: str = "raw", *args: Any) -> bytes:
        if encoder_name == "raw" and not args:
            view = self._ready()
            if view is not None:
                return self._packed(view)
        self._fill()
        return self.tobytes(encoder_name, *args)

    def copy(self) -> Image.Image:
        view = self._ready()
        return self.copy() if view is None else lazy_image(self, view)

    def __copy__(self) -> Image.Image:
        return self.copy()

    def convert(self, mode: str | None = None, *args: Any, **kwargs: Any) -> Image.Image:
        view = self._ready()
        if view is not None and not args and not kwargs:
            if mode is None or mode == view.mode:
                return lazy_image(self, view)
            if (view.mode, mode) == ("L", "RGB") and "transparency" not in self.info:
                return lazy_image(self, view.in_mode("RGB"))
        self._fill()
        return self.convert(mode, *args, **kwargs)

    def crop(self, box: Any = None) -> Image.Image:
        view = self._ready()
        if view is not None:
            part = view if box is None else _crop(view, box)
            if part is not None:
                return lazy_image(self, part)
        self._fill()
        return self.crop(box)

    def resize(
        self, size: Any, resample: int | None = None, box: Any = None, reducing_gap: Any = None
    ) -> Image.Image:
        view = self._ready()
        if view is not None and box is None and reducing_gap is None:
            scaled = _resize(view, size, resample)
            if scaled is not None:
                return lazy_image(self, scaled)
        self._fill()
        return self.resize(size, resample, box, reducing_gap)

    def transpose(self, method: Any) -> Image.Image:
        view = self._ready()
        if view is not None and method in (0, 1):
            return lazy_image(self, view.mirrored(horizontal=method == 0))
        self._fill()
        return self.transpose(method)

    def close(self) -> None:
        self._become_plain()
        self.close()

    def __eq__(self, other: object) -> bool:
        for image in (self, other):
            if isinstance(image, LazyPixels):
                image._fill()
        return bool(self == other)

    __hash__ = None  # type: ignore[assignment]

    def __reduce_ex__(self, protocol: Any) -> Any:
        self._fill()
        return self.__reduce_ex__(protocol)


class LazyImage(LazyPixels, Image.Image):
    """What `convert`, `crop` and their like give back."""

    _plain = Image.Image

    def _ready(self) -> View | None:
        return self._view


class LazyJpegFile(LazyPixels, JpegImagePlugin.JpegImageFile):
    """What `Image.open` gives back: Pillow has read the header, and nothing else."""

    _plain = JpegImagePlugin.JpegImageFile

    def _ready(self) -> View | None:
        with self._lock:
            if self._view is None and isinstance(self, LazyJpegFile):
                self._view = self._read()
                if self._view is None:
                    self._become_plain()
            return self._view

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
        # What Pillow's load() leaves behind.
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
            self._fill()
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
    new._lock = threading.Lock()
    return new


def make_lazy(image: ImageFile.ImageFile) -> ImageFile.ImageFile:
    """Turn a freshly opened JPEG lazy in place; anything else comes back as it is."""
    if type(image) is JpegImagePlugin.JpegImageFile:
        image._view = None  # type: ignore[attr-defined]
        image._pixels = None  # type: ignore[attr-defined]
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


def _crop(view: View, box: Any) -> View | None:
    try:
        x0, y0, x1, y1 = map(int, map(round, box))
    except Exception:
        return None
    part = view.cropped((x0, y0, x1, y1))
    if part is not None and part.size != view.size:
        Image._decompression_bomb_check(part.size)
    return part


def _resize(view: View, size: Any, resample: int | None) -> View | None:
    try:
        width, height = size
    except Exception:
        return None
    number = Image.Resampling.BICUBIC.value if resample is None else resample
    if type(width) is not int or type(height) is not int or width < 1 or height < 1:
        return None
    if number not in _FILTERS:
        return None
    return view if (width, height) == view.size else view.scaled((width, height), int(number))


for _lazy in (LazyImage, LazyJpegFile):
    # Their users see the class that Pillow would have given.
    _lazy.__name__ = _lazy._plain.__name__
    _lazy.__qualname__ = _lazy._plain.__qualname__
    _lazy.__module__ = _lazy._plain.__module__
