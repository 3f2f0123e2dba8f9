# SPDX-License-Identifier: Apache-2.0
"""One version, stated where each tool looks for it."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import stoker

ROOT = Path(__file__).resolve().parents[2]


def stated(file: str, pattern: str) -> str:
    found = re.search(pattern, (ROOT / file).read_text())
    assert found, f"{file} states no version"
    return found[1]


def test_all_places_agree() -> None:
    from stoker import _core

    assert {
        stated("CMakeLists.txt", r"project\(stoker VERSION ([\d.]+)"),
        stated("pyproject.toml", r'\nversion = "([\d.]+)"'),
        stated("src/stoker/core/version.h", r'kVersion = "([\d.]+)"'),
        _core.__version__,
    } == {stoker.__version__}


def test_command_says_version_and_libraries() -> None:
    command = [Path(sys.executable).with_name("stoker"), "--version"]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    libraries = r"\(libjpeg-turbo \d[\d.]+, highway \d[\d.]+, SIMD target \w+\)"
    assert re.fullmatch(rf"stoker {stoker.__version__} {libraries}\n", text)


def test_importing_is_light() -> None:
    code = "import sys, stoker; print(*sorted({'torch', 'PIL', 'numpy'} & set(sys.modules)))"
    run = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert run.stdout == "\n"
