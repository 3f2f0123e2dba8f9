# SPDX-License-Identifier: Apache-2.0
"""Borders: no byte differs from torchvision's pad of a Pillow image, whatever their width."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pytest
import reference
from PIL import Image
from torchvision.transforms import functional as F

import stoker.transforms as T
from stoker import _core

CASES = 6000 if os.environ.get("STOKER_TEST_FULL") == "1" else 300
LENGTHS = (1, 1, 2, 3, 4, 5, 7, 16, 33, 67)


def picture(rng: np.random.Generator, width: int, height: int) -> Image.Image:
    return Image.fromarray(rng.integers(0, 256, (height, width, 3), dtype=np.uint8))


@pytest.mark.parametrize("mode", range(4), ids=reference.PAD_MODES)
def test_pad_is_torchvisions(mode: int) -> None:
    rng = np.random.default_rng(mode)
    for case in range(CASES):
        image = picture(rng, *(int(v) for v in rng.choice(LENGTHS, 2)))
        # Often wider than the image, so that it is repeated more than once.
        border = [int(v) for v in rng.integers(0, 200 if case % 3 == 0 else 6, 4)]
        fill = tuple(int(v) for v in rng.integers(0, 256, 3))
        wanted = np.asarray(F.pad(image, border, fill, reference.PAD_MODES[mode]))
        step = ("pad", [*map(float, border), float(mode), *map(float, fill)])
        got = _core.apply_steps(np.asarray(image), [step])
        assert got.shape == wanted.shape
        assert (got == wanted).all(), (image.size, border)


@pytest.mark.parametrize(
    "transform",
    [
        T.Pad(3),
        T.Pad((5, 2), fill=(1, 200, 3)),
        T.Pad((1, 0, 70, 9), padding_mode="reflect"),
        T.Pad([4, 4, 0, 1], fill=7, padding_mode="edge"),
        T.Pad(80, padding_mode="symmetric"),
        T.RandomCrop(8, padding=4),
        T.RandomCrop((9, 12), padding=(10, 3, 0, 5), fill=(9, 8, 7)),
        T.RandomCrop(90, pad_if_needed=True, padding_mode="reflect"),
        T.RandomCrop((3, 80), padding=1, pad_if_needed=True, fill=255),
    ],
    ids=repr,
)
def test_transforms_are_replayed_by_torchvision(transform: T.Transform) -> None:
    rng = np.random.default_rng(9)
    for sample in range(60):
        image: Any = picture(rng, *(int(v) for v in rng.integers(8, 68, 2)))
        chain = T.specs([T.Resize(image.size[::-1]), transform, T.Resize((4, 4)), T.ToTensor()])
        steps = _core.plan_steps(chain, 6, 0, sample, *image.size)
        steps = [step for step in steps if step[0] in ("pad", "crop")]
        got = _core.apply_steps(np.asarray(image), steps)
        for name, values in steps:
            image = reference.apply(image, name, values)
        assert (got == np.asarray(image)).all(), steps


@pytest.mark.parametrize(
    "transform,says",
    [
        (T.Pad((1, 2, 3)), "padding"),
        (T.Pad(-1), "padding"),
        (T.Pad(1.5), "padding"),
        (T.Pad(1, fill=(1, 2)), "fill"),
        (T.Pad(1, fill=256), "fill"),
        (T.Pad(1, padding_mode="wrap"), "padding_mode"),
        (T.RandomCrop(8, padding=(1, 2, 3)), "padding"),
        (T.RandomCrop(8, fill=(1, 2)), "fill"),
    ],
    ids=repr,
)
def test_what_makes_no_sense_is_refused(transform: T.Transform, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        _core.plan_steps(T.specs([transform, T.Resize(4), T.ToTensor()]), 0, 0, 0, 20, 20)
