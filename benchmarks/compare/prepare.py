# SPDX-License-Identifier: Apache-2.0
"""Asks one contender about sets of photos, and lets it make what it needs of them.

usage: prepare.py CONTENDER.py SET:FOLDER:MADE...

Answers in one line of JSON on stdout: {"missing": why}, or {"name", "packages", "sets": {SET: why
not, or ""}} with those of the sets that the contender reads.
"""

from __future__ import annotations

import importlib.metadata
import json
import os
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from serve import load
from workloads import Photos, Unavailable


def prepared(module: ModuleType, photos: Photos) -> str:
    """Why the contender cannot read these photos, or ""."""
    try:
        if hasattr(module, "prepare"):
            module.prepare(photos)
    except Unavailable as error:
        return str(error)
    return ""


def answer(file: Path, words: list[str]) -> dict[str, Any]:
    try:
        module = load(file)
    except ImportError as error:
        return {"missing": str(error)}
    sets: dict[str, str] = {}
    for word in words:
        name, folder, made = word.split(":")
        if name in module.SETS and not sets.get(name):
            sets[name] = prepared(module, Photos(Path(folder), Path(made)))
    packages = {name: importlib.metadata.version(name) for name in module.PACKAGES}
    return {"name": module.NAME, "packages": packages, "sets": sets}


def main() -> None:
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what libraries print is no answer
    found = answer(Path(sys.argv[1]), sys.argv[2:])
    print(json.dumps(found), file=answers, flush=True)


if __name__ == "__main__":
    main()
