# SPDX-License-Identifier: Apache-2.0
"""What levers brought in an earlier run of the same training: the next one needs no search.

A file holds what was found for one key: versions, device, models with their shapes, and the levers
that were asked for. What is remembered saves the search, not the trial or the measurement.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import tempfile
import time
from pathlib import Path
from typing import Any

import torch

from .case import Training

_MOST_AGE_S = 30 * 24 * 3600
_FORMAT = 1


def folder() -> Path:
    """Of stoker's caches."""
    named = os.environ.get("STOKER_CACHE")
    if named:
        return Path(named)
    base = os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser()
    return Path(base) / "stoker"


def key(training: Training, asked: list[str]) -> str:
    device = training.device
    facts = [
        _FORMAT,
        torch.__version__,
        torch.cuda.get_device_name(device) if device.type == "cuda" else device.type,
        torch.get_num_threads() if device.type == "cpu" else 0,
        training.world_size,
        training.loader_workers,
        [
            (
                type(optimizer).__name__,
                [tuple(p.shape) for group in optimizer.param_groups for p in group["params"]],
            )
            for optimizer in training.optimizers
        ],
        sorted(asked),
        [
            (
                type(case.module).__name__,
                case.observed.calls_of_steps,
                sorted(map(str, set(case.observed.signatures))),
                [
                    (name, tuple(p.shape), str(p.dtype))
                    for name, p in case.module.named_parameters()
                ],
            )
            for case in training.models
        ],
    ]
    return hashlib.sha256(repr(facts).encode()).hexdigest()[:24]


def load(name: str) -> dict[str, Any]:
    """{lever: {"gain": .., "date": ..}} of what was kept; {} where nothing is known. Damaged files
    are as good as none."""
    path = folder() / "levers" / f"{name}.json"
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
        if time.time() - path.stat().st_mtime < _MOST_AGE_S:
            kept = json.loads(path.read_text())["kept"]
            return {str(lever): dict(facts) for lever, facts in kept.items()}
    return {}


def save(name: str, kept: dict[str, Any]) -> None:
    """Raises OSError."""
    place = folder() / "levers"
    place.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile("w", dir=place, suffix=".tmp", delete=False) as file:
        json.dump({"kept": kept}, file)
    os.replace(file.name, place / f"{name}.json")
