# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "data"))

import stoker.pil
from stoker.pil import counters, render


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
