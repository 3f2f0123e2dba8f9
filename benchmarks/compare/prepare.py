# SPDX-License-Identifier: Apache-2.0
"""Asks one contender about a set, and lets it make what it needs of the photos.

usage: prepare.py CONTENDER.py FOLDER MADE SET

Answers in one line of JSON on stdout: {"name", "packages"}, {"missing": why}, or {} for a set that
the contender does not take part in.
"""

from __future__ import annotations

import importlib.metadata
import json
import os
import sys
from pathlib import Path
from typing import Any

from serve import load
from workloads import Photos, Unavailable


def answer(file: Path, photos: Photos, set_name: str) -> dict[str, Any]:
    try:
        module = load(file)
        if set_name not in module.SETS:
            return {}
        if hasattr(module, "prepare"):
            module.prepare(photos)
    except (ImportError, Unavailable) as error:
        return {"missing": str(error)}
    packages = {name: importlib.metadata.version(name) for name in module.PACKAGES}
    return {"name": module.NAME, "packages": packages}


def main() -> None:
    file, folder, made, set_name = sys.argv[1:]
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what libraries print is no answer
    found = answer(Path(file), Photos(Path(folder), Path(made)), set_name)
    print(json.dumps(found), file=answers, flush=True)


if __name__ == "__main__":
    main()
