# SPDX-License-Identifier: Apache-2.0
"""Pixel operations and the transforms made of them: no byte differs from torchvision on Pillow.

Operations are compared for explicit parameters over images of many kinds and sizes. Whole
transforms are planned by the engine, and torchvision replays the steps.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import reference  # type: ignore[import-not-found]
from numpy.typing import NDArray
from PIL import Image
from torchvision import transforms as V
from torchvision.transforms import functional as F

import stoker.transforms as T
from stoker import _core

FULL = os.environ.get("STOKER_TEST_FULL") == "1"
ROUNDS = 12 if FULL else 1
Step = tuple[str, list[float]]
Pixels = NDArray[np.uint8]

SIZES = [(w, h) for w in (1, 2, 3, 4, 17, 67) for h in (1, 2, 3, 5, 32)]
SIZES += [(67, 67), (31, 64), (224, 224), (224, 100)]
KINDS = ("photo", "noise", "flat", "extreme", "narrow")


def picture(kind: str, width: int, height: int, rng: np.random.Generator) -> Image.Image:
    shape = (height, width, 3)
    values: NDArray[Any]
    if kind == "photo":
        y, x = np.mgrid[0:height, 0:width].astype(float)
        planes = [np.sin(x / rng.uniform(3, 40)) + np.cos(y / rng.uniform(3, 40)) for _ in "rgb"]
        values = 128 + 60 * np.stack(planes, axis=2) + rng.normal(0, 8, shape)
    elif kind == "noise":
        values = rng.integers(0, 256, shape)
    elif kind == "flat":
        values = np.broadcast_to(rng.integers(0, 256, 3), shape)
    elif kind == "extreme":
        values = rng.choice([0, 1, 254, 255], shape)
    else:
        values = rng.integers(100, 110, shape)
    return Image.fromarray(np.clip(values, 0, 255).astype(np.uint8), "RGB")


def pictures(seed: int) -> Iterator[tuple[Image.Image, np.random.Generator]]:
    for round_ in range(ROUNDS):
        for number, (width, height) in enumerate(SIZES):
            for place, kind in enumerate(KINDS):
                rng = np.random.default_rng([seed, round_, number, place])
                yield picture(kind, width, height, rng), rng


def differing(image: Image.Image, wanted: Image.Image, steps: list[Step]) -> int:
    assert wanted.size == image.size
    got = _core.apply_steps(np.asarray(image), steps)
    return int((got != np.asarray(wanted)).sum())


FACTORS = [0.0, 0.1, 0.3, 0.5, 0.8999999761581421, 1.0, 1.2, 1.5, 1.9900000095367432, 6.0, 300.0]
ARGUMENTS: dict[str, list[list[float]]] = {
    "adjust_brightness": [[f] for f in [*FACTORS, -0.5]],
    "adjust_contrast": [[f] for f in [*FACTORS, -0.5]],
    "adjust_saturation": [[f] for f in [*FACTORS, -0.5]],
    "adjust_sharpness": [[f] for f in [*FACTORS, -0.5]],
    "adjust_hue": [[f] for f in (-0.5, -0.31, -0.1, -0.002, 0.0, 0.004, 0.2, 0.499, 0.5)],
    "posterize": [[bits] for bits in range(1, 9)],
    "solarize": [[t] for t in (-1, 0, 0.5, 1, 128, 203.99998474121094, 255, 255.5, 256)],
    "autocontrast": [[]],
    "equalize": [[]],
}


@pytest.mark.parametrize("name", ARGUMENTS)
def test_an_operation_is_torchvisions(name: str) -> None:
    choices = ARGUMENTS[name]
    cases = 0
    for image, rng in pictures(1):
        some = choices if FULL else [choices[i] for i in rng.permutation(len(choices))[:3]]
        if name.startswith("adjust_"):
            low, high = (-0.5, 0.5) if name == "adjust_hue" else (0.0, 2.0)
            some = [*some, [float(np.float32(rng.uniform(low, high)))]]
        for arguments in some:
            given = [int(v) if name == "posterize" else v for v in arguments]
            wanted = getattr(F, name)(image, *given)
            assert differing(image, wanted, [(name, arguments)]) == 0, (image.size, arguments)
            cases += 1
    assert cases >= len(SIZES) * len(KINDS) * ROUNDS


@pytest.mark.parametrize("name", ["adjust_hue", "adjust_saturation"])
def test_all_colours(name: str) -> None:
    """Every fifth value of each channel and both ends; all of them with STOKER_TEST_FULL=1."""
    values = np.arange(256) if FULL else np.unique([*range(0, 256, 5), 1, 254])
    grid = np.stack(np.meshgrid(values, values, values), axis=-1).astype(np.uint8)
    image = Image.fromarray(grid.reshape(len(values), -1, 3), "RGB")
    for factor in (-0.37, 0.0, 0.123, 0.5):
        assert differing(image, getattr(F, name)(image, factor), [(name, [factor])]) == 0


def matrices(width: int, height: int, rng: np.random.Generator) -> Iterator[list[float]]:
    """For each of the ways in which Pillow walks through the source."""
    yield [*rng.uniform(-2, 2, 2), rng.uniform(-width, width), *rng.uniform(-2, 2, 2), 0.0]
    yield [1.0, 0.0, float(rng.integers(-5, 5)), 0.0, 1.0, float(rng.integers(-5, 5))]
    yield [rng.uniform(-2, 2), 0.0, 0.3 * width, 0.0, rng.uniform(-2, 2), 0.4 * height]
    yield [-1.0, 0.0, float(width), 0.0, -1.0, float(height)]
    yield [0.0, 1.0, 0.0, -1.0, 0.0, float(height)]
    # Too far away for steps of 1/65536 pixel.
    far = 40000.0 / max(width, height)
    yield [rng.uniform(0, 1), far, -far, far, rng.uniform(0, 1), 0.5]
    yield [1e9, 0.1, 0.0, 0.1, -1e9, 1e10]


def test_affine_is_pillows() -> None:
    for image, rng in pictures(2):
        for matrix in matrices(*image.size, rng):
            fill = tuple(int(v) for v in rng.integers(0, 256, 3))
            wanted = image.transform(
                image.size, Image.Transform.AFFINE, matrix, Image.Resampling.NEAREST, fillcolor=fill
            )
            steps = [("affine", [*map(float, matrix), *map(float, fill)])]
            assert differing(image, wanted, steps) == 0, (image.size, matrix)


def test_operations_on_a_known_image() -> None:
    """By hand, so that the reference itself is held to something."""
    pixels = np.array([[[0, 100, 255], [10, 20, 30]]], np.uint8)
    for step, wanted in [
        (("adjust_brightness", [0.5]), [[0, 50, 127], [5, 10, 15]]),
        (("adjust_contrast", [0.0]), [[53, 53, 53], [53, 53, 53]]),  # mean of L 88 and 18
        (("posterize", [1.0]), [[0, 0, 128], [0, 0, 0]]),
        (("solarize", [100.0]), [[0, 155, 0], [10, 20, 30]]),
        (("autocontrast", []), [[0, 255, 255], [255, 0, 0]]),
        (("affine", [1.0, 0, 1, 0, 1, 0, 7, 8, 9]), [[10, 20, 30], [7, 8, 9]]),
    ]:
        assert _core.apply_steps(pixels, [step]).tolist() == [wanted]


def planned(transform: T.Transform, sample: int, width: int, height: int) -> list[Step]:
    # Resizing an image to the size that it has is no step.
    chain = T.specs([T.Resize((height, width)), transform, T.PILToTensor()])
    steps = _core.plan_steps(chain, 3, 1, sample, width, height)
    return [step for step in steps if step[0] != "to_tensor"]


TRANSFORMS = [
    T.ColorJitter(0.4, 0.4, 0.4, 0.1),
    T.ColorJitter(brightness=(0.5, 3.0), hue=0.5),
    T.ColorJitter(0, 2.0, [0.1, 0.2], (-0.2, -0.1)),
    T.RandAugment(),
    T.RandAugment(num_ops=3, magnitude=20, fill=(255, 0, 9)),
    T.TrivialAugmentWide(),
    T.TrivialAugmentWide(fill=100),
]


@pytest.mark.parametrize("transform", TRANSFORMS, ids=repr)
def test_transforms_are_replayed_by_torchvision(transform: T.Transform) -> None:
    for sample, (image, _) in enumerate(pictures(4)):
        steps = planned(transform, sample, *image.size)
        wanted = image
        for name, values in steps:
            wanted = reference.apply(wanted, name, values)
        assert differing(image, wanted, steps) == 0, (image.size, steps)


def test_rotations_are_torchvisions() -> None:
    """Pillow turns by 0, 90, 180 and 270 degrees in another way: the bytes are the same."""
    angles = np.linspace(0.0, 135.0, 31, dtype=np.float32)
    bins = {float(a): i for i, a in enumerate(angles)}
    assert 90.0 in bins
    for width, height in ((64, 64), (33, 33), (40, 31)):
        image = picture("noise", width, height, np.random.default_rng(5))
        wanted = {}
        for angle in bins:
            for signed in (angle, -angle):
                turned = F.rotate(image, signed)
                wanted[np.asarray(turned).tobytes()] = signed
        seen = set()
        for sample in range(3000):
            for name, values in planned(T.TrivialAugmentWide(), sample, width, height):
                if name == "affine" and values[1] != 0 and values[3] != 0:
                    got = _core.apply_steps(np.asarray(image), [(name, values)]).tobytes()
                    if got in wanted:
                        seen.add(abs(wanted[got]))
        assert {90.0, 135.0} <= seen and len(seen) >= 28


def test_color_jitter_draws_an_order_and_factors() -> None:
    transform = T.ColorJitter(0.25, (0.5, 3.0), 2.0, 0.125)
    ranges = {"brightness": (0.75, 1.25), "contrast": (0.5, 3.0), "saturation": (0, 3.0)}
    orders = set()
    factors: dict[str, list[float]] = {}
    for sample in range(2000):
        steps = planned(transform, sample, 10, 10)
        orders.add(tuple(name for name, _ in steps))
        for name, (factor,) in steps:
            assert factor == np.float32(factor)
            factors.setdefault(name.removeprefix("adjust_"), []).append(factor)
    assert len(orders) == 24
    for name, (low, high) in {**ranges, "hue": (-0.125, 0.125)}.items():
        assert len(factors[name]) == 2000
        assert low <= min(factors[name]) < low + 0.01 * (high - low)
        assert high - 0.01 * (high - low) < max(factors[name]) <= high


@pytest.mark.parametrize(
    "transform,names",
    [
        (T.ColorJitter(), set()),
        (T.ColorJitter(0, (1, 1), 0, (0, 0)), set()),
        (T.ColorJitter(brightness=0.1), {"adjust_brightness"}),
        (T.ColorJitter(hue=(0.1, 0.1)), {"adjust_hue"}),
        (T.RandAugment(num_ops=0), set()),
    ],
)
def test_nothing_is_done_where_nothing_is_asked_for(
    transform: T.Transform, names: set[str]
) -> None:
    found = {name for sample in range(20) for name, _ in planned(transform, sample, 9, 9)}
    assert found == names


@pytest.mark.parametrize(
    "transform,says",
    [
        (T.ColorJitter(brightness=-0.1), "brightness"),
        (T.ColorJitter(brightness=1e39), "brightness"),
        (T.ColorJitter(contrast=(2, 1)), "contrast"),
        (T.ColorJitter(saturation=(-1, 1)), "saturation"),
        (T.ColorJitter(hue=0.6), "hue"),
        (T.ColorJitter(hue=(0, 0.1, 0.2)), "hue"),
        (T.RandAugment(magnitude=31), "magnitude"),
        (T.RandAugment(num_magnitude_bins=1), "num_magnitude_bins"),
        (T.RandAugment(interpolation=V.InterpolationMode.BILINEAR), "interpolation"),
        (T.TrivialAugmentWide(fill=256), "fill"),
        (T.TrivialAugmentWide(fill=(1, 2)), "fill"),
    ],
    ids=repr,
)
def test_what_makes_no_sense_is_refused(transform: T.Transform, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        planned(transform, 0, 9, 9)
