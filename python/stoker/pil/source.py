# SPDX-License-Identifier: Apache-2.0
"""The compressed bytes behind lazy images, and the rule which files may be lazy."""

from __future__ import annotations

from dataclasses import dataclass

from .. import _core

CHANNELS = {"L": 1, "RGB": 3}


@dataclass(slots=True, eq=False)
class Source:
    """A whole JPEG file that cannot fail any more: its scan is regular to the end marker.

    `end_bytes` is just behind the end marker. `views` counts what was rendered of it; `pixels` is
    the whole picture, once that was decoded.
    """

    data: bytes
    mode: str
    size: tuple[int, int]
    end_bytes: int
    views: int = 0
    pixels: bytes | None = None


def accept(data: bytes, mode: str, size: tuple[int, int]) -> tuple[Source | None, str]:
    """A source, or None and the reason why Pillow has to read this file.

    Only files on which Pillow cannot raise while decoding are accepted, because a lazy image
    decodes at a later line than Pillow would.
    """
    if mode not in CHANNELS:
        return None, f"mode {mode}"
    try:
        width, height, channels, end_bytes = _core.read_info(data)
    except _core.DecodeError:
        return None, "header"
    if not end_bytes:
        return None, "not a plain single-scan file"
    if (width, height) != size or channels != CHANNELS[mode]:
        return None, "Pillow reads the header differently"
    return Source(data, mode, size, end_bytes), ""
