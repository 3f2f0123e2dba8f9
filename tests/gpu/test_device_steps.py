# SPDX-License-Identifier: Apache-2.0
"""Device times under `stoker run`, on a machine with a GPU."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any, NamedTuple

import pytest

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device")

STOKER = os.environ.get("STOKER_EXECUTABLE", "stoker")

# 61 short steps that begin with 8 ms of spinning, so that the host has launched the rest before it
# runs: what a phase takes is then the device's work alone, without gaps. The argument adds 6 ms of
# device work or a host sleep in one place. Printed are medians: of the steps, and of the two spins.
SCRIPT = """
    import sys, time
    import torch
    from torch import nn

    where = sys.argv[1]
    cycles_per_ms = 0

    spins = {"base": [], "added": []}

    def event():
        made = torch.cuda.Event(enable_timing=True)
        made.record()
        return made

    def spin(name, ms):
        begin = event()
        torch.cuda._sleep(int(ms * cycles_per_ms))
        spins[name].append((begin, event()))

    def calibrate():
        global cycles_per_ms
        for _ in range(2):  # the first raises the clocks
            begin = event()
            torch.cuda._sleep(1_000_000_000)
            end = event()
            end.synchronize()
        cycles_per_ms = 1_000_000_000 / begin.elapsed_time(end)

    def median_ms(pairs):
        times = sorted(begin.elapsed_time(end) for begin, end in pairs[5:])
        return times[len(times) // 2] if times else 0.0

    class Slow(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            if where == "forward":
                spin("added", 6)
            return x.clone()

        @staticmethod
        def backward(ctx, grad):
            if where == "backward":
                spin("added", 6)
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
            spin("base", 8)
            return Slow.apply(self.layers(x))

    calibrate()
    torch.manual_seed(0)
    model = Model().cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    if where == "optimizer":
        optimizer.register_step_pre_hook(lambda *_: spin("added", 6))
    marks = []
    for x, y in torch.utils.data.DataLoader(Data(), batch_size=64):
        x, y = x.cuda(), y.cuda()
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        marks.append(event())
    torch.cuda.synchronize()
    step_ms = median_ms(list(zip(marks, marks[1:])))
    print(step_ms, median_ms(spins["base"]), median_ms(spins["added"]))
"""


class Spun(NamedTuple):
    """Medians that the script measured itself."""

    step_ms: float
    base_ms: float
    added_ms: float


def run(tmp_path: Path, where: str) -> tuple[dict[str, Any], Spun]:
    script = tmp_path / "script.py"
    script.write_text(textwrap.dedent(SCRIPT))
    out = tmp_path / f"run-{where}"
    command = [STOKER, "run", "--out", str(out), "--", sys.executable, str(script), where]
    done = subprocess.run(command, capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stderr
    report = json.loads((out / "run.json").read_text())
    assert report["errors"] == []
    return report, Spun(*map(float, done.stdout.split()))


def device_ms(report: dict[str, Any]) -> dict[str, float]:
    return {
        phase["name"]: phase["mean_ms"]
        for phase in report["phases"]
        if phase["clock"] == "device" and phase["mean_ms"] is not None
    }


@pytest.mark.parametrize("where", ["forward", "backward", "optimizer"])
def test_device_work_is_found_in_its_phase(tmp_path: Path, where: str) -> None:
    plain_report, plain_spun = run(tmp_path, "nowhere")
    report, spun = run(tmp_path, where)
    plain, slow = device_ms(plain_report), device_ms(report)
    shift = {phase: slow[phase] - plain[phase] for phase in ("forward", "backward", "optimizer")}
    shift["forward"] -= spun.base_ms - plain_spun.base_ms
    assert spun.added_ms == pytest.approx(6.0, rel=0.05)
    assert shift.pop(where) == pytest.approx(spun.added_ms, rel=0.05)
    for rest in shift.values():
        assert rest == pytest.approx(0.0, abs=0.3)
    assert report["steps"]["step_ms"]["median"] == pytest.approx(spun.step_ms, rel=0.1)


def test_exposed_stall_is_the_gap_on_the_device(tmp_path: Path) -> None:
    report, spun = run(tmp_path, "data")
    assert report["verdict"]["kind"] == "input"
    # Of the 30 ms that the host sleeps, the device still works on the step before for some.
    stall_ms = report["exposed_stall_share"] * spun.step_ms
    assert stall_ms == pytest.approx(spun.step_ms - sum(device_ms(report).values()), rel=0.1)
    assert 20.0 < stall_ms < 35.0
    assert "GPU waits" in report["verdict"]["sentence"]


def test_watching_is_cheap(tmp_path: Path) -> None:
    report, _ = run(tmp_path, "forward")
    assert report["overhead_us_per_step"] <= 30.0
