# SPDX-License-Identifier: Apache-2.0
"""Runs a script with and without the import hook in front, as `stoker run` does."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import textwrap
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import stoker
from stoker import _core

HOOK = Path(stoker.__file__).parent / "hook"


@dataclass
class Outcome:
    status: int
    stdout: str
    stderr: str
    run_dir: Path
    processes: list[dict[str, Any]] = field(default_factory=list)

    @property
    def main(self) -> dict[str, Any]:
        (main,) = [process for process in self.processes if not process["worker"]]
        return main

    @property
    def workers(self) -> list[dict[str, Any]]:
        return [process for process in self.processes if process["worker"]]

    def lines(self, name: str) -> list[dict[str, Any]]:
        path = self.run_dir / name
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []

    @property
    def faults(self) -> list[dict[str, Any]]:
        return self.lines("faults.jsonl")


def plain_environment(**more: str) -> dict[str, str]:
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("STOKER_", "PYTHON"))}
    return {**kept, "OMP_NUM_THREADS": "1", **more}


def hooked_environment(run_dir: Path, path: str = "", **more: str) -> dict[str, str]:
    run_dir.mkdir(parents=True, exist_ok=True)
    front = f"{HOOK}{os.pathsep}{path}" if path else str(HOOK)
    chosen = {
        "STOKER_RUN_DIR": str(run_dir),
        "STOKER_ALLOW": "none",
        "STOKER_CACHE": str(run_dir / "cache"),  # what one test found is nothing to the next
        "TORCHINDUCTOR_CACHE_DIR": str(Path(tempfile.gettempdir(), "stoker-tests-inductor")),
        "PYTHONPATH": front,
        **more,
    }
    return plain_environment(**chosen)


def run(command: list[str], env: dict[str, str], cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, env=env, cwd=cwd, capture_output=True, text=True, timeout=240)


def write_script(folder: Path, source: str) -> Path:
    script = folder / "script.py"
    script.write_text(textwrap.dedent(source))
    return script


def alone(folder: Path, source: str, *args: str) -> Outcome:
    script = write_script(folder, source)
    done = run([sys.executable, str(script), *args], plain_environment(), folder)
    return Outcome(done.returncode, done.stdout, done.stderr, folder)


def watched(folder: Path, source: str, *args: str, **env: str) -> Outcome:
    script = write_script(folder, source)
    run_dir = folder / "run"
    done = run([sys.executable, str(script), *args], hooked_environment(run_dir, **env), folder)
    files = sorted((run_dir / "processes").glob("*.stk"))
    processes = [_core.read_process(str(path)) for path in files]
    return Outcome(done.returncode, done.stdout, done.stderr, run_dir, processes)
