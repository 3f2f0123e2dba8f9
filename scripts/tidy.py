#!/usr/bin/env python3
"""clang-tidy over our .cpp files, in parallel; a file that was clean is not looked at again.

A file counts as unchanged when its preprocessed text, its flags, .clang-tidy and the tool's version
are those of a clean run (kept in build/tidy). Usage: tidy.py [FILE ...]
"""

from __future__ import annotations

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
CLEAN = ROOT / "build/tidy"
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
    # -C keeps the comments, for NOLINT.
    return ["clang++-19", *keep, "-E", "-C", "-w", "-o", "-", entry["file"]]


def fingerprint(entry: dict[str, str], common: bytes) -> str | None:
    """None: the file does not even preprocess."""
    command = preprocess_command(entry)
    run = subprocess.run(command, cwd=entry["directory"], capture_output=True)
    if run.returncode:
        return None
    return hashlib.sha256(common + " ".join(command).encode() + run.stdout).hexdigest()


def tidy(entry: dict[str, str], common: bytes) -> tuple[str, bool]:
    """(what to print, was it clean)."""
    key = fingerprint(entry, common)
    if key and (CLEAN / key).exists():
        return "", True
    command = [TIDY, "-p", str(BUILD), "--quiet", entry["file"]]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if run.returncode == 0 and key:
        (CLEAN / key).touch()
    return run.stdout + (run.stderr if run.returncode else ""), run.returncode == 0


def main(names: list[str]) -> int:
    began = time.monotonic()
    CLEAN.mkdir(parents=True, exist_ok=True)
    wanted = {str(Path(name).resolve()) for name in names}
    entries = [
        entry
        for entry in json.loads((BUILD / "compile_commands.json").read_text())
        if Path(entry["file"]).is_relative_to(ROOT)
        and not Path(entry["file"]).is_relative_to(ROOT / ".venv")
        and (not wanted or entry["file"] in wanted)
    ]
    version = subprocess.run([TIDY, "--version"], check=True, capture_output=True).stdout
    common = version + (ROOT / ".clang-tidy").read_bytes()
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(lambda entry: tidy(entry, common), entries))
    for text, clean in results:
        if not clean:
            print(text)
    faulty = sum(not clean for _, clean in results)
    print(f"tidy: {len(entries)} files, {faulty} with faults, {time.monotonic() - began:.0f} s")
    return 1 if faulty else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
