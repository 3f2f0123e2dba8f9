# SPDX-License-Identifier: Apache-2.0
"""Runs cases alone, all by one process, and each by itself under `stoker run` with levers."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from side_by_side import PYTHON, Watched, environment, execute, under_stoker

HERE = Path(__file__).parent
COMPILED = str(Path(tempfile.gettempdir()) / "stoker-tests-inductor")
ALLOW = ["--allow", "rounding,precision"]


def alone(module: str, folder: Path) -> dict[str, list[str]]:
    """The lines that each case of `module` prints."""
    done = execute([PYTHON, str(HERE / f"{module}.py")], folder, environment())
    assert done.status == 0, done.stderr.decode()
    printed: dict[str, list[str]] = {}
    for line in done.stdout.decode().splitlines():
        if line.startswith("== "):
            lines = printed.setdefault(line[3:], [])
        else:
            lines.append(line)
    return printed


def with_levers(module: str, case: str, folder: Path, **env: str) -> Watched:
    command = [PYTHON, str(HERE / f"{module}.py"), case]
    # Nothing is remembered of another run, but for compiled code, which takes long.
    more = {"STOKER_CACHE": str(folder / "cache"), "TORCHINDUCTOR_CACHE_DIR": COMPILED, **env}
    watched = under_stoker(command, folder, environment(**more), ALLOW)
    assert watched.status == 0, watched.stderr.decode()
    assert watched.errors() == ""
    return watched


def levers(watched: Watched) -> dict[str, dict[str, Any]]:
    return {lever["id"]: lever for lever in watched.run_json()["levers"]}


def reasons(watched: Watched) -> dict[str, str]:
    """Of the levers that are not on at the end."""
    return {
        name: lever["reason"] for name, lever in levers(watched).items() if not lever["applied"]
    }


def applied(watched: Watched) -> set[str]:
    return {name for name, lever in levers(watched).items() if lever["applied"]}


def lines(watched: Watched) -> list[str]:
    return watched.stdout.decode().splitlines()
