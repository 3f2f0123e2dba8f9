# SPDX-License-Identifier: Apache-2.0
"""Augmentation that works on pixels, and the tensors that torchvision makes of images."""

from __future__ import annotations

import io
import random
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from compare import both
from PIL import Image, ImageChops, ImageDraw, ImageEnhance, ImageFilter, ImageOps, ImageStat

torch = pytest.importorskip("torch")
from torchvision import transforms as v1  # noqa: E402
from torchvision.transforms import v2  # noqa: E402


def _open(data: bytes) -> Image.Image:
    return Image.open(io.BytesIO(data)).convert("RGB")


def _bits(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return str(value.dtype), tuple(value.shape), value.stride(), value.numpy().tobytes()
    return value.mode, value.size, value.tobytes()


PIXEL_OPERATIONS: dict[str, Callable[[Image.Image], Image.Image]] = {
    "color": lambda image: ImageEnhance.Color(image).enhance(1.4),
    "contrast": lambda image: ImageEnhance.Contrast(image).enhance(0.4),
    "brightness": lambda image: ImageEnhance.Brightness(image).enhance(1.7),
    "sharpness": lambda image: ImageEnhance.Sharpness(image).enhance(1.9),
    "autocontrast": lambda image: ImageOps.autocontrast(image),
    "equalize": lambda image: ImageOps.equalize(image),
    "invert": lambda image: ImageOps.invert(image),
    "posterize": lambda image: ImageOps.posterize(image, 3),
    "mirror": lambda image: ImageOps.mirror(image),
    "flip": lambda image: ImageOps.flip(image),
    "grayscale": lambda image: ImageOps.grayscale(image),
    "blur": lambda image: image.filter(ImageFilter.GaussianBlur(2)),
    "multiply": lambda image: ImageChops.multiply(image, image.transpose(0)),
    "blend": lambda image: Image.blend(image, image.transpose(1), 0.3),
    "composite": lambda image: Image.composite(image, image.transpose(0), image.convert("L")),
    "merge": lambda image: Image.merge("RGB", image.split()[::-1]),
    "alpha": lambda image: Image.alpha_composite(image.convert("RGBA"), image.convert("RGBA")),
    "fromarray": lambda image: Image.fromarray(np.array(image)[::-1]),
}


@pytest.mark.parametrize("name", PIXEL_OPERATIONS)
def test_operations_on_pixels(name: str, jpeg: bytes) -> None:
    def program() -> Any:
        image = _open(jpeg)
        small = image.crop((2, 3, 50, 41)).resize((30, 20))
        return [_bits(PIXEL_OPERATIONS[name](each)) for each in (image, small)]

    both(program)


def test_drawing_and_statistics(jpeg: bytes) -> None:
    def program() -> Any:
        image = _open(jpeg).resize((40, 30))
        ImageDraw.Draw(image).rectangle((2, 2, 9, 9), fill=(255, 0, 0))
        stat = ImageStat.Stat(image)
        return stat.mean, stat.stddev, image.tobytes()

    both(program)


NORMALIZE = ((0.485, 0.456, 0.406), (0.229, 0.224, 0.225))
LISTS = tuple(map(list, NORMALIZE))

CHAINS: dict[str, Any] = {
    "v1 train": v1.Compose(
        [
            v1.RandomResizedCrop(32),
            v1.RandomHorizontalFlip(),
            v1.ToTensor(),
            v1.Normalize(*NORMALIZE),
        ]
    ),
    "v1 eval": v1.Compose(
        [v1.Resize(40), v1.CenterCrop(32), v1.ToTensor(), v1.Normalize(*LISTS, inplace=True)]
    ),
    "v1 uint8": v1.Compose([v1.Resize((20, 30)), v1.PILToTensor()]),
    "v1 converted": v1.Compose([v1.PILToTensor(), v1.ConvertImageDtype(torch.float32)]),
    "v1 jitter": v1.Compose(
        [v1.RandomCrop(30, padding=4), v1.ColorJitter(0.4, 0.4, 0.4, 0.1), v1.ToTensor()]
    ),
    "v1 randaugment": v1.Compose([v1.RandomResizedCrop(30), v1.RandAugment(), v1.ToTensor()]),
    "v1 trivial": v1.Compose([v1.TrivialAugmentWide(), v1.ToTensor()]),
    "v1 autoaugment": v1.Compose([v1.AutoAugment(), v1.ToTensor(), v1.RandomErasing(p=1.0)]),
    "v1 affine": v1.Compose([v1.RandomAffine(20), v1.RandomPerspective(p=1.0), v1.ToTensor()]),
    "v1 five": v1.Compose(
        [v1.FiveCrop(20), v1.Lambda(lambda crops: torch.stack([v1.ToTensor()(c) for c in crops]))]
    ),
    "v1 grey": v1.Compose([v1.Grayscale(3), v1.ToTensor(), v1.Normalize([0.5] * 3, [0.5] * 3)]),
    "v1 one": v1.Compose([v1.Grayscale(1), v1.ToTensor(), v1.Normalize([0.5], [0.5])]),
    "v1 pad": v1.Compose([v1.Pad(5, padding_mode="reflect"), v1.CenterCrop(80), v1.ToTensor()]),
    "v2 pil": v2.Compose(
        [
            v2.RandomResizedCrop(32),
            v2.RandomHorizontalFlip(),
            v2.ToImage(),
            v2.ToDtype(torch.float32, scale=True),
            v2.Normalize(LISTS[0], LISTS[1]),
        ]
    ),
    "v2 tensors": v2.Compose(
        [v2.ToImage(), v2.RandomResizedCrop(32, antialias=True), v2.RandomHorizontalFlip()]
    ),
    "v2 jitter": v2.Compose(
        [v2.RandomCrop(30), v2.ColorJitter(0.4, 0.4, 0.4, 0.1), v2.PILToTensor()]
    ),
    "v2 augment": v2.Compose([v2.RandAugment(), v2.TrivialAugmentWide(), v2.PILToTensor()]),
}


@pytest.mark.parametrize("name", CHAINS)
def test_torchvision(name: str, jpeg: bytes, seed: int) -> None:
    def program() -> Any:
        torch.manual_seed(seed)
        random.seed(seed)
        tensors = [CHAINS[name](_open(jpeg)) for _ in range(4)]
        return [_bits(tensor) for tensor in tensors], torch.rand(1).item(), random.random()

    both(program)


def _to_tensor_of_everything(jpeg: bytes) -> Any:
    modes = ("RGB", "L", "RGBA", "1", "I", "F", "CMYK", "YCbCr", "P")
    images = [_open(jpeg).convert(mode) for mode in modes]
    images += [_open(jpeg).crop((0, 0, 1, 43)), _open(jpeg).crop((0, 0, 61, 1))]
    results = [_bits(v1.functional.to_tensor(image)) for image in images]
    results.append(_bits(v1.functional.to_tensor(np.array(images[0]))))
    return results


def _to_tensor_in_float64(jpeg: bytes) -> Any:
    torch.set_default_dtype(torch.float64)
    try:
        return _bits(v1.functional.to_tensor(_open(jpeg)))
    finally:
        torch.set_default_dtype(torch.float32)


def _to_tensor_of_an_empty_image(jpeg: bytes) -> Any:
    return _bits(v1.functional.to_tensor(_open(jpeg).crop((3, 3, 3, 9))))


def _to_tensor_of_a_cut_file(jpeg: bytes) -> Any:
    return v1.functional.to_tensor(Image.open(io.BytesIO(jpeg[:2000])))


def _to_tensor_of_no_image(jpeg: bytes) -> Any:
    return v1.functional.to_tensor([1, 2, 3])


def _normalize_with_a_zero(jpeg: bytes) -> Any:
    return v1.Normalize([0.5] * 3, [0.5, 0.0, 0.5])(v1.ToTensor()(_open(jpeg)))


def _normalize_with_too_few(jpeg: bytes) -> Any:
    return v1.Normalize([0.5] * 2, [0.5] * 2)(v1.ToTensor()(_open(jpeg)))


def _normalize_with_one_for_all(jpeg: bytes) -> Any:
    return _bits(v1.Normalize([0.5], [0.25])(v1.ToTensor()(_open(jpeg))))


def _normalize_odd_tensors(jpeg: bytes) -> Any:
    normalize = v1.Normalize(*NORMALIZE)
    tensor = v1.ToTensor()(_open(jpeg))
    odd = [tensor.double(), tensor.half(), tensor[None], tensor[:, ::2], tensor.flip(1), -tensor]
    odd += [tensor * 1e30, tensor / 0, tensor[:, :0], torch.full((3, 4, 5), float("nan"))]
    results = [_bits(normalize(each)) for each in odd]
    leaf = tensor.clone().requires_grad_()
    normalize(leaf).sum().backward()
    with warnings.catch_warnings():  # torch speaks of its own future, once a function
        warnings.simplefilter("ignore")
        scripted = torch.jit.script(normalize)
    return [*results, _bits(leaf.grad), _bits(scripted(tensor))]


@pytest.mark.parametrize(
    "program",
    [
        _to_tensor_of_everything,
        _to_tensor_in_float64,
        _to_tensor_of_an_empty_image,
        _to_tensor_of_a_cut_file,
        _to_tensor_of_no_image,
        _normalize_with_a_zero,
        _normalize_with_too_few,
        _normalize_with_one_for_all,
        _normalize_odd_tensors,
    ],
    ids=lambda program: program.__name__,
)
def test_tensors(program: Callable[[bytes], Any], jpeg: bytes) -> None:
    both(program, jpeg, native=None)
