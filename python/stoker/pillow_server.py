# SPDX-License-Identifier: Apache-2.0
"""Pillow's word on image files, for `stoker data scan` and `stoker data show`.

usage: pillow_server.py

First answers {"name"} or {"error"}. Each line on stdin, "KIND BYTES", is followed by that many
bytes of a file. The answer is one line of JSON: {"width", "height", "channels", "progressive"},
with {"values", "squares"} for the kind "sums" and {"rgb"} in base64 for "pixels", or {"broken"}
with the reason. Runs as a program of its own, so that a file that ends Pillow ends nothing else.
"""

from __future__ import annotations

import base64
import io
import json
import sys
import warnings
from typing import Any

CHANNELS = {"1": 1, "L": 1, "LA": 1, "La": 1, "I": 1, "I;16": 1, "I;16B": 1, "F": 1, "CMYK": 4}


def sums_of(rgb: Any) -> dict[str, list[int]]:
    """Sum of the values and of their squares, by channel."""
    counts = rgb.histogram()
    channels = [counts[at : at + 256] for at in (0, 256, 512)]
    return {
        "values": [sum(v * n for v, n in enumerate(channel)) for channel in channels],
        "squares": [sum(v * v * n for v, n in enumerate(channel)) for channel in channels],
    }


def look_at(data: bytes, kind: str) -> dict[str, Any]:
    """As torchvision's image folder reads a file."""
    from PIL import Image

    with Image.open(io.BytesIO(data)) as image:
        facts: dict[str, Any] = {
            "width": image.width,
            "height": image.height,
            "channels": CHANNELS.get(image.mode, 3),
            "progressive": bool(image.info.get("progressive")),
        }
        rgb = image.convert("RGB")
    if kind == "sums":
        facts |= sums_of(rgb)
    elif kind == "pixels":
        facts["rgb"] = base64.b64encode(rgb.tobytes()).decode("ascii")
    return facts


def reason_of(error: Exception) -> str:
    text = str(error).strip() or type(error).__name__
    if "cannot identify image file" in text:  # it names a BytesIO, which nobody knows
        return "Pillow cannot identify it as an image"
    return text


def answer(values: dict[str, Any]) -> None:
    print(json.dumps(values), flush=True)


def main() -> None:
    # This folder is first on the path, and the names in it must not stand for other packages.
    del sys.path[0]
    try:
        import PIL
        from PIL import Image

        Image.init()
    except Exception as error:
        answer({"error": f"{type(error).__name__}: {error}"})
        return
    warnings.simplefilter("ignore")
    answer({"name": f"Pillow {PIL.__version__}"})
    while line := sys.stdin.buffer.readline():
        kind, size = line.split()
        data = sys.stdin.buffer.read(int(size))
        try:
            answer(look_at(data, kind.decode("ascii")))
        except Exception as error:
            answer({"broken": reason_of(error)})


if __name__ == "__main__":
    main()
