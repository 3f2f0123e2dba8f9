# SPDX-License-Identifier: Apache-2.0
"""The examples train, give the same result for the same seed, and are judged rightly."""

from __future__ import annotations

import ast
import functools
import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

pytestmark = pytest.mark.alone

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
STOKER = ROOT / ".venv/bin/stoker"
# Without it two threads spin for each other where the tests have less than two cores.
ENV = {**os.environ, "OMP_NUM_THREADS": "1"}


@dataclass
class Run:
    losses: list[str]
    final_loss: str
    stdout: str
    stderr: str
    report: dict[str, Any]


@pytest.fixture(scope="module")
def photos(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """64 JPEGs of 500 x 375 in two classes: blurred noise, about as heavy as photographs."""
    root = tmp_path_factory.mktemp("photos")
    rng = np.random.default_rng(0)
    for i in range(64):
        tint = [90, 40, 40] if i % 2 else [40, 40, 90]
        coarse = rng.integers(0, 120, (94, 125, 3), np.uint8) + np.array(tint, np.uint8)
        folder = root / f"class{i % 2}"
        folder.mkdir(exist_ok=True)
        photo = Image.fromarray(coarse).resize((500, 375), Image.Resampling.BICUBIC)
        photo.save(folder / f"{i:03d}.jpg", quality=96, subsampling="4:2:0")
    return root


def run(command: list[str], out: Path | None = None, env: dict[str, str] | None = None) -> Run:
    """Run a command that trains; with `out`, under `stoker run`."""
    if out is not None:
        command = [str(STOKER), "run", "--out", str(out), "--", *command]
    done = subprocess.run(command, capture_output=True, text=True, env={**ENV, **(env or {})})
    assert done.returncode == 0, done.stdout + done.stderr
    final = re.findall(r"^final loss (\S+)$", done.stdout, re.MULTILINE)
    assert len(final) == 1, done.stdout
    assert re.search(r"^trained \d+ steps in [\d.]+ s, \d+ images/s$", done.stdout, re.MULTILINE)
    return Run(
        losses=re.findall(r"step \d+ loss (\S+)", done.stdout),
        final_loss=final[0],
        stdout=done.stdout,
        stderr=done.stderr,
        report=json.loads((out / "run.json").read_text()) if out is not None else {},
    )


def example(name: str, photos: Path, *arguments: str) -> list[str]:
    return [sys.executable, str(EXAMPLES / name), "--data", str(photos), *arguments]


FEW_STEPS = ["--steps", "3", "--batch-size", "8", "--print-every", "1"]


@pytest.mark.parametrize("name", ["small_cnn.py", "resnet18.py", "own_dataset.py"])
def test_the_seed_decides_the_loss(name: str, photos: Path) -> None:
    first, same, other = (run(example(name, photos, *FEW_STEPS, "--seed", s)) for s in "778")
    assert len(first.losses) == 3
    assert np.isfinite(float(first.final_loss))
    assert (first.losses, first.final_loss) == (same.losses, same.final_loss)
    assert first.final_loss != other.final_loss


def test_ddp_on_two_processes(photos: Path) -> None:
    torchrun = [sys.executable, "-m", "torch.distributed.run", "--standalone"]
    command = [*torchrun, "--nproc-per-node", "2", *example("ddp.py", photos, *FEW_STEPS)[1:]]
    first, second = run(command), run(command)
    assert len(first.losses) == 3  # of rank 0 alone
    assert first.final_loss == second.final_loss


def test_nothing_of_stoker_in_the_examples() -> None:
    # But for the one that shows how a script is ported to ImageLoader.
    scripts = sorted(set(EXAMPLES.glob("*.py")) - {EXAMPLES / "small_cnn_image_loader.py"})
    assert len(scripts) >= 4
    for script in scripts:
        text = script.read_text()
        assert "stoker" not in text.lower(), script.name
        for node in ast.walk(ast.parse(text)):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom):
                names.append(node.module or "")
            assert all(name.split(".")[0] in ALLOWED_IMPORTS for name in names), (script, names)


ALLOWED_IMPORTS = {"argparse", "pathlib", "PIL", "random", "time", "torch", "torchvision"}


