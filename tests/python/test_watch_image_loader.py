# SPDX-License-Identifier: Apache-2.0
"""`stoker run` sees a script that takes its batches from stoker.ImageLoader."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

STOKER = os.environ.get("STOKER_EXECUTABLE", str(Path(sys.executable).parent / "stoker"))
SCRIPT = """
import sys, time, torch
import stoker, stoker.transforms as T
loader = stoker.ImageLoader(sys.argv[1], 4, [T.RandomResizedCrop(16), T.ToTensor()], threads=1)
model = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(768, 2))
optimizer = torch.optim.SGD(model.parameters(), 0.1)
for epoch in range(4):
    for images, labels in loader:
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model(images), labels).backward()
        time.sleep(0.02)
        optimizer.step()
"""


def run(tmp_path: Path, code: str, *args: str) -> dict[str, object]:
    script = tmp_path / "script.py"
    script.write_text(code)
    out = tmp_path / "run"
    command = [STOKER, "run", "--out", str(out), sys.executable, str(script), *args]
    subprocess.run(command, check=True, capture_output=True, timeout=240)
    loaded: dict[str, object] = json.loads((out / "run.json").read_text())
    return loaded


def test_its_steps_and_waits_are_seen(tmp_path: Path) -> None:
    photos = tmp_path / "photos"
    subprocess.run(
        [STOKER, "data", "synth", photos, "--images", "40", "--classes", "2", "--size", "64x48"],
        check=True,
        capture_output=True,
    )
    report = run(tmp_path, SCRIPT, str(photos))
    assert report["errors"] == []
    steps = report["steps"]
    assert isinstance(steps, dict) and steps["count"] == 40
    assert steps["step_ms"]["median"] > 20
    phases = {phase["name"]: phase for phase in report["phases"]}  # type: ignore[attr-defined]
    assert 0 < phases["data_wait"]["share"] < 0.5


def test_a_script_that_imports_pillow_by_way_of_stoker_pil(tmp_path: Path) -> None:
    code = "import torch, sys, stoker.pil; assert stoker.pil.stats()['installed']"
    assert run(tmp_path, code)["errors"] == []
