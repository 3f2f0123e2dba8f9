# SPDX-License-Identifier: Apache-2.0
"""Faults in levers: the script ends as it does alone, and the reason is told."""

from __future__ import annotations

from pathlib import Path

import pytest
from fault_injection import append, copy_package, insert
from side_by_side import PYTHON, Ended, Watched, environment, execute, under_stoker, write
from under_levers import ALLOW, COMPILED, applied, levers, reasons

from stoker.levers import sequence
from stoker.levers.cards import cards

RAISE = "raise RuntimeError('injected')"
INJECTED = "RuntimeError: injected"

# Its optimizer is free for a fused kernel without an argument alone.
SCRIPT = """
    import sys
    import torch

    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.conv, self.head = torch.nn.Conv2d(3, 8, 3), torch.nn.Linear(8, 2)
        def forward(self, x):
            x = self.conv(x).relu().mean((2, 3))
            # The two must be of one kind, which under autocast they are not.
            return torch.zeros(4, 2).index_add_(0, torch.arange(4), self.head(x))

    torch.manual_seed(0)
    model, images = Net(), torch.randn(4, 3, 9, 9)
    foreach = False if len(sys.argv) > 1 else None
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9, foreach=foreach)
    for step in range(30):
        optimizer.zero_grad()
        loss = (model(images) - 1).square().mean()
        loss.backward()
        optimizer.step()
        print(repr(loss.item()))
    sys.exit(7)
    """

FUSED_FAILS = f"""
_original = torch.optim.SGD.__init__
def _fails(self, *args, **kwargs):
    if kwargs.get("fused"):
        {RAISE}
    _original(self, *args, **kwargs)
torch.optim.SGD.__init__ = _fails
"""
# The first call is the trial's.
SECOND_COMPILED_CALL = f"""
_real = _compile
def _compile(call, **options):
    compiled, calls = _real(call, **options), []
    def fails(*args, **kwargs):
        calls.append(1)
        if len(calls) == 2:
            {RAISE}
        return compiled(*args, **kwargs)
    return fails
"""
NEVER = "def refuse(*_): return 'not in this test'"
ALWAYS = "def refuse(*_): return ''"


def own_levers() -> list[str]:
    return [name for name in cards() if name != "native_decoding"]


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Ended:
    folder = tmp_path_factory.mktemp("alone")
    ended = execute([PYTHON, write(folder, "train.py", SCRIPT)], folder, environment())
    assert ended.status == 7, ended.stderr.decode()
    return ended


@pytest.fixture
def package(tmp_path: Path) -> Path:
    return copy_package(tmp_path / "broken")


def train(folder: Path, package: Path, *args: str) -> Watched:
    folder = folder / "training"
    command = [PYTHON, write(folder, "train.py", SCRIPT), *args]
    env = environment(
        STOKER_PACKAGE=str(package),
        STOKER_CACHE=str(folder / "cache"),
        TORCHINDUCTOR_CACHE_DIR=COMPILED,
    )
    return under_stoker(command, folder, env, ALLOW)


def module_of(lever: str) -> str:
    return f"levers/{lever}/__init__.py"


def only(package: Path, lever: str) -> None:
    """Makes this lever, and no other, one that nothing speaks against."""
    for name in own_levers():
        append(package, module_of(name), ALWAYS if name == lever else NEVER)


def check_same(watched: Watched, alone: Ended) -> None:
    assert watched.status == alone.status, watched.stderr.decode()
    assert watched.stdout == alone.stdout


def test_every_probe_fails(tmp_path: Path, package: Path, alone: Ended) -> None:
    for lever in own_levers():
        append(package, module_of(lever), f"def refuse(*_): {RAISE}")
    watched = train(tmp_path, package)
    check_same(watched, alone)
    told = reasons(watched)
    for lever in own_levers():
        assert told[lever] == f"its probe failed: {INJECTED}", lever
    assert applied(watched) <= {"native_decoding"}


def test_every_application_fails(tmp_path: Path, package: Path, alone: Ended) -> None:
    for lever in own_levers():
        append(package, module_of(lever), f"{ALWAYS}\ndef apply(*_): {RAISE}")
    append(package, module_of("fused_optimizer"), FUSED_FAILS)
    watched = train(tmp_path, package)
    check_same(watched, alone)
    told = reasons(watched)
    expected = dict.fromkeys(own_levers(), INJECTED)
    expected |= {lever: f"{needed} is not applied" for lever, needed in sequence._NEEDS.items()}
    for lever, reason in expected.items():
        assert told[lever] == reason, lever
    assert applied(watched) <= {"native_decoding"}


# What fails when the model is called for the first time after the lever went on.
FIRST_CALLS = {
    "compile": ("levers/compile/__init__.py", SECOND_COMPILED_CALL),
    "channels_last": ("levers/driver.py", f"def _to_channels_last(*_): {RAISE}"),
    "bf16": ("levers/driver.py", "torch.autocast = lambda *_a, **_k: {}['injected']"),
}


@pytest.mark.parametrize("lever", FIRST_CALLS)
def test_the_first_call_fails(lever: str, tmp_path: Path, package: Path, alone: Ended) -> None:
    only(package, lever)
    append(package, *FIRST_CALLS[lever])
    watched = train(tmp_path, package, "plain optimizer")
    check_same(watched, alone)
    outcome = levers(watched)[lever]
    assert not outcome["applied"]
    assert outcome["reason"].startswith("taken off in the step where it failed")
    assert "injected" in outcome["reason"]


def test_a_model_that_autocast_breaks(tmp_path: Path, package: Path, alone: Ended) -> None:
    """An error that only the lever brings, in the first call under it."""
    only(package, "bf16")
    watched = train(tmp_path, package, "plain optimizer")
    check_same(watched, alone)
    outcome = levers(watched)["bf16"]
    assert not outcome["applied"]
    assert outcome["reason"].startswith("taken off in the step where it failed: RuntimeError")


def test_the_first_fused_step_fails(tmp_path: Path, package: Path, alone: Ended) -> None:
    only(package, "fused_optimizer")
    insert(package, "levers/fused_optimizer/made.py", "def _before_step", RAISE)
    watched = train(tmp_path, package)
    assert watched.status == alone.status
    assert "injected" in watched.errors()


def test_the_driver_fails(tmp_path: Path, package: Path, alone: Ended) -> None:
    """An error of stoker's own in what stands in the model's place."""
    only(package, "channels_last")
    insert(package, "levers/driver.py", "def call(", RAISE)
    watched = train(tmp_path, package, "plain optimizer")
    check_same(watched, alone)
    assert not levers(watched)["channels_last"]["applied"]
