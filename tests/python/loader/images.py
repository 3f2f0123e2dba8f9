# SPDX-License-Identifier: Apache-2.0
"""Images of many formats, made from a seed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

Save = Callable[[Image.Image, Path], None]


def picture(seed: int, width: int, height: int) -> Image.Image:
    """Waves with noise on top, so that no two places look alike."""
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[0:height, 0:width].astype(np.float64)
    waves = [
        np.sin(x / rng.uniform(3, 40)) + np.cos(y / rng.uniform(3, 40) + x / 90) for _ in range(3)
    ]
    values = 128 + 60 * np.stack(waves, axis=2) + rng.normal(0, 12, (height, width, 3))
    return Image.fromarray(np.clip(values, 0, 255).astype(np.uint8), "RGB")


def saved(suffix: str, mode: str = "RGB", **options: Any) -> tuple[str, Save]:
    def save(image: Image.Image, path: Path) -> None:
        if mode == "P":
            image.quantize(64).save(path, **options)
        elif mode == "RGBA":
            alpha = image.convert("L")
            image = image.copy()
            image.putalpha(alpha)
            image.save(path, **options)
        elif mode == "I;16":
            grey = np.asarray(image.convert("L")).astype(np.uint16) * 3
            Image.fromarray(grey).save(path, **options)
        else:
            image.convert(mode).save(path, **options)

    return suffix, save


# What the engine decodes itself, and what Pillow decodes for it.
KINDS: dict[str, tuple[str, Save]] = {
    "jpeg 420": saved("jpg", quality=90),
    "jpeg 444": saved("jpg", quality=95, subsampling=0),
    "jpeg 422": saved("jpeg", quality=75, subsampling=1, optimize=True),
    "jpeg grey": saved("jpg", "L"),
    "jpeg progressive": saved("JPG", progressive=True),
    "jpeg cmyk": saved("jpg", "CMYK"),
    "png": saved("png"),
    "png palette": saved("png", "P"),
    "png alpha": saved("png", "RGBA"),
    "png grey": saved("png", "L"),
    "png 1 bit": saved("png", "1"),
    "png 16 bit": saved("png", "I;16"),
    "webp lossy": saved("webp", quality=80),
    "webp lossless": saved("webp", lossless=True),
    "webp alpha": saved("webp", "RGBA", quality=70),
    "bmp": saved("bmp"),
    "tiff": saved("tif"),
}


def make_folder(root: Path, count: int, kinds: list[str] | None = None, first: int = 0) -> Path:
    """`count` files in three classes, of all kinds in turn; sizes differ. `first` chooses others,
    and every fifth of those that begin beyond 0 is larger."""
    names = kinds or list(KINDS)
    for number in range(count):
        kind = names[number % len(names)]
        suffix, save = KINDS[kind]
        place = root / f"class{number % 3}"
        place.mkdir(parents=True, exist_ok=True)
        width, height = 40 + 13 * (number % 7), 90 - 11 * (number % 5)
        if first and number % 5 == 0:
            width, height = 3 * width, 3 * height
        image = picture(first + number, width, height)
        save(image, place / f"{number:04}-{kind.replace(' ', '-')}.{suffix}")
    return root
