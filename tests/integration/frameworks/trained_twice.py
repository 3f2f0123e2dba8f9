# SPDX-License-Identifier: Apache-2.0
"""Trains by a script of `scripts/` twice: alone, and under `stoker run` with levers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import torch
from side_by_side import PYTHON, Ended, Watched, environment, execute, under_stoker

from stoker.levers.cards import cards

SCRIPTS = Path(__file__).parent / "scripts"
ALLOW = ["--allow", "rounding,precision"]
# What torch's compiler says of a machine that has CUDA's files and no CUDA device.
_OF_THE_COMPILER = "No CUDA runtime is found"


@dataclass
class Trained:
    alone: Ended
    levers: Watched
    folder: Path  # of both: "alone" and "levers" lie in it

    def lever(self, name: str) -> dict[str, Any]:
        return self.outcomes()[name]

    def outcomes(self) -> dict[str, dict[str, Any]]:
        return {lever["id"]: lever for lever in self.levers.run_json()["levers"]}

    def check(self, within: float) -> None:
        """The same training, losses within this relative distance; 0 is the same text."""
        assert self.alone.status == 0, self.alone.stderr.decode()
        assert self.levers.status == 0, self.levers.stderr.decode()
        assert self.levers.errors() == ""
        assert warnings(self.levers) == warnings(self.alone)
        if within == 0:
            assert self.levers.stdout == self.alone.stdout
        else:
            assert numbers(self.levers) == pytest.approx(numbers(self.alone), rel=within)
            assert words(self.levers) == words(self.alone)
        self.check_outcomes()

    def check_outcomes(self) -> None:
        """Each lever that is allowed is on, or there is a reason why not."""
        outcomes = self.outcomes()
        assert set(outcomes) >= set(cards()) - {"native_decoding"}
        for name, lever in outcomes.items():
            assert lever["applied"] == (lever["reason"] == ""), (name, lever)

    def check_saved(self, name: str, within: float) -> None:
        """What was saved under levers is what was saved without: keys, kinds and values."""
        alone, levers = (flat(torch_load(self.folder / how / name)) for how in ("alone", "levers"))
        assert list(levers) == list(alone)
        assert len(alone) > 3
        for key, value in alone.items():
            if isinstance(value, torch.Tensor):
                assert levers[key].dtype == value.dtype and levers[key].device == value.device
                torch.testing.assert_close(levers[key], value, rtol=within, atol=within)
            else:
                assert levers[key] == (value if value is None else pytest.approx(value)), key


def train(folder: Path, script: str, *args: str, options: Sequence[str] = (),
          launcher: Sequence[str] = (), python: str = PYTHON) -> Trained:  # fmt: skip
    """`launcher` is what starts the script, instead of `python`."""
    command = [*(launcher or [python]), str(SCRIPTS / script), *args]
    caches = {"HF_HOME": str(folder / "hub"), "FLAIR_CACHE_ROOT": str(folder / "flair")}
    env = environment(HF_HUB_OFFLINE="1", TRANSFORMERS_OFFLINE="1", **caches)
    for how in ("alone", "levers"):
        (folder / how).mkdir()
    alone = execute(command, folder / "alone", env)
    levers = under_stoker(command, folder / "levers", env, [*ALLOW, *options])
    return Trained(alone, levers, folder)


def numbers(ended: Ended) -> list[float]:
    lines = ended.stdout.decode().splitlines()
    found = [float(line.split()[1]) for line in lines if line.startswith(("loss", "validation"))]
    assert len(found) >= 30
    return found


def words(ended: Ended) -> list[str]:
    return [line.split()[0] for line in ended.stdout.decode().splitlines()]


def warnings(ended: Ended) -> list[str]:
    """Lines of stderr that somebody should read, without stoker's and with no time in them."""
    return [
        line
        for line in ended.stderr.decode().splitlines()
        if "Warning" in line and not line.startswith("stoker") and _OF_THE_COMPILER not in line
    ]


def torch_load(path: Path) -> Any:
    if path.suffix == ".safetensors":
        from safetensors.torch import load_file

        return load_file(path)
    return torch.load(path, weights_only=False, map_location="cpu")


def flat(value: Any, key: str = "") -> dict[str, Any]:
    """Tensors and numbers in there by their way to them, in their order."""
    if isinstance(value, dict):
        parts = list(value.items())
    elif isinstance(value, (list, tuple)):
        parts = list(enumerate(value))
    else:
        plain = isinstance(value, (torch.Tensor, bool, int, float, type(None)))
        return {key: value} if plain else {}
    return {k: v for name, part in parts for k, v in flat(part, f"{key}.{name}").items()}
