# SPDX-License-Identifier: Apache-2.0
"""What colour jitter, policies, padded crops and erasing draw is distributed as in torchvision.

Numbers are compared by two-sample Kolmogorov-Smirnov tests, choices by two-sample chi-square tests.
Each would be off with probability 0.001 for right code; seeds are fixed, so it is or it is not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from distributions import CRITICAL, assert_alike, statistic
from PIL import Image
from torchvision import transforms as V
from torchvision.transforms import autoaugment

import stoker
import stoker.transforms as T
from stoker import _core

COUNT = 4000
WIDTH, HEIGHT = 100, 80
Step = tuple[str, list[float]]


def planned(transform: T.Transform, count: int = COUNT) -> list[list[Step]]:
    """The steps of `transform` for an image of WIDTH x HEIGHT, of many samples."""
    # Resizing an image to the size that it has is no step.
    chain = T.specs([T.Resize((HEIGHT, WIDTH)), transform, T.Resize((8, 8)), T.ToTensor()])
    found = []
    for sample in range(count):
        steps = _core.plan_steps(chain, 21, 3, sample, WIDTH, HEIGHT)
        found.append([step for step in steps if step[0] not in ("resize", "to_tensor")])
    return found


def chi_square(ours: Iterable[Hashable], theirs: Iterable[Hashable]) -> tuple[float, float]:
    """The statistic of two samples of choices, and its critical value at level 0.001."""
    a, b = Counter(ours), Counter(theirs)
    n, m = a.total(), b.total()
    value = sum(
        (a[key] * np.sqrt(m / n) - b[key] * np.sqrt(n / m)) ** 2 / (a[key] + b[key])
        for key in a.keys() | b.keys()
    )
    freedom = max(1, len(a.keys() | b.keys()) - 1)
    spread = 2 / (9 * freedom)  # Wilson and Hilferty: the cube root is nearly normal
    return float(value), freedom * (1 - spread + 3.0902 * np.sqrt(spread)) ** 3


def assert_chosen_alike(ours: Iterable[Hashable], theirs: Iterable[Hashable]) -> None:
    value, critical = chi_square(ours, theirs)
    assert value < critical


def test_the_statistics_tell_distributions_apart() -> None:
    rng = np.random.default_rng(1)
    fair = [0.1] * 10
    value, critical = chi_square(rng.choice(10, 4000, p=fair), rng.choice(10, 4000, p=fair))
    assert value < critical
    skew = [0.07, 0.13, *[0.1] * 8]
    value, critical = chi_square(rng.choice(10, 4000, p=fair), rng.choice(10, 4000, p=skew))
    assert value > critical
    assert statistic(rng.uniform(0.6, 1.4, 4000), rng.uniform(0.6, 1.5, 4000)) > CRITICAL


JITTERS: list[dict[str, Any]] = [
    {"brightness": 0.4, "contrast": 0.4, "saturation": 0.4, "hue": 0.1},
    {"brightness": (0.5, 3.0), "contrast": 2.0, "saturation": (0.1, 0.2), "hue": (-0.2, 0.5)},
]


@pytest.mark.parametrize("given", JITTERS, ids=str)
def test_jitter_factors_and_their_order(given: dict[str, Any]) -> None:
    names = list(given)
    ours = planned(T.ColorJitter(**given))
    torch.manual_seed(4)
    jitter = V.ColorJitter(**given)
    ranges = [getattr(jitter, name) for name in names]
    theirs = [V.ColorJitter.get_params(*ranges) for _ in range(COUNT)]
    orders = [[names.index(step.removeprefix("adjust_")) for step, _ in steps] for steps in ours]
    assert_chosen_alike(map(tuple, orders), (tuple(order.tolist()) for order, *_ in theirs))
    factors = np.array([[dict(steps)[f"adjust_{name}"][0] for name in names] for steps in ours])
    for place in range(4):
        assert_alike(factors[:, place], (float(drawn[1 + place]) for drawn in theirs))
    # Neither the factors among each other nor with the order.
    first = np.array([order[0] for order in orders])
    correlations = np.corrcoef(np.column_stack([factors, first]), rowvar=False)
    assert np.abs(correlations - np.eye(5)).max() < 4 / np.sqrt(COUNT)


Draw = tuple[str, float]
STILL: Draw = ("still", 0.0)
ENHANCED = {
    "adjust_brightness": "Brightness",
    "adjust_saturation": "Color",
    "adjust_contrast": "Contrast",
    "adjust_sharpness": "Sharpness",
}
NAMED = {
    "posterize": "Posterize",
    "solarize": "Solarize",
    "autocontrast": "AutoContrast",
    "equalize": "Equalize",
}


def draw_of(step: Step) -> Draw:
    """Which augmentation a step is and its magnitude, told from the step's numbers alone."""
    name, v = step
    if name in ENHANCED:
        return ENHANCED[name], v[0] - 1.0
    if name in NAMED:
        return NAMED[name], v[0] if v else 0.0
    assert name == "affine"
    _, b, c, d, _, f = v[:6]
    if b and d:
        return "Rotate", float(np.degrees(np.arctan2(b, v[0])))
    if b or d:
        return ("ShearX", b) if b else ("ShearY", d)
    if c or f:
        return ("TranslateX", -c) if c else ("TranslateY", -f)
    return STILL


def torchvision_draws(
    patch: pytest.MonkeyPatch, policy: Any, count: int = COUNT
) -> list[list[Draw]]:
    found: list[list[Draw]] = []

    def record(image: Any, name: str, magnitude: float, *args: Any, **kw: Any) -> Any:
        value = float(int(magnitude)) if name.startswith("Translate") else magnitude
        geometric = name.startswith(("Shear", "Translate", "Rotate"))
        if name != "Identity":
            found[-1].append(STILL if geometric and value == 0 else (name, value))
        return image

    patch.setattr(autoaugment, "_apply_op", record)
    image = Image.new("RGB", (WIDTH, HEIGHT))
    for _ in range(count):
        found.append([])
        policy(image)
    return found


