# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from stoker.levers import outcome
from stoker.levers.outcome import Outcome

sys.path.append(str(Path(__file__).parent.parent))  # for watched_script


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Outcome]]:
    """All that levers say in a test."""
    heard: list[Outcome] = []
    monkeypatch.setattr(outcome, "on_outcome", heard.append)
    yield heard
