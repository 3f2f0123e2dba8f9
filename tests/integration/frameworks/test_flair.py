# SPDX-License-Identifier: Apache-2.0
"""flair under levers. It needs an older transformers, so it lies in an environment of its own."""

from __future__ import annotations

from pathlib import Path

import pytest
from side_by_side import ROOT
from trained_twice import train

pytestmark = pytest.mark.ci

PYTHON = ROOT / "build/flair/bin/python"


@pytest.mark.skipif(not PYTHON.exists(), reason="flair is not installed: scripts/setup does it")
def test_a_sequence_tagger(tmp_path: Path) -> None:
    """It calls parts of its model, whose sentences differ in length, and scales no gradients."""
    trained = train(tmp_path, "train_flair.py", python=str(PYTHON))
    trained.check(1e-3)
    assert trained.lever("fused_optimizer")["applied"]
