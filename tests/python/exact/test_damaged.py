# SPDX-License-Identifier: Apache-2.0
"""Damaged files end as they end in Pillow, and never in a crash."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parent / "damaged_script.py"


@pytest.mark.timeout(1800)
def test_random_damage(seed: int, full: bool) -> None:
    count = 5000 if full else 300
    command = [sys.executable, "-X", "faulthandler", str(SCRIPT), str(count), str(seed)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    summary = json.loads(done.stdout.splitlines()[-1])
    assert (summary["cases"], summary["differ"]) == (count, 0)
    # The corpus reaches both ends, and the native decoder.
    assert min(summary["pixels"], summary["exception"], summary["images_native"]) > count / 20
