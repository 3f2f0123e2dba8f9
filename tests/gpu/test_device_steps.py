"""Device times under `stoker run`, on a machine with a GPU."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device")

STOKER = os.environ.get("STOKER_EXECUTABLE", "stoker")

# 61 short steps; the argument adds 6 ms of device work (spun cycles) or a host sleep in one place.
SCRIPT = """
    import sys, time
    import torch
    from torch import nn

    where = sys.argv[1]
    cycles_per_ms = 0

    def spin(ms):
        torch.cuda._sleep(int(ms * cycles_per_ms))

    def calibrate():
        global cycles_per_ms
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        torch.cuda._sleep(10_000_000)
        begin.record(); torch.cuda._sleep(100_000_000); end.record(); end.synchronize()
        cycles_per_ms = 100_000_000 / begin.elapsed_time(end)

    class Slow(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            if where == "forward":
                spin(6)
            return x.clone()

        @staticmethod
        def backward(ctx, grad):
            if where == "backward":
                spin(6)
            return grad.clone()

    class Data(torch.utils.data.Dataset):
        def __len__(self):
            return 64 * 61

        def __getitem__(self, i):
            if where == "data" and i % 64 == 0:
                time.sleep(0.03)
            return torch.ones(1024), 0

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            layers = [nn.Linear(1024, 1024) for _ in range(8)]
            self.layers = nn.Sequential(*layers, nn.Linear(1024, 10))

        def forward(self, x):
            return Slow.apply(self.layers(x))

    calibrate()
    torch.manual_seed(0)
    model = Model().cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    if where == "optimizer":
        optimizer.register_step_pre_hook(lambda *_: spin(6))
    marks = []
    for x, y in torch.utils.data.DataLoader(Data(), batch_size=64):
        x, y = x.cuda(), y.cuda()
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        mark = torch.cuda.Event(enable_timing=True)
        mark.record()
        marks.append(mark)
    torch.cuda.synchronize()
    times = sorted(a.elapsed_time(b) for a, b in zip(marks[5:], marks[6:]))
    print("median", times[len(times) // 2])
"""


def run(tmp_path: Path, where: str) -> tuple[dict[str, Any], float]:
    script = tmp_path / "script.py"
    script.write_text(textwrap.dedent(SCRIPT))
    out = tmp_path / f"run-{where}"
    command = [STOKER, "run", "--out", str(out), "--", sys.executable, str(script), where]
    done = subprocess.run(command, capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stderr
    report = json.loads((out / "run.json").read_text())
    assert report["errors"] == []
    return report, float(done.stdout.split()[1])


def device_ms(report: dict[str, Any]) -> dict[str, float]:
    return {
        phase["name"]: phase["median_ms"]
        for phase in report["phases"]
        if phase["clock"] == "device" and phase["median_ms"] is not None
    }


@pytest.mark.parametrize("where", ["forward", "backward", "optimizer"])
def test_device_work_is_found_in_its_phase(tmp_path: Path, where: str) -> None:
    plain = device_ms(run(tmp_path, "nowhere")[0])
    report, median_ms = run(tmp_path, where)
    slow = device_ms(report)
    assert slow[where] - plain[where] == pytest.approx(6.0, rel=0.05)
    others = {"forward", "backward", "optimizer"} - {where}
    for other in others:
        assert slow[other] - plain[other] == pytest.approx(0.0, abs=0.5)
    assert report["steps"]["step_ms"]["median"] == pytest.approx(median_ms, rel=0.1)


def test_exposed_stall_is_the_gap_on_the_device(tmp_path: Path) -> None:
    report, median_ms = run(tmp_path, "data")
    assert report["verdict"]["kind"] == "input"
    stall_ms = report["exposed_stall_share"] * median_ms
    assert 25.0 < stall_ms <= median_ms
    assert "GPU waits" in report["verdict"]["sentence"]


def test_watching_is_cheap(tmp_path: Path) -> None:
    report, _ = run(tmp_path, "forward")
    assert report["overhead_us_per_step"] <= 30.0
