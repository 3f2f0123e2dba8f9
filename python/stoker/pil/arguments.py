# SPDX-License-Identifier: Apache-2.0
"""Arguments of Pillow's `crop` and `resize`, as far as a view can follow them.

None means that Pillow has to see them: it raises what it raises, or works on pixels.
"""

from __future__ import annotations

from typing import Any

import PIL
from PIL import Image

from .view import View

_FILTERS = frozenset(range(6))

# Larger results go to Pillow: it may refuse them, and then does so at the line that asks.
_MOST_PIXELS = 1 << 26

# Since 13 Pillow takes a box over the whole image for a copy, and looks at no limit then.
_WHOLE_IS_COPIED = int(PIL.__version__.split(".")[0]) >= 13


def crop(view: View, box: Any) -> View | None:
    try:
        if box is None or (_WHOLE_IS_COPIED and box == (0, 0, *view.size)):
            return view
        x0, y0, x1, y1 = map(int, map(round, box))
        part = view.cropped((x0, y0, x1, y1))
    except Exception:
        return None
    if part is not None:
        Image._decompression_bomb_check(part.size)
    return part


def resize(view: View, size: Any, resample: int | None) -> View | None:
    if not isinstance(size, (tuple, list)) or len(size) != 2:
        return None
    width, height = size
    number = Image.Resampling.BICUBIC.value if resample is None else resample
    if not isinstance(number, int) or number not in _FILTERS:
        return None
    if type(width) is not int or type(height) is not int or width < 1 or height < 1:
        return None
    if width * height > _MOST_PIXELS:
        return None
    return view if (width, height) == view.size else view.scaled((width, height), int(number))
