#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""clang-tidy over our .cpp files, in parallel; a file that was clean is not looked at again.

A file counts as unchanged when its preprocessed text, its flags, .clang-tidy and the tool's version
are those of a clean run (remembered in the user's cache folder). With --budget, files are looked at
in the order of their last change, newest first, until the time is up; how many were left is said.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shlex
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build/dev"
CACHE = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"))
CLEAN = CACHE / "stoker/tidy"
TIDY = "clang-tidy-19"


def preprocess_command(entry: dict[str, str]) -> list[str]:
    """The flags of a compile command that decide what the preprocessor sees."""
    words = shlex.split(entry["command"])
    keep = []
    for at, word in enumerate(words):
        if word.startswith(("-D", "-I", "-std", "-f", "-W")):
            keep.append(word)
        elif word in ("-isystem", "-include"):
            keep += words[at : at + 2]
    # -C keeps the comments, for NOLINT; -P leaves out names of files.
    return ["clang++-19", *keep, "-E", "-C", "-P", "-w", "-o", "-", entry["file"]]


def fingerprint(entry: dict[str, str], common: bytes) -> str | None:
    """None: the file does not even preprocess."""
    command = preprocess_command(entry)
    run = subprocess.run(command, cwd=entry["directory"], capture_output=True)
    if run.returncode:
        return None
    text = " ".join(command).encode() + run.stdout
    return hashlib.sha256(common + text.replace(str(ROOT).encode(), b"")).hexdigest()


def tidy(entry: dict[str, str], common: bytes, until: float) -> str | None:
    """What clang-tidy says, "" when the file is clean; None: no time was left to look."""
    if time.monotonic() > until:
        return None
    key = fingerprint(entry, common)
    if key and (CLEAN / key).exists():
        return ""
    command = [TIDY, "-p", str(BUILD), "--quiet", entry["file"]]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if run.returncode == 0:
        if key:
            (CLEAN / key).touch()
        return ""
    return run.stdout + run.stderr


def newest_first(files: list[str]) -> dict[str, int]:
    """File -> its place in the order of last changes; what is not committed comes first."""
    command = ["git", "log", "--format=", "--name-only", "--", "*.cpp"]
    log = subprocess.run(command, cwd=ROOT, capture_output=True, text=True).stdout.split()
    places = {str(ROOT / name): place for place, name in reversed(list(enumerate(log, 1)))}
    return {file: places.get(file, 0) for file in files}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", help="default: all of ours")
    parser.add_argument("--budget", type=float, default=float("inf"), metavar="SECONDS")
    args = parser.parse_args()
    began = time.monotonic()
    CLEAN.mkdir(parents=True, exist_ok=True)
    wanted = {str(Path(name).resolve()) for name in args.files}
    entries = [
        entry
        for entry in json.loads((BUILD / "compile_commands.json").read_text())
        if Path(entry["file"]).is_relative_to(ROOT)
        and ".venv" not in Path(entry["file"]).parts
        and (not wanted or entry["file"] in wanted)
    ]
    places = newest_first([entry["file"] for entry in entries])
    entries.sort(key=lambda entry: places[entry["file"]])
    version = subprocess.run([TIDY, "--version"], check=True, capture_output=True).stdout
    common = version + (ROOT / ".clang-tidy").read_bytes()
    until = began + args.budget
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(lambda entry: tidy(entry, common, until), entries))
    for text in results:
        if text:
            print(text)
    faulty = sum(bool(text) for text in results)
    left = sum(text is None for text in results)
    print(
        f"tidy: {len(entries)} files, {faulty} with faults, {left} not looked at for lack of time, "
        f"{time.monotonic() - began:.0f} s"
    )
    return 1 if faulty else 0


if __name__ == "__main__":
    sys.exit(main())
