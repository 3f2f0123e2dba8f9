# SPDX-License-Identifier: Apache-2.0
"""The engine's draws are distributed as torchvision's: two-sample Kolmogorov-Smirnov tests.

A test may be off with probability 0.001 for right code; seeds are fixed, so it is or it is not.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import torch
from distributions import CRITICAL, assert_alike, statistic
from numpy.typing import NDArray
from torchvision import transforms as V

import stoker.transforms as T
from stoker import _core

COUNT = 4000
SIZES = [(500, 375), (375, 500), (300, 100)]


def planned(transform: T.Transform, name: str, width: int, height: int) -> list[list[float]]:
    """The numbers of the step `name` for many samples; those without it are left out."""
    chain = T.specs([transform, T.Resize((8, 8)), T.ToTensor()])
    found = []
    for sample in range(COUNT):
        steps = _core.plan_steps(chain, 11, 2, sample, width, height)
        found += [values for step, values in steps if step == name][:1]
    return found


def test_the_statistic_tells_distributions_apart() -> None:
    rng = np.random.default_rng(0)
    assert statistic(rng.uniform(size=4000), rng.uniform(size=4000)) < CRITICAL
    assert statistic(rng.uniform(size=4000), rng.uniform(size=4000) ** 1.2) > CRITICAL


QUANTITIES: dict[str, Callable[[list[float], int, int], float]] = {
    "area": lambda v, w, h: v[2] * v[3] / (w * h),
    "ratio": lambda v, w, h: np.log(v[3] / v[2]),
    "left": lambda v, w, h: v[1] / max(1, w - v[3]),
    "top": lambda v, w, h: v[0] / max(1, h - v[2]),
}


@pytest.mark.parametrize("width,height", SIZES)
def test_random_resized_crop(width: int, height: int) -> None:
    ours = planned(T.RandomResizedCrop(32), "crop", width, height)
    torch.manual_seed(1)
    image = torch.empty(3, height, width)
    crop = V.RandomResizedCrop.get_params
    theirs = [crop(image, [0.08, 1.0], [3 / 4, 4 / 3]) for _ in range(COUNT)]
    for quantity in QUANTITIES.values():
        assert_alike(
            (quantity(v, width, height) for v in ours),
            (quantity(list(map(float, v)), width, height) for v in theirs),
        )


@pytest.mark.parametrize("width,height", SIZES)
def test_random_crop(width: int, height: int) -> None:
    ours = planned(T.RandomCrop(90), "crop", width, height)
    torch.manual_seed(2)
    image = torch.empty(3, height, width)
    theirs = [V.RandomCrop.get_params(image, (90, 90)) for _ in range(COUNT)]
    for place in (0, 1):
        assert_alike((v[place] for v in ours), (v[place] for v in theirs))


@pytest.mark.parametrize("probability", [0.1, 0.5, 0.9])
def test_flips_come_as_often_as_asked_for(probability: float) -> None:
    for transform in (T.RandomHorizontalFlip(probability), T.RandomVerticalFlip(probability)):
        count = len(planned(transform, "flip", 50, 50))
        error = np.sqrt(COUNT * probability * (1 - probability))
        assert abs(count - COUNT * probability) < 4 * error


def test_random_erasing() -> None:
    chain = T.specs([T.Resize((120, 160)), T.ToTensor(), T.RandomErasing(1.0)])
    ours = []
    for sample in range(COUNT):
        ours += [v for name, v in _core.plan_steps(chain, 5, 0, sample, 50, 50) if name == "erase"]
    torch.manual_seed(3)
    image = torch.empty(3, 120, 160)
    params = V.RandomErasing.get_params
    theirs = [params(image, (0.02, 0.33), (0.3, 3.3), [0.0])[:4] for _ in range(COUNT)]
    theirs = [v for v in theirs if v[2] < 120 and v[3] < 160]
    assert len(ours) == pytest.approx(len(theirs), rel=0.02)
    for quantity in QUANTITIES.values():
        assert_alike(
            (quantity(v, 160, 120) for v in ours),
            (quantity(list(map(float, v)), 160, 120) for v in theirs),
        )


def test_samples_epochs_and_places_in_the_chain_draw_independently() -> None:
    def tops(epoch: int, chain: list[T.Transform], which: int) -> NDArray[np.float64]:
        specs = T.specs([*chain, T.ToTensor()])
        found = []
        for sample in range(COUNT):
            crops = [
                v for n, v in _core.plan_steps(specs, 1, epoch, sample, 400, 400) if n == "crop"
            ]
            found.append(crops[which][0])
        return np.asarray(found)

    pair = [T.RandomCrop(300), T.RandomCrop(200)]
    first, second, later = tops(0, pair, 0), tops(0, pair, 1), tops(1, pair, 0)
    limit = 4 / np.sqrt(COUNT)
    for a, b in ((first, second), (first, later), (first[:-1], first[1:])):
        assert abs(np.corrcoef(a, b)[0, 1]) < limit
    assert np.array_equal(first, tops(0, pair[:1], 0))