def names_of(draws: list[Draw]) -> tuple[str, ...]:
    return tuple(name for name, _ in draws)


def signs_of(draws: list[Draw]) -> tuple[tuple[str, bool], ...]:
    return tuple((name, value < 0) for name, value in draws)


def test_rand_augment_chooses_and_signs(monkeypatch: pytest.MonkeyPatch) -> None:
    torch.manual_seed(5)
    theirs = torchvision_draws(monkeypatch, V.RandAugment(num_ops=1))
    ours = [[draw_of(step) for step in steps] for steps in planned(T.RandAugment(num_ops=1))]
    assert len({signs_of(draws) for draws in theirs}) == 23  # 9 have a sign, 5 have none
    assert_chosen_alike(map(signs_of, ours), map(signs_of, theirs))


def test_rand_augment_chooses_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    torch.manual_seed(6)
    theirs = torchvision_draws(monkeypatch, V.RandAugment())
    ours = [[draw_of(step) for step in steps] for steps in planned(T.RandAugment())]
    assert_chosen_alike(map(names_of, ours), map(names_of, theirs))


def test_trivial_augment_wide(monkeypatch: pytest.MonkeyPatch) -> None:
    count = 3 * COUNT
    torch.manual_seed(7)
    theirs = torchvision_draws(monkeypatch, V.TrivialAugmentWide(), count)
    ours = [[draw_of(step) for step in steps] for steps in planned(T.TrivialAugmentWide(), count)]
    assert_chosen_alike(map(names_of, ours), map(names_of, theirs))
    by_name: dict[str, tuple[list[float], list[float]]] = {}
    for which, sample in enumerate((ours, theirs)):
        for name, value in (draw for draws in sample for draw in draws):
            by_name.setdefault(name, ([], []))[which].append(value)
    assert len(by_name) == 14  # without Identity, with those that leave the image still
    for a, b in by_name.values():
        # One magnitude of thirty may differ in its last bits.
        assert_alike(np.round(a, 9), np.round(b, 9))


@pytest.mark.parametrize(
    "size,given",
    [
        (64, {"padding": 4}),
        ((70, 50), {"padding": (20, 35)}),
        ((60, 90), {"padding": (1, 2, 3, 40), "padding_mode": "reflect"}),
        ((84, 90), {"pad_if_needed": True}),
        ((90, 110), {"padding": 2, "pad_if_needed": True}),
    ],
    ids=str,
)
def test_crops_of_padded_images(size: Any, given: dict[str, Any]) -> None:
    """Crops of padded images, and how they were padded, which torchvision's forward tells."""
    ours = planned(T.RandomCrop(size, **given))
    torch.manual_seed(8)
    crop = V.RandomCrop(size, **given)
    image: Any = Image.new("RGB", (WIDTH, HEIGHT))
    asked: list[Any] = []

    def record(padded: Any, wanted: Any) -> tuple[int, int, int, int]:
        asked.append(padded)
        return 0, 0, 1, 1

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(crop, "get_params", record)
        crop(image)
    padded_size = list(asked[0].size)
    theirs = [V.RandomCrop.get_params(asked[0], crop.size) for _ in range(COUNT)]
    for steps in ours:
        pads = [v for name, v in steps if name == "pad"]
        added = [sum(v[0] + v[2] for v in pads), sum(v[1] + v[3] for v in pads)]
        assert [WIDTH + added[0], HEIGHT + added[1]] == padded_size
        assert steps[-1][0] == "crop" and steps[-1][1][2:] == list(crop.size)
    for place in (0, 1):
        assert_alike((steps[-1][1][place] for steps in ours), (v[place] for v in theirs))


@pytest.mark.parametrize("probability", [0.1, 0.5, 0.9])
def test_erasing_comes_as_often_as_asked_for(probability: float) -> None:
    chain = T.specs([T.Resize((HEIGHT, WIDTH)), T.ToTensor(), T.RandomErasing(probability)])
    count = 0
    for sample in range(COUNT):
        steps = _core.plan_steps(chain, 8, 0, sample, 50, 50)
        count += sum(name == "erase" for name, _ in steps)
    # At these sizes a place is found nearly always in ten tries.
    spread = np.sqrt(COUNT * probability * (1 - probability))
    assert abs(count - COUNT * probability) < 4 * spread


def test_erasing_noise_is_standard_normal(tmp_path: Path) -> None:
    for number in range(8):
        Image.new("RGB", (40, 40)).save(tmp_path / f"{number}.png")
    erasing = T.RandomErasing(1.0, scale=(0.3, 0.3), value="random")
    chain = [T.CenterCrop(40), T.ToTensor(), erasing]
    paths = [(str(path), 0) for path in sorted(tmp_path.iterdir())]
    images, _ = next(iter(stoker.ImageLoader(paths, 8, chain, shuffle=False, seed=3)))
    torch.manual_seed(9)
    # Erased pixels: black ones are 0 in all channels.
    noise = [image[:, (image != 0).all(dim=0)] for image in images]
    for values in noise:
        assert values.shape[0] == 3 and values.shape[1] > 300
        for channel in values:
            assert_alike(channel.tolist(), torch.randn(COUNT).tolist())
    drawn = torch.cat([values.flatten() for values in noise])
    assert_alike(drawn.tolist(), torch.randn(4 * COUNT).tolist())
    assert len(drawn.unique()) > 0.99 * len(drawn)  # no channel or image repeats another
