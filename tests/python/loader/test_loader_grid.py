# SPDX-License-Identifier: Apache-2.0
"""Random images of all kinds under random chains of all transforms, from plain folders, with an
index, and packed: 0 bytes differ from Pillow and torchvision. A case is one sample of one batch.

By default a part of the grid, chosen by STOKER_TEST_SEED; with STOKER_TEST_FULL=1 all of it.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import reference
import torch
from images import KINDS, make_folder
from torchvision.datasets import ImageFolder

import stoker
import stoker.transforms as T

STOKER = os.environ.get("STOKER_EXECUTABLE", str(Path(sys.executable).parent / "stoker"))
SEED = int(os.environ.get("STOKER_TEST_SEED", "1"))
FULL = os.environ.get("STOKER_TEST_FULL") == "1"
ROUNDS = 12 if FULL else 2
FILES = 68  # four of each kind
CHAINS = 6 if FULL else 2
WAYS = ("plain", "packed", "indexed")
FILTERS = ("nearest", "bilinear", "bicubic", "box", "hamming", "lanczos")


def random_chain(rng: random.Random) -> list[Any]:
    """Geometry to one size, then colours, then tensors; each part may be missing."""
    size = (rng.randrange(8, 70), rng.randrange(8, 70))
    chain: list[Any] = []
    if rng.random() < 0.2:
        mode = rng.choice(["constant", "edge", "reflect", "symmetric"])
        padding = tuple(rng.randrange(0, 9) for _ in range(4))
        chain.append(T.Pad(padding, fill=rng.randrange(256), padding_mode=mode))
    if rng.random() < 0.3:
        chain.append(T.RandomVerticalFlip(0.5))
    interpolation = rng.choice(FILTERS)
    kind = rng.randrange(4)
    if kind == 0:
        chain.append(T.RandomResizedCrop(size, interpolation=interpolation))
    elif kind == 1:
        chain += [T.Resize(rng.randrange(20, 90), interpolation), T.CenterCrop(size)]
    elif kind == 2:
        chain.append(T.RandomCrop(size, padding=rng.randrange(1, 6), pad_if_needed=True))
    else:
        chain.append(T.Resize(size, interpolation))
    chain.append(T.RandomHorizontalFlip())
    colours = [
        T.ColorJitter(0.4, 0.4, 0.4, 0.2),
        T.RandAugment(2, rng.randrange(1, 31)),
        T.TrivialAugmentWide(),
    ]
    chain += rng.sample(colours, rng.randrange(0, 2))
    chain.append(T.ToTensor())
    if rng.random() < 0.5:
        chain.append(T.Normalize((0.485, 0.456, 0.406), (0.229, 0.224, 0.225)))
    if rng.random() < 0.4:
        chain.append(T.RandomErasing(0.6, value=rng.random()))
    return chain


def run(*command: object) -> None:
    subprocess.run([STOKER, *map(str, command)], check=True, capture_output=True)


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Path]]:
    rounds = []
    for number in range(ROUNDS):
        root = tmp_path_factory.mktemp("grid")
        ways = {way: root / way for way in WAYS}
        for way in ("plain", "indexed"):
            make_folder(ways[way], FILES, first=number * FILES + SEED * 100_000)
        run("data", "index", ways["indexed"])
        run("data", "pack", ways["plain"], ways["packed"])
        rounds.append(ways)
    return rounds


@pytest.mark.parametrize("number", range(ROUNDS))
def test_no_byte_differs(
    prepared: list[dict[str, Path]], number: int, record_property: Any
) -> None:
    ways = prepared[number]
    files = ImageFolder(str(ways["plain"]))
    rng = random.Random(SEED * 1000 + number)
    counts = dict.fromkeys((*WAYS, "read with an index"), 0)
    for case in range(CHAINS):
        chain, seed = random_chain(rng), rng.randrange(2**40)
        expected = [
            reference.sample(path, chain, seed, 0, i) for i, (path, _) in enumerate(files.samples)
        ]
        for way in WAYS:
            loader = stoker.ImageLoader(ways[way], 16, chain, seed=seed, threads=2)
            assert loader.classes == files.classes
            for batch in loader.batches():
                for image, label, i in zip(
                    batch.images, batch.labels, batch.samples.tolist(), strict=True
                ):
                    assert torch.equal(image, expected[i]), (way, case, chain, files.samples[i])
                    assert int(label) == files.samples[i][1]
                    counts[way] += 1
            counts["read with an index"] += loader.stats()["indexed"]
            loader.close()
    assert all(counts[way] == FILES * CHAINS for way in WAYS)
    assert counts["read with an index"] >= FILES * CHAINS // len(KINDS) * 4
    record_property("compared", sum(counts[way] for way in WAYS))
    record_property("differ", 0)
