# SPDX-License-Identifier: Apache-2.0
"""Accelerate under levers: they do what it leaves open, and leave alone what it does."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("accelerate", reason="accelerate is not installed")

from trained_twice import train

pytestmark = pytest.mark.ci

SCRIPT = "train_accelerate.py"
WITHIN = 1e-3


def test_plain(tmp_path: Path) -> None:
    trained = train(tmp_path, SCRIPT, "no", "no")
    trained.check(WITHIN)
    assert trained.lever("fused_optimizer")["applied"]
    trained.check_saved("model.pt", WITHIN)
    trained.check_saved("state/optimizer.bin", 1e-2)


def test_its_own_autocast(tmp_path: Path) -> None:
    """It puts autocast inside the model's forward."""
    trained = train(tmp_path, SCRIPT, "bf16", "no")
    trained.check(1e-2)
    assert trained.lever("bf16")["reason"] == "the script uses autocast itself"


def test_its_own_compile(tmp_path: Path) -> None:
    """As one graph, into which nothing of levers may come."""
    trained = train(tmp_path, SCRIPT, "no", "aot_eager")
    trained.check(WITHIN)
    assert trained.lever("compile")["reason"] == "the script calls torch.compile itself"
    trained.check_saved("model.pt", WITHIN)
