# SPDX-License-Identifier: Apache-2.0
"""Runs a command twice, alone and under `stoker run`, to compare what the two did."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import textwrap
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
# Another build than the one that is set up may be tested.
STOKER = os.environ.get("STOKER_EXECUTABLE", str(Path(sys.executable).parent / "stoker"))
PYTHON = sys.executable
PACKAGE = Path(os.environ.get("STOKER_PACKAGE", str(ROOT / "python" / "stoker")))
HOOK = str(PACKAGE / "hook")
SECONDS = 240


@dataclass
class Ended:
    status: int  # negative: the signal that ended it
    stdout: bytes
    stderr: bytes


@dataclass
class Watched(Ended):
    folder: Path

    def run_json(self) -> dict[str, Any]:
        loaded: dict[str, Any] = json.loads((self.folder / "run.json").read_text())
        return loaded

    def errors(self) -> str:
        """The faults of run.json, one a line."""
        return "\n".join(f"{e['where']}: {e['error']}" for e in self.run_json()["errors"])

    def summary(self) -> str:
        """stoker's own lines."""
        lines = self.stderr.decode().splitlines(keepends=True)
        return "".join(line for line in lines if line.startswith("stoker"))


@dataclass
class Pair:
    alone: Ended
    watched: Watched

    def check(self) -> Watched:
        """Same status, same output; stoker's lines come last on stderr."""
        assert self.watched.status == self.alone.status, self.watched.stderr.decode()[-2000:]
        assert self.watched.stdout == self.alone.stdout
        check_stderr(self.watched.stderr, self.alone.stderr)
        return self.watched


def check_stderr(watched: bytes, alone: bytes) -> None:
    """The same text, but for addresses, and then lines of stoker."""
    expected = _without_addresses(alone)
    text = _without_addresses(watched)
    assert text[: len(expected)] == expected
    for line in text[len(expected) :].splitlines():
        assert line.startswith("stoker"), line


def without_frames(text: str) -> str:
    """Text of a traceback without the lines at which an error met the script, for errors that come
    from outside: the line that a signal meets differs from run to run."""
    return re.sub(r"  File [^\n]*\n(    [^\n]*\n)+", "  File ...\n", text)


def _without_addresses(output: bytes) -> str:
    return re.sub(r"0x[0-9a-f]+", "0x", output.decode())


def environment(**more: str) -> dict[str, str]:
    """This process's, without what would change how a Python starts."""
    dropped = ("STOKER_", "PYTHON", "COV_", "PYTEST_")
    kept = {k: v for k, v in os.environ.items() if not k.startswith(dropped)}
    return {**kept, "OMP_NUM_THREADS": "1", "STOKER_PACKAGE": str(PACKAGE), **more}


def execute(
    command: list[str], cwd: Path, env: dict[str, str], stdin: bytes = b"", **options: Any
) -> Ended:
    done = subprocess.run(
        command, cwd=cwd, env=env, input=stdin, capture_output=True, timeout=SECONDS, **options
    )
    return Ended(done.returncode, done.stdout, done.stderr)


def under_stoker(
    command: list[str],
    cwd: Path,
    env: dict[str, str] | None = None,
    options: list[str] | None = None,
    **rest: Any,
) -> Watched:
    folder = cwd.parent / f"{cwd.name}-runs" / str(len(os.listdir(_runs(cwd))))
    line = [STOKER, "run", "--out", str(folder), *(options or []), "--", *command]
    done = execute(line, cwd, environment() if env is None else env, **rest)
    return Watched(done.status, done.stdout, done.stderr, folder)


def _runs(cwd: Path) -> Path:
    runs = cwd.parent / f"{cwd.name}-runs"
    runs.mkdir(exist_ok=True)
    return runs


def both(
    command: list[str], cwd: Path, env: dict[str, str] | None = None, stdin: bytes = b""
) -> Pair:
    env = environment() if env is None else env
    return Pair(execute(command, cwd, env, stdin), under_stoker(command, cwd, env, stdin=stdin))


def write(folder: Path, name: str, source: str) -> str:
    """A script in `folder`. Gives its name."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(textwrap.dedent(source))
    return name
