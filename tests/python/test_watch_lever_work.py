# SPDX-License-Identifier: Apache-2.0
"""What levers do between steps is told apart from them, however much it looks like training."""

from __future__ import annotations

from pathlib import Path

from watched_script import watched

STEPS = 8
WORK_NS = 2_000_000_000
SCRIPT = """
    import time
    import torch
    from torch.utils.data import DataLoader, TensorDataset
    from stoker.watch.levers import _outside_steps

    model = torch.nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for step, (x,) in enumerate(DataLoader(TensorDataset(torch.ones(32, 4)), batch_size=4)):
        optimizer.zero_grad()
        model(x).sum().backward()
        optimizer.step()
        if step == 4:
            with _outside_steps(), _outside_steps():
                time.sleep(2)
                for _ in range(3):
                    model(x).sum().backward()
                    optimizer.step()
"""


def test_lever_work_is_in_no_step(tmp_path: Path) -> None:
    outcome = watched(tmp_path, SCRIPT)
    assert (outcome.status, outcome.faults) == (0, [])
    main = outcome.main
    assert main["step_count"] == STEPS
    assert main["pause_count"] == 2  # the start, and the work
    assert WORK_NS <= main["pause_lever_work_ns"] <= main["pause_ns"]
    phases = ("data_wait", "forward", "backward", "optimizer", "residual")
    assert max(sum(step[phase] for phase in phases) for step in main["recent"]) < WORK_NS
