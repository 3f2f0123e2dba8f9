#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fail on source files over 500 lines, and warn over 300: long files hide what they are about."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

SOFT = 300
HARD = 500
SUFFIXES = {".h", ".cpp", ".cc", ".py", ".cmake", ".txt", ""}
TOPS = ("src/", "python/", "tests/", "fuzz/", "scripts/", "examples/", "benchmarks/", "cmake/")

# Path -> (lines allowed, why it may be longer).
EXCEPTIONS: dict[str, tuple[int, str]] = {}


def tracked(root: Path) -> list[str]:
    """Files that git tracks or would track."""
    command = ["git", "-C", str(root), "ls-files", "-z", "-co", "--exclude-standard"]
    listed = subprocess.run(command, check=True, capture_output=True, text=True)
    return sorted(listed.stdout.split("\0"))


def check(root: Path, files: list[str]) -> tuple[list[str], list[str]]:
    """(faults, warnings) for `files`, paths from `root`."""
    faults, warnings = [], []
    for name in files:
        path = root / name
        if not name.startswith(TOPS) or path.suffix not in SUFFIXES or not path.is_file():
            continue
        if "/results/" in name:
            continue
        lines = path.read_bytes().count(b"\n")
        hard, reason = EXCEPTIONS.get(name, (HARD, ""))
        if lines > hard:
            faults.append(f"{name}: {lines} lines; at most {hard}")
        elif lines > SOFT and not reason:
            warnings.append(f"{name}: {lines} lines; aim for {SOFT} or fewer")
    return faults, warnings


def main() -> int:
    root = Path(__file__).resolve().parent.parent
    faults, warnings = check(root, tracked(root))
    for line in warnings:
        print(f"warning: {line}")
    for line in faults:
        print(line)
    print(f"check_sizes: {len(faults)} faults, {len(warnings)} warnings")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
