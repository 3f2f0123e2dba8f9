# SPDX-License-Identifier: Apache-2.0
"""The Trainer of transformers under levers: they leave alone what it does itself."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("transformers", reason="transformers is not installed")

from trained_twice import Trained, train

pytestmark = pytest.mark.ci

WITHIN = 1e-3


def trainer(folder: Path, *options: str, **arguments: object) -> Trained:
    return train(folder, "train_transformers.py", json.dumps(arguments), options=options)


def test_plain(tmp_path: Path) -> None:
    trained = trainer(tmp_path)
    trained.check(WITHIN)
    assert trained.lever("fused_optimizer")["reason"] == "the script sets fused itself"
    trained.check_saved("saved/model.safetensors", WITHIN)


def test_its_own_autocast(tmp_path: Path) -> None:
    more = {"bf16": True, "gradient_accumulation_steps": 2}
    trained = trainer(tmp_path, "--without", "compile", **more)
    trained.check(0)
    assert trained.lever("bf16")["reason"] == "the script uses autocast itself"


def test_its_own_compile(tmp_path: Path) -> None:
    """Nothing is left for levers, so the training is the same to the last bit."""
    trained = trainer(tmp_path, torch_compile=True, torch_compile_backend="aot_eager")
    trained.check(0)
    assert trained.lever("compile")["reason"] == "the script calls torch.compile itself"
    assert trained.lever("fused_optimizer")["reason"] == "the script sets fused itself"
    trained.check_saved("saved/model.safetensors", 0)
