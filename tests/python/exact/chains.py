# SPDX-License-Identifier: Apache-2.0
"""Random chains of Pillow and torchvision operations, as plain data that can be run twice."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
from PIL import Image

Op = tuple[Any, ...]
Size = tuple[int, int]

FILTERS = tuple(range(6))
MOST_PIXELS = 400_000  # of one resize; keeps a case at some milliseconds


def draw_box(rng: random.Random, size: Size) -> tuple[int, int, int, int]:
    """A box inside `size` that likes to touch borders and the grid of blocks."""
    (x0, x1), (y0, y1) = _interval(rng, size[0]), _interval(rng, size[1])
    return x0, y0, x1, y1


def _interval(rng: random.Random, length: int) -> tuple[int, int]:
    kind = rng.choice(("any", "any", "start", "end", "whole", "one", "grid"))
    if kind == "whole" or length == 1:
        return 0, length
    if kind == "start":
        return 0, rng.randint(1, length)
    if kind == "end":
        return rng.randint(0, length - 1), length
    if kind == "one":
        at = rng.choice((0, length - 1, rng.randrange(length)))
        return at, at + 1
    ends = [rng.randint(0, length) for _ in range(2)]
    if kind == "grid":
        ends = [min(length, max(0, end // 8 * 8 + rng.randint(-1, 1))) for end in ends]
    low, high = min(ends), max(ends)
    return (low, high) if low < high else (max(0, high - 1), max(1, high))


def draw_target(rng: random.Random, size: Size) -> Size:
    kind = rng.choice(("fixed", "scale", "axis", "any", "tiny", "same"))
    width, height = size
    if kind == "fixed":
        width = height = rng.choice((32, 64, 96, 224))
    elif kind == "scale":
        factor = rng.uniform(0.05, 3.0)
        width, height = round(width * factor), round(height * factor)
    elif kind == "axis" and rng.random() < 0.5:
        width = rng.randint(1, 2 * width)
    elif kind == "axis":
        height = rng.randint(1, 2 * height)
    elif kind == "any":
        width, height = rng.randint(1, 400), rng.randint(1, 400)
    elif kind == "tiny":
        width, height = rng.randint(1, 4), rng.randint(1, 4)
    width, height = max(1, width), max(1, height)
    return (width, max(1, min(height, MOST_PIXELS // width)))


def random_resized_crop(rng: random.Random, size: Size) -> list[Op]:
    """What torchvision's RandomResizedCrop(224) and a flip do, with explicit numbers."""
    area = size[0] * size[1] * rng.uniform(0.08, 1.0)
    ratio = rng.uniform(3 / 4, 4 / 3)
    width = min(size[0], max(1, round((area * ratio) ** 0.5)))
    height = min(size[1], max(1, round((area / ratio) ** 0.5)))
    x, y = rng.randint(0, size[0] - width), rng.randint(0, size[1] - height)
    chain: list[Op] = [("convert", "RGB"), ("crop", (x, y, x + width, y + height))]
    chain.append(("resize", (224, 224), rng.choice((2, 2, 3))))
    return [*chain, ("flip", 0)] if rng.random() < 0.5 else chain


def evaluation(rng: random.Random, size: Size) -> list[Op]:
    """torchvision's Resize and CenterCrop, which pads images that are too small."""
    side = rng.choice((16, 64, 256))
    long_side = max(size) * side // min(size)
    if side * long_side > MOST_PIXELS:
        return free(rng, size)
    crop = rng.choice((side, side * 7 // 8, side + 3))
    return [("convert", "RGB"), ("tv_resize", side, rng.choice((0, 2, 3))), ("tv_center", crop)]


def free(rng: random.Random, size: Size) -> list[Op]:
    chain: list[Op] = []
    for _ in range(rng.randint(1, 6)):
        name = rng.choice(("crop", "crop", "resize", "resize", "flip", "flip", "other"))
        if name == "crop":
            box = draw_box(rng, size)
            if rng.random() < 0.06:  # a border of black
                box = (box[0] - rng.randint(0, 5), box[1], box[2], box[3] + rng.randint(0, 5))
            chain.append(("crop", box))
            size = (box[2] - box[0], box[3] - box[1])
        elif name == "resize":
            size = draw_target(rng, size)
            chain.append(("resize", size, rng.choice(FILTERS)))
        elif name == "flip":
            chain.append(("flip", rng.randrange(2)))
        else:
            chain.append(rng.choice((("convert", "RGB"), ("copy",), ("load",), ("convert", "L"))))
    return chain


def draw_chain(rng: random.Random, size: Size) -> list[Op]:
    kind = rng.choice((random_resized_crop, evaluation, free, free))
    return kind(rng, size)


def apply(image: Image.Image, chain: list[Op]) -> Image.Image:
    for name, *args in chain:
        if name == "flip":
            image = image.transpose(Image.Transpose(args[0]))
        elif name == "load":
            image.load()
        elif name == "tv_resize":
            image = _torchvision().resize(image, args[0], _interpolation(args[1]))
        elif name == "tv_center":
            image = _torchvision().center_crop(image, args[0])
        else:
            image = getattr(image, name)(*args)
    return image


def _torchvision() -> Any:
    import torchvision.transforms.functional

    return torchvision.transforms.functional


def _interpolation(number: int) -> Any:
    from torchvision.transforms.functional import InterpolationMode

    names = {0: InterpolationMode.NEAREST, 2: InterpolationMode.BILINEAR}
    return names.get(number, InterpolationMode.BICUBIC)


def look(image: Image.Image, how: int) -> tuple[Any, ...]:
    """Everything that a program can see of the pixels, asked for in one of three ways."""
    if how == 0:
        pixels = image.tobytes()
    elif how == 1:
        pixels = np.asarray(image).tobytes()
    else:
        image.load()
        pixels = b"".join(band.tobytes() for band in image.split())
    return image.mode, image.size, pixels
