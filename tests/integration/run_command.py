# SPDX-License-Identifier: Apache-2.0
"""Runs commands below `stoker run` and reads what it left."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

ROOT = Path(__file__).resolve().parents[2]
SCHEMA = json.loads((ROOT / "docs/schemas/run.schema.json").read_text())


def _executable() -> str:
    named = os.environ.get("STOKER_EXECUTABLE")
    candidates = [named, str(ROOT / "build/dev/stoker"), shutil.which("stoker")]
    for candidate in candidates:
        if candidate and Path(candidate).is_file():
            return str(Path(candidate).resolve())
    pytest.fail("no stoker executable; build it or set STOKER_EXECUTABLE")


STOKER = _executable()
ENVIRONMENT = {
    name: value for name, value in os.environ.items() if not name.startswith("STOKER_")
} | {
    "STOKER_PACKAGE": str(ROOT / "python/stoker"),
    "STOKER_PYTHON": sys.executable,
}
Completed = subprocess.CompletedProcess[bytes]


def run(cwd: Path, *args: str, env: dict[str, str] | None = None, **more: Any) -> Completed:
    return subprocess.run(
        [STOKER, "run", *args],
        cwd=cwd,
        env=ENVIRONMENT | (env or {}),
        capture_output=True,
        timeout=60,
        **more,
    )


def start(cwd: Path, *args: str, **more: Any) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [STOKER, "run", *args],
        cwd=cwd,
        env=ENVIRONMENT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        **more,
    )


def folders(cwd: Path) -> list[Path]:
    return sorted(path for path in (cwd / "stoker-runs").iterdir() if path.is_dir())


def run_json(cwd: Path) -> dict[str, Any]:
    (folder,) = folders(cwd)
    document: dict[str, Any] = json.loads((folder / "run.json").read_text())
    jsonschema.validate(document, SCHEMA)
    return document


def wait_for(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < end, "nothing happened for 30 s"
        time.sleep(0.01)
