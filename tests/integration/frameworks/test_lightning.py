# SPDX-License-Identifier: Apache-2.0
"""Lightning under levers: they do what it leaves open, and leave alone what it does."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("lightning", reason="lightning is not installed")

from trained_twice import Trained, train

pytestmark = pytest.mark.ci

# Losses of 32 steps with a learning rate of 0.01, after roundings of another optimizer and graph.
WITHIN = 1e-3


def lightning(folder: Path, *options: str, **arguments: object) -> Trained:
    return train(folder, "train_lightning.py", json.dumps(arguments), options=options)


def test_plain(tmp_path: Path) -> None:
    trained = lightning(tmp_path)
    trained.check(WITHIN)
    assert trained.lever("fused_optimizer")["applied"]
    trained.check_saved("lightning.ckpt", WITHIN)


def test_what_it_sets_itself(tmp_path: Path) -> None:
    """It refuses to clip gradients of an optimizer that could take part in scaling them."""
    trained = lightning(tmp_path, "--without", "compile", precision="bf16-mixed", benchmark=True)
    trained.check(1e-2)
    assert trained.lever("bf16")["reason"] == "the script uses autocast itself"
    assert trained.lever("cudnn_search")["reason"] == "the script turned it on itself"
    assert trained.lever("fused_optimizer")["applied"]


def test_two_processes_of_its_own(tmp_path: Path) -> None:
    """It starts the second rank itself, by the command line of the first."""
    trained = lightning(tmp_path, strategy="ddp", devices=2, max_epochs=6)
    trained.check(WITHIN)
    assert [rank["rank"] for rank in trained.levers.run_json()["ranks"]] == [0, 1]
