# SPDX-License-Identifier: Apache-2.0
"""Scripts end with levers where they end alone, on a machine with a GPU.

All processes of a test run start at once, since each spends most of its time importing and
compiling.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from lever_scripts import ACCUMULATION, DDP, DROPOUT, EXACT, GAN, KEEP_ALL, LOOP, REFUSALS

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device")

STOKER = os.environ.get("STOKER_EXECUTABLE", "stoker")
ROUNDING, ALL = "rounding", "rounding,precision"
TOLERANCE = 2e-3  # relative, of a loss after up to 60 steps in float32


class Done(NamedTuple):
    status: int
    stdout: str
    stderr: str
    folder: Path

    @property
    def losses(self) -> list[float]:
        return [float(word) for line in self.stdout.splitlines() for word in line.split()]

    @property
    def levers(self) -> dict[str, dict[str, Any]]:
        report = json.loads((self.folder / "run" / "run.json").read_text())
        assert report["errors"] == [], report["errors"]
        return {lever["id"]: lever for lever in report["levers"]}

    def reason(self, lever: str) -> str:
        assert not self.levers[lever]["applied"], self.levers[lever]
        return str(self.levers[lever]["reason"])


def run(folder: Path, script: str, args: list[str], allow: str, launcher: list[str]) -> Done:
    folder.mkdir()
    (folder / "train.py").write_text(script)
    command = [*(launcher or [sys.executable]), "train.py", *args]
    if allow:
        command = [STOKER, "run", "--allow", allow, "--out", "run", "--", *command]
    env = {**os.environ, "STOKER_CACHE": str(folder / "cache")}
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, timeout=400)
    return Done(done.returncode, done.stdout, done.stderr, folder)


class Runs:
    """Of every script, alone and with levers; `get` waits for one."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._pool = ThreadPoolExecutor(8)
        self._futures: dict[tuple[str, ...], Future[Done]] = {}

    def start(self, name: str, script: str, args: list[str], allow: str, *launcher: str) -> None:
        key = (name, *args, allow)
        folder = self._folder / "-".join(key).replace(",", "-")
        self._futures[key] = self._pool.submit(run, folder, script, args, allow, list(launcher))

    def get(self, *key: str) -> Done:
        done = self._futures[key].result()
        assert done.status == 0, done.stderr
        return done

    def close(self) -> None:
        self._pool.shutdown(cancel_futures=True)


CASES = ["none", "tf32", "autocast", "grad_scaler", "cudnn", "deterministic", "stream", "half"]
TORCHRUN = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Runs]:
    runs = Runs(tmp_path_factory.mktemp("levers"))
    for parts in ("1", "4"):
        runs.start("accumulation", ACCUMULATION, [parts], "")
        runs.start("accumulation", KEEP_ALL + ACCUMULATION, [parts], ROUNDING)
    for name, script in (("loop", LOOP), ("gan", GAN), ("dropout", DROPOUT)):
        runs.start(name, script, [], "")
        runs.start(name, KEEP_ALL + script, [], ROUNDING)
    runs.start("exact", EXACT, [], "")
    runs.start("exact", KEEP_ALL + EXACT, [], "exact")
    for case in CASES:
        runs.start("refusals", REFUSALS, [case], "")
        runs.start("refusals", REFUSALS, [case], ALL)
    if torch.cuda.device_count() > 1:
        runs.start("ddp", DDP, [], "", *TORCHRUN)
        runs.start("ddp", KEEP_ALL + DDP, [], ROUNDING, *TORCHRUN)
        runs.start("ddp", KEEP_ALL + DDP, ["1"], ROUNDING, *TORCHRUN)
    yield runs
    runs.close()


def test_exact_levers_are_exact(runs: Runs) -> None:
    alone, levers = runs.get("exact", ""), runs.get("exact", "exact")
    assert levers.stdout == alone.stdout
    assert levers.stdout.splitlines()[-1] == "pinned False"
    for name in ("non_blocking", "pinned_memory"):
        assert levers.levers[name]["applied"], levers.levers[name]