def enough_steps(photos: Path, workers: int = 0) -> list[str]:
    """The small CNN with enough steps for a verdict."""
    steps = ["--batch-size", "8", "--epochs", "3", "--workers", str(workers)]
    return example("small_cnn.py", photos, *steps)


@functools.cache
def enough_steps_alone(photos: Path, workers: int = 0) -> Run:
    return run(enough_steps(photos, workers))


@pytest.mark.parametrize("workers", [0, 2])
def test_small_cnn_waits_for_its_data(photos: Path, tmp_path: Path, workers: int) -> None:
    alone = enough_steps_alone(photos, workers)
    watched = run(enough_steps(photos, workers), tmp_path / "run")
    assert watched.report["steps"]["count"] == 24
    assert watched.report["verdict"]["kind"] == "input"
    assert watched.report["verdict"]["sentence"] in watched.stderr
    assert watched.report["errors"] == []
    images = watched.report["loader"]["images"]
    assert images["native"] == 3 * 64
    assert images["compared"] > 0
    assert (images["differ"], images["bytes_differ"], images["pillow"]) == (0, 0, 0)
    assert (watched.losses, watched.final_loss) == (alone.losses, alone.final_loss)
    assert without_timing(watched.stdout) == without_timing(alone.stdout)


def without_timing(stdout: str) -> str:
    return re.sub(r"^trained .*$", "", stdout, flags=re.MULTILINE)


def test_resnet18_is_bound_by_its_compute(photos: Path, tmp_path: Path) -> None:
    steps = ["--batch-size", "4", "--steps", "20", "--epochs", "2"]
    watched = run(example("resnet18.py", photos, *steps), tmp_path / "run")
    verdict = watched.report["verdict"]
    assert verdict["kind"] == "compute"
    assert verdict["fixes"] == []


# Put in front of PYTHONPATH: breaks one function of the watching code as soon as its module runs.
SABOTAGE = """
import importlib.util, operator, sys

class Saboteur:
    def find_spec(self, name, path=None, target=None):
        if name != "stoker.watch.{module}":
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        run = spec.loader.exec_module

        def exec_module(module):
            run(module)
            owner, _, function = "{function}".rpartition(".")
            setattr(operator.attrgetter(owner)(module) if owner else module, function, broken)

        spec.loader.exec_module = exec_module
        return spec

def broken(*args, **kwargs):
    raise RuntimeError("broken on purpose")

sys.meta_path.insert(0, Saboteur())
"""


@pytest.mark.parametrize(
    ("module", "function"),
    [
        ("loaders", "watch_loaders"),
        ("forward", "finder.watch"),
        ("training", "watch_backward"),
        ("training", "watch_optimizers"),
    ],
)
def test_a_broken_hook_makes_the_verdict_unclear(
    photos: Path, tmp_path: Path, module: str, function: str
) -> None:
    sabotage = tmp_path / "sabotage"
    sabotage.mkdir()
    (sabotage / "sitecustomize.py").write_text(SABOTAGE.format(module=module, function=function))
    watched = run(enough_steps(photos), tmp_path / "run", {"PYTHONPATH": str(sabotage)})
    assert watched.report["verdict"]["kind"] == "unclear"
    assert watched.report["verdict"]["sentence"].startswith("UNCLEAR: ")
    assert watched.report["verdict"]["fixes"] == []
    assert [e["error"] for e in watched.report["errors"]] == ["RuntimeError: broken on purpose"]
    assert watched.stderr.count("broken on purpose") == 1
    assert watched.final_loss == enough_steps_alone(photos).final_loss


@pytest.mark.parametrize("how", ["python -E", "PYTHONPATH unset"])
def test_without_the_hook_the_verdict_is_unclear(photos: Path, tmp_path: Path, how: str) -> None:
    command = enough_steps(photos)
    if how == "python -E":
        command.insert(1, "-E")
    else:
        command = ["env", "-u", "PYTHONPATH", *command]
    watched = run(command, tmp_path / "run")
    assert watched.report["attached"] is False
    assert watched.report["verdict"]["kind"] == "unclear"
    assert "not attached" in watched.report["verdict"]["sentence"]
    assert watched.final_loss == enough_steps_alone(photos).final_loss
