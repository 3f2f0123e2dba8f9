# SPDX-License-Identifier: Apache-2.0
"""stoker.setup: seeds and levers from inside a script."""

from __future__ import annotations

from pathlib import Path

import pytest
from watched_script import alone, watched

import stoker

SCRIPT = """
import random
import stoker
stoker.setup(seed=7, allow=CLASSES)
import numpy, torch
print(random.random(), numpy.random.rand(), torch.rand(1).item())
torch.set_num_threads(1)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x = torch.ones(8, 4)
for step in range(6):
    optimizer.zero_grad()
    model(x).square().mean().backward()
    optimizer.step()
print(optimizer.param_groups[0]["fused"])
stoker.setup(seed=7)
print(random.random(), numpy.random.rand(), torch.rand(1).item())
"""


def test_seeds_and_levers(tmp_path: Path) -> None:
    script = SCRIPT.replace("CLASSES", '("rounding",)')
    done = alone(tmp_path, script)
    assert done.status == 0, done.stderr
    first, fused, second = done.stdout.splitlines()
    assert first == second and fused == "True"
    said = done.stderr.splitlines()
    assert said[0] == "stoker  seed 7 for random, NumPy and torch"
    assert "stoker  done  fused_optimizer [rounding]: SGD, from the first step on" in said
    assert "stoker  left out  channels_last [rounding]: the model has no 2-d convolution" in said
    assert "stoker  left out  non_blocking [exact]: no CUDA device in use" in said
    assert "stoker  done  native_decoding [exact]" in said
    assert not [line for line in said if "[precision]" in line]
    assert said[-1] == "stoker  levers are on already; only seeds were set"


def test_no_levers_at_all(tmp_path: Path) -> None:
    done = alone(tmp_path, SCRIPT.replace("CLASSES", '"none"').replace("seed=7)", "7, 'none')"))
    assert done.status == 0, done.stderr
    assert done.stdout.splitlines()[1] == "None"
    assert done.stderr == "stoker  seed 7 for random, NumPy and torch\n" * 2


def test_under_stoker_run_the_command_decides(tmp_path: Path) -> None:
    done = watched(tmp_path, SCRIPT.replace("CLASSES", '"rounding"'), STOKER_ALLOW="exact")
    assert done.status == 0, done.stderr
    assert done.stdout.splitlines()[1] == "None"
    assert "levers are on already; only seeds were set" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"allow": "fast"}, ValueError, "allow='fast': no such class; expected none, or some of "),
        ({"allow": ["none", "exact"]}, ValueError, 'allow="none" excludes every other class'),
        ({"seed": "7"}, TypeError, "seed='7': expected an integer"),
        ({"seed": True}, TypeError, "seed=True: expected an integer"),
    ],
)
def test_wrong_arguments(
    arguments: dict[str, object], error: type[Exception], message: str
) -> None:
    with pytest.raises(error) as raised:
        stoker.setup(**{"allow": "none", **arguments})  # type: ignore[arg-type]
    assert str(raised.value).startswith(message)
