# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import os
import random
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "data"))

import jpeg_cases

import stoker.pil
from stoker.pil import counters, render

pytest.register_assert_rewrite("compare")


@pytest.fixture(scope="session")
def seed() -> int:
    return int(os.environ.get("STOKER_TEST_SEED", "20261130"))


@pytest.fixture(scope="session")
def full() -> bool:
    return os.environ.get("STOKER_TEST_FULL") == "1"


@pytest.fixture(autouse=True)
def _left_uninstalled() -> Iterator[None]:
    yield
    stoker.pil.uninstall()
    assert not render.disabled, render.disabled
    render.disabled = ""


@pytest.fixture
def native(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """stoker.pil on, and its pixels as they are: never replaced by Pillow's after a comparison."""
    monkeypatch.setattr(render, "_is_compared", lambda: False)
    counters.reset()
    stoker.pil.install()
    yield
    stoker.pil.uninstall()


@pytest.fixture(scope="session")
def jpeg() -> bytes:
    """A colour JPEG of 61 x 43 with noise, 4:2:0, that is decoded natively."""
    return _noise((61, 43), "RGB")


@pytest.fixture(scope="session")
def grey_jpeg() -> bytes:
    return _noise((40, 30), "L")


@pytest.fixture
def path(tmp_path: Path, jpeg: bytes) -> Path:
    file = tmp_path / "picture.jpg"
    file.write_bytes(jpeg)
    return file


def _noise(size: tuple[int, int], mode: str) -> bytes:
    rng = random.Random(f"{size} {mode}")
    count = size[0] * size[1] * len(mode)
    image = jpeg_cases.Image.frombytes(mode, size, rng.randbytes(count))
    return jpeg_cases.encode(image, quality=92)
