# SPDX-License-Identifier: Apache-2.0
"""Resident memory stays where it is, epoch after epoch."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parent / "memory_script.py"
FLOOR = 2 << 20  # of what allocators move about by themselves


def test_ten_epochs_over_600_images() -> None:
    pytest.importorskip("torchvision")
    done = subprocess.run([sys.executable, str(SCRIPT)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    summary = json.loads(done.stdout)
    assert (summary["images_native"], summary["images_differ"]) == (6000, 0)
    second, last = summary["resident"][1], summary["resident"][-1]
    assert last - second <= max(0.02 * second, FLOOR), summary["resident"]
