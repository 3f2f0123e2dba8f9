# SPDX-License-Identifier: Apache-2.0
"""A training script with and without stoker.pil: the same batches, the same weights."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import jpeg_cases
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("torchvision")

SCRIPT = Path(__file__).parent / "training_script.py"
RUNS = [f"{method}:{seed}" for method in ("none", "fork", "spawn") for seed in (1, 2, 3)]
SLOW = {"spawn:2", "spawn:3"}


@pytest.fixture(scope="module")
def images(tmp_path_factory: pytest.TempPathFactory, seed: int) -> Path:
    """Two classes of files of all kinds, two of which are damaged."""
    root = tmp_path_factory.mktemp("images")
    rng = random.Random(seed)
    kinds = ["4:2:0"] * 6 + ["4:4:4", "4:2:2", "grey", "progressive", "cmyk", "4:4:0"]
    for number, kind in enumerate(kinds):
        folder = root / f"class{number % 2}"
        folder.mkdir(exist_ok=True)
        pixels = jpeg_cases.draw_pixels(rng, rng.randint(60, 160), rng.randint(60, 160))
        data = jpeg_cases.KINDS[kind][2](rng, pixels)
        if number in (3, 7):
            data = data[:-50]
        (folder / f"{number}.jpg").write_bytes(data)
    return root


@pytest.fixture(scope="module")
def results(images: Path, tmp_path_factory: pytest.TempPathFactory, full: bool) -> list[Any]:
    """What the script gives without and with stoker.pil."""
    # Spawned workers take seconds to import torch.
    runs = [run for run in RUNS if full or run not in SLOW]
    folder = tmp_path_factory.mktemp("results")
    processes = []
    for stoker in ("0", "1"):
        command = [sys.executable, str(SCRIPT), str(images), str(folder / stoker), *runs]
        processes.append(subprocess.Popen(command, env={**os.environ, "WITH_STOKER": stoker}))
    try:
        assert [process.wait(timeout=280) for process in processes] == [0, 0]
    finally:
        for process in processes:
            process.kill()
    return [torch.load(folder / stoker) for stoker in ("0", "1")]


@pytest.mark.parametrize("run", RUNS)
def test_batches_and_weights(run: str, results: list[Any]) -> None:
    if run not in results[0]:
        pytest.skip("runs with the whole grid")
    wanted, got = results[0][run], results[1][run]
    assert wanted["native"] == 0
    assert got["native"] >= 0.5 * sum(len(labels) for _, labels in got["batches"])
    assert len(wanted["batches"]) == len(got["batches"]) == 10
    for (x, y), (ours_x, ours_y) in zip(wanted["batches"], got["batches"], strict=True):
        assert torch.equal(y, ours_y)
        assert x.dtype == ours_x.dtype
        assert torch.equal(x, ours_x)
    assert wanted["weights"].keys() == got["weights"].keys()
    for name, weight in wanted["weights"].items():
        assert torch.equal(weight, got["weights"][name]), name
    assert torch.equal(wanted["random"], got["random"])


def test_seeds_matter(results: list[Any]) -> None:
    first, second = (results[0][f"fork:{seed}"]["batches"][0][0] for seed in (1, 2))
    assert not torch.equal(first, second)