@pytest.mark.parametrize("name", ["loop", "gan", "dropout"])
def test_ends_as_alone(name: str, runs: Runs) -> None:
    alone, levers = runs.get(name, ""), runs.get(name, ROUNDING)
    assert levers.losses == pytest.approx(alone.losses, rel=TOLERANCE, abs=1e-4)
    assert levers.levers["compile"]["applied"], levers.levers["compile"]
    assert levers.levers["fused_optimizer"]["applied"]


def test_which_models_get_graphs(runs: Runs) -> None:
    assert runs.get("loop", ROUNDING).levers["cuda_graphs"]["applied"]
    assert runs.get("dropout", ROUNDING).levers["cuda_graphs"]["applied"]
    assert runs.get("gan", ROUNDING).reason("cuda_graphs") == "several models train together"
    assert (
        runs.get("accumulation", "4", ROUNDING).reason("cuda_graphs")
        == "the model is called several times a step"
    )
    assert runs.get("accumulation", "1", ROUNDING).levers["cuda_graphs"]["applied"]


@pytest.mark.parametrize("parts", ["1", "4"])
def test_accumulation(parts: str, runs: Runs) -> None:
    whole = runs.get("accumulation", "1", "")
    assert runs.get("accumulation", "4", "").losses == pytest.approx(whole.losses, rel=TOLERANCE)
    levers = runs.get("accumulation", parts, ROUNDING)
    assert levers.losses == pytest.approx(whole.losses, rel=TOLERANCE)
    assert levers.levers["compile"]["applied"], levers.levers["compile"]


def test_a_checkpoint_goes_on_without_stoker(runs: Runs) -> None:
    alone, levers = (
        torch.load(runs.get("loop", *allow).folder / "saved.pt") for allow in ([""], [ROUNDING])
    )
    assert list(levers["model"]) == list(alone["model"])
    for name, value in alone["model"].items():
        assert torch.allclose(levers["model"][name].float(), value.float(), rtol=0.02, atol=2e-3)
    assert levers["optimizer"]["state"].keys() == alone["optimizer"]["state"].keys()


@pytest.mark.parametrize(
    ("case", "lever", "reason"),
    [
        ("tf32", "tf32", "the script set 'high' itself"),
        ("autocast", "bf16", "the script uses autocast itself"),
        ("grad_scaler", "bf16", "the script uses a GradScaler"),
        ("grad_scaler", "fused_optimizer", "the script uses a GradScaler"),
        ("cudnn", "cudnn_search", "the script turned it on itself"),
        ("deterministic", "cudnn_search", "the script asks for deterministic algorithms"),
        ("half", "bf16", "parameters are not all float32: torch.float16"),
        (
            "stream",
            "non_blocking",
            "the script uses streams of its own, which may rely on the wait",
        ),
        ("none", "sdpa", "no part of the model is called attention"),
        ("none", "pinned_memory", "no DataLoader with workers was read from"),
        ("none", "bf16", "the script ended before it was tried"),
        (
            "none",
            "expandable_segments",
            "no allocation had to be tried again, and memory is not fragmented",
        ),
    ],
)
def test_left_alone(case: str, lever: str, reason: str, runs: Runs) -> None:
    alone, levers = runs.get("refusals", case, ""), runs.get("refusals", case, ALL)
    assert levers.reason(lever) == reason
    assert levers.losses == pytest.approx(alone.losses, rel=1e-5)


@pytest.mark.skipif(torch.cuda.device_count() < 2, reason="needs two GPUs")
def test_one_decision_for_all_ranks(runs: Runs) -> None:
    alone = runs.get("ddp", "")
    same, hooked = runs.get("ddp", ROUNDING), runs.get("ddp", "1", ROUNDING)
    for done in (same, hooked):
        assert done.losses == pytest.approx(alone.losses, rel=TOLERANCE, abs=1e-5)
    assert same.levers["compile"]["applied"], same.levers["compile"]
    assert same.reason("cuda_graphs") == "several ranks train together"
    assert "hooks of the script's own" in hooked.reason("compile")
