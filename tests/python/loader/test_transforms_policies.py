# SPDX-License-Identifier: Apache-2.0
"""RandAugment and TrivialAugmentWide plan the steps that torchvision makes, number for number."""

from __future__ import annotations

from typing import Any

import pytest
from PIL import Image
from torchvision import transforms as V
from torchvision.transforms import autoaugment
from torchvision.transforms import functional as F

import stoker.transforms as T
from stoker import _core

Step = tuple[str, list[float]]
NAMES = [f"adjust_{name}" for name in ("brightness", "contrast", "saturation", "sharpness")]
NAMES += ["posterize", "solarize", "autocontrast", "equalize"]


def planned(transform: T.Transform, sample: int, width: int, height: int) -> list[Step]:
    # Resizing an image to the size that it has is no step.
    chain = T.specs([T.Resize((height, width)), transform, T.PILToTensor()])
    steps = _core.plan_steps(chain, 3, 1, sample, width, height)
    return [step for step in steps if step[0] != "to_tensor"]


def recorded(monkeypatch: pytest.MonkeyPatch) -> list[Step]:
    """Fills up with the steps that torchvision's functions take on Pillow images."""
    steps: list[Step] = []
    transform = Image.Image.transform

    def record_transform(
        self: Any, size: Any, method: Any, data: Any, *args: Any, **kw: Any
    ) -> Any:
        steps.append(("affine", [*map(float, data), *map(float, kw["fillcolor"])]))
        return transform(self, size, method, data, *args, **kw)

    def record_rotate(self: Any, angle: float, resample: Any, *args: Any, **kw: Any) -> Any:
        # A centre given keeps Pillow from its short cuts without changing the place.
        return rotate(self, angle, resample, center=(self.width / 2, self.height / 2), **kw)

    rotate = Image.Image.rotate
    monkeypatch.setattr(Image.Image, "transform", record_transform)
    monkeypatch.setattr(Image.Image, "rotate", record_rotate)
    for name in NAMES:

        def record(image: Any, *args: Any, _name: str = name) -> Any:
            steps.append((_name, [float(v) for v in args]))
            return image

        monkeypatch.setattr(F, name, record)
    return steps


def space(policy: Any, width: int, height: int) -> dict[str, Any]:
    bins = policy.num_magnitude_bins
    if isinstance(policy, V.RandAugment):
        found: dict[str, Any] = policy._augmentation_space(bins, (height, width))
    else:
        found = policy._augmentation_space(bins)
    return found


def possible_steps(policy: Any, steps: list[Step], width: int, height: int) -> set[Any]:
    """What torchvision can make of one image, as it makes it."""
    image = Image.new("RGB", (width, height))
    possible = set()
    for name, (magnitudes, signed) in space(policy, width, height).items():
        values = magnitudes.tolist() if magnitudes.ndim else [0.0]
        if isinstance(policy, V.RandAugment) and magnitudes.ndim:
            values = [values[policy.magnitude]]
        for value in [float(v) for v in values] + [-float(v) for v in values if signed]:
            steps.clear()
            autoaugment._apply_op(image, name, value, policy.interpolation, policy.fill)
            possible |= {(step, tuple(v + 0.0 for v in numbers)) for step, numbers in steps}
    return possible


POLICIES: list[tuple[str, dict[str, Any]]] = [
    ("RandAugment", {}),
    ("RandAugment", {"magnitude": 3, "num_magnitude_bins": 10, "fill": [1, 200, 3]}),
    ("RandAugment", {"num_ops": 4, "magnitude": 30, "fill": 77}),
    ("TrivialAugmentWide", {}),
    ("TrivialAugmentWide", {"num_magnitude_bins": 17, "fill": [9, 8, 255]}),
    ("TrivialAugmentWide", {"num_magnitude_bins": 2}),
]


@pytest.mark.parametrize("size", [(224, 224), (331, 100), (37, 41)])
@pytest.mark.parametrize("name,given", POLICIES)
def test_policies_make_torchvisions_steps(
    monkeypatch: pytest.MonkeyPatch, name: str, given: dict[str, Any], size: tuple[int, int]
) -> None:
    with monkeypatch.context() as patch:
        possible = possible_steps(getattr(V, name)(**given), recorded(patch), *size)
    found = set()
    transform = getattr(T, name)(**given)
    many = name == "TrivialAugmentWide" and given.get("num_magnitude_bins") != 2
    all_come = not many or (not given and size == (37, 41))
    # Enough for every one of about 600 to come.
    for sample in range(12000 if many and all_come else 1000):
        for step, numbers in planned(transform, sample, *size):
            found.add((step, tuple(v + 0.0 for v in numbers)))
    assert found <= possible, sorted(found - possible)[:5]
    assert not all_come or possible <= found, sorted(possible - found)[:5]
