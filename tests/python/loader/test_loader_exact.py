# SPDX-License-Identifier: Apache-2.0
"""Every byte of a batch is what Pillow and torchvision give for the same file and draws."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
import reference
import torch
from images import make_folder
from torchvision.datasets import ImageFolder

import stoker
import stoker.transforms as T

MEAN, STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
FULL = os.environ.get("STOKER_TEST_FULL") == "1"
CHAINS: dict[str, list[Any]] = {
    "train": [
        T.RandomResizedCrop(32),
        T.RandomHorizontalFlip(),
        T.ToTensor(),
        T.Normalize(MEAN, STD),
    ],
    "evaluate": [T.Resize(40), T.CenterCrop(32), T.ToTensor(), T.Normalize(MEAN, STD)],
    "bicubic": [T.RandomResizedCrop((24, 48), interpolation="bicubic"), T.ToTensor()],
    "squeezed": [T.Resize((20, 90), interpolation="lanczos"), T.RandomVerticalFlip(), T.ToTensor()],
    "padded": [T.CenterCrop(120), T.Resize(64), T.RandomHorizontalFlip(1.0), T.PILToTensor()],
    "cifar": [
        T.RandomCrop(96, padding=4, pad_if_needed=True, fill=(9, 200, 77)),
        T.RandomHorizontalFlip(),
        T.ToTensor(),
        T.Normalize(MEAN, STD),
    ],
    "reflected": [
        T.RandomCrop((70, 50), padding=(20, 35), padding_mode="reflect", pad_if_needed=True),
        T.ToTensor(),
    ],
    "bordered": [
        T.Resize((30, 30)),
        T.Pad((1, 2, 3, 4), padding_mode="symmetric"),
        T.Pad(5, padding_mode="edge"),
        T.Pad(2, fill=128),
        T.ToTensor(),
    ],
    "erased": [
        T.RandomResizedCrop(32),
        T.ToTensor(),
        T.RandomErasing(0.7, value=(0.1, 0.5, 0.9)),
        T.Normalize(MEAN, STD),
        T.RandomErasing(0.5),
    ],
    "twice": [T.Resize((50, 60)), T.CenterCrop(44), T.Resize((30, 30)), T.ToTensor()],
}


def check(folder: Path, chain: list[Any], seed: int, **options: Any) -> int:
    files = ImageFolder(str(folder))
    loader = stoker.ImageLoader(folder, 7, chain, seed=seed, threads=2, **options)
    assert loader.classes == files.classes
    assert loader.class_to_idx == files.class_to_idx
    seen = 0
    for batch in loader.batches():
        for image, label, number in zip(batch.images, batch.labels, batch.samples, strict=True):
            path, expected_label = files.samples[int(number)]
            assert int(label) == expected_label
            expected = reference.sample(path, chain, seed, 0, int(number)).to(batch.images.dtype)
            assert torch.equal(image, expected), (path, options)
            seen += 1
    assert seen == len(files)
    return seen


@pytest.mark.parametrize("name", CHAINS)
def test_batches_equal_pillow_and_torchvision(folder: Path, name: str) -> None:
    for seed in range(8 if FULL else 2):
        check(folder, CHAINS[name], seed)


@pytest.mark.parametrize("layout", ["nchw", "nhwc"])
@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
def test_dtypes_and_layouts(folder: Path, dtype: str, layout: str) -> None:
    check(folder, CHAINS["train"], 3, dtype=dtype, layout=layout)


@pytest.mark.parametrize("layout", ["nchw", "nhwc"])
def test_uint8_gives_the_bytes(folder: Path, layout: str) -> None:
    check(
        folder, [T.RandomResizedCrop(32), T.RandomHorizontalFlip()], 4, dtype="uint8", layout=layout
    )


def test_channels_last_is_memory_order_alone(folder: Path) -> None:
    loader = stoker.ImageLoader(folder, 4, CHAINS["evaluate"], layout="nhwc")
    images, labels = next(iter(loader))
    assert images.shape == (4, 3, 32, 32) and labels.dtype == torch.int64
    assert images.is_contiguous(memory_format=torch.channels_last)


def test_to_dtype_of_v2_stands_for_to_tensor(folder: Path) -> None:
    v2 = [T.Resize((32, 32)), T.PILToTensor(), T.ToDtype(torch.float32, scale=True)]
    loader = stoker.ImageLoader(folder, 48, v2, shuffle=False)
    expected = stoker.ImageLoader(folder, 48, [v2[0], T.ToTensor()], shuffle=False)
    assert torch.equal(next(iter(loader))[0], next(iter(expected))[0])
    bytes_kept = stoker.ImageLoader(folder, 48, v2[:2], shuffle=False, dtype="uint8")
    assert torch.equal(next(iter(bytes_kept))[0] / 255, next(iter(expected))[0])
    with pytest.raises(ValueError, match="ToDtype: dtype: got 'float16', expected one of float32"):
        stoker.ImageLoader(folder, 4, [v2[0], T.ToDtype(torch.float16, scale=True)])


def test_noise_is_the_same_again_and_only_where_it_belongs(folder: Path) -> None:
    def run(*more: Any) -> torch.Tensor:
        chain = [T.Resize((32, 32)), T.ToTensor(), *more]
        loader = stoker.ImageLoader(folder, 48, chain, shuffle=False, seed=2)
        return next(iter(loader))[0]

    plain, noisy = run(), run(T.RandomErasing(1.0, value="random"))
    assert torch.equal(noisy, run(T.RandomErasing(1.0, value="random")))
    changed = (plain != noisy).any(dim=1)
    assert 0.02 < changed.float().mean() < 0.33
    values = noisy[(plain != noisy)]
    assert abs(values.mean()) < 0.05 and abs(values.std() - 1) < 0.05


def test_an_image_smaller_than_its_crop_is_a_bad_sample(folder: Path) -> None:
    loader = stoker.ImageLoader(folder, 8, [T.RandomCrop(60), T.ToTensor()])
    with pytest.raises(stoker.SampleError, match="is outside an image of"):
        list(loader)


def test_without_to_tensor_floats_go_from_0_to_1(folder: Path) -> None:
    plain = [T.Resize((32, 32))]
    with_it = stoker.ImageLoader(folder, 48, [*plain, T.ToTensor()], shuffle=False)
    without = stoker.ImageLoader(folder, 48, plain, shuffle=False)
    assert torch.equal(next(iter(with_it))[0], next(iter(without))[0])


def test_what_pillow_decodes_is_counted_with_its_reason(tmp_path: Path) -> None:
    kinds = ["jpeg 420", "bmp", "tiff", "jpeg cmyk"]
    loader = stoker.ImageLoader(make_folder(tmp_path, 8, kinds), 8, CHAINS["evaluate"])
    next(iter(loader))
    stats = loader.stats()
    assert stats["samples"] == 8 and stats["handed_over"] == 6
    assert sum(stats["handed_over_reasons"].values()) == 6
    assert "by Pillow" in str(stats)


def test_a_list_of_paths_and_labels(folder: Path) -> None:
    files = ImageFolder(str(folder))
    pairs = [(path, label + 100) for path, label in files.samples[::-1]]
    loader = stoker.ImageLoader(pairs, 5, CHAINS["evaluate"], shuffle=False)
    labels = torch.cat([labels for _, labels in loader])
    assert labels.tolist() == [label for _, label in pairs]
