# SPDX-License-Identifier: Apache-2.0
"""The same samples by Pillow and torchvision, step by step with the engine's explicit numbers."""

from __future__ import annotations

from typing import Any

import torch
from PIL import Image
from torchvision.transforms import InterpolationMode
from torchvision.transforms import functional as F

import stoker.transforms as T
from stoker import _core

PAD_MODES = ("constant", "edge", "reflect", "symmetric")
FILTERS = {
    0: InterpolationMode.NEAREST,
    1: InterpolationMode.LANCZOS,
    2: InterpolationMode.BILINEAR,
    3: InterpolationMode.BICUBIC,
    4: InterpolationMode.BOX,
    5: InterpolationMode.HAMMING,
}
AFFINE, NEAREST = Image.Transform.AFFINE, Image.Resampling.NEAREST


def apply(image: Any, name: str, v: list[float]) -> Any:
    i = [int(x) for x in v]
    if name == "crop":
        return F.crop(image, *i)
    if name == "resize":
        return F.resize(image, i[:2], FILTERS[i[2]])
    if name == "flip":
        return F.hflip(image) if i[0] else F.vflip(image)
    if name == "pad":
        return F.pad(image, i[:4], tuple(i[5:]), PAD_MODES[i[4]])
    if name == "to_tensor":
        return F.to_tensor(image) if i[0] else F.pil_to_tensor(image).float()
    if name == "normalize":
        return F.normalize(image, v[:3], v[3:])
    if name == "erase":
        return F.erase(image, *i[:4], torch.tensor(v[4:7])[:, None, None])
    if name == "affine":
        colour = tuple(i[6:])
        return image.transform(image.size, AFFINE, v[:6], NEAREST, fillcolor=colour)
    if name == "posterize":
        return F.posterize(image, i[0])
    if name.startswith("adjust_") or name in ("solarize", "autocontrast", "equalize"):
        return getattr(F, name)(image, *v)
    raise AssertionError(f"no reference for {name}")


def sample(path: str, transforms: Any, seed: int, epoch: int, number: int) -> torch.Tensor:
    """What ImageFolder with these transforms gives, with the engine's draws for this sample."""
    with Image.open(path) as opened:
        image: Any = opened.convert("RGB")
    planned = _core.plan_steps(T.specs(transforms), seed, epoch, number, *image.size)
    for name, values in planned:
        image = apply(image, name, values)
    if not isinstance(image, torch.Tensor):
        image = F.pil_to_tensor(image)
    return image
