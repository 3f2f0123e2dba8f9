# SPDX-License-Identifier: Apache-2.0
"""Levers on a script that knows nothing of them, from the first step to the last."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from watched_script import Outcome, alone, watched

# Compiled without a code generator, and kept whatever it brings.
FAST = """
import os, sys
if "STOKER_RUN_DIR" in os.environ:
    import functools, torch
    from stoker.levers import compile as lever, remembered, sequence
    lever._compile = functools.partial(torch.compile, backend="aot_eager")
    sequence.KEEP_FROM, sequence.WINDOW, sequence.SETTLE = 0.0, 2, 1
    remembered.load = lambda name: {}
"""

SCRIPT = """
import torch
from torch.optim.optimizer import register_optimizer_step_post_hook

torch.manual_seed(0)
torch.set_num_threads(1)
model = torch.nn.Sequential(
    torch.nn.Conv2d(3, 8, 3), torch.nn.BatchNorm2d(8), torch.nn.ReLU(),
    torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten(), torch.nn.Linear(8, 2))
optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
images, labels = torch.randn(8, 3, 12, 12), torch.arange(8) % 2
stepped = []
register_optimizer_step_post_hook(lambda *_: stepped.append(1))
for step in range(30):
    optimizer.zero_grad()
    loss = torch.nn.functional.cross_entropy(model(images), labels)
    loss.backward()
    optimizer.step()
    print(loss.item())
    if step % 10 == 9:
        model.eval()
        with torch.no_grad():
            model(images[:3])
        model.train()
assert len(stepped) == 30
assert sum(1 for n in model.state_dict()) == 9
"""


def last_words(outcome: Outcome) -> dict[str, dict[str, Any]]:
    return {line["id"]: line for line in outcome.lines("levers.jsonl")}


def losses(outcome: Outcome) -> list[float]:
    return [float(line) for line in outcome.stdout.splitlines()]


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> list[float]:
    outcome = alone(tmp_path_factory.mktemp("alone"), SCRIPT)
    assert outcome.status == 0, outcome.stderr
    return losses(outcome)


def run(folder: Path, first: str = "", allow: str = "exact,rounding") -> Outcome:
    return watched(folder, FAST + first + SCRIPT, STOKER_ALLOW=allow)


def test_applied_from_outside(tmp_path: Path, plain: list[float]) -> None:
    outcome = run(tmp_path, allow="exact,rounding,precision")
    assert outcome.status == 0 and outcome.stderr == ""
    assert losses(outcome) == pytest.approx(plain, rel=1e-3)
    levers = last_words(outcome)
    assert (
        levers["fused_optimizer"]["applied"]
        and levers["fused_optimizer"]["detail"] == "AdamW, from the first step on"
    )
    for name in ("channels_last", "compile"):
        assert levers[name]["applied"] and levers[name]["class"] == "rounding", levers[name]
        assert "ms a step" in levers[name]["detail"]
    for name in ("cudnn_search", "bf16", "tf32", "sdpa", "cuda_graphs", "non_blocking"):
        assert not levers[name]["applied"]
        assert levers[name]["reason"] == "no CUDA device in use"
    assert levers["bf16"]["class"] == "precision"
    assert outcome.faults == []


def test_nothing_without_leave(tmp_path: Path, plain: list[float]) -> None:
    outcome = run(tmp_path, allow="exact")
    assert losses(outcome) == plain
    levers = last_words(outcome)
    assert {line["class"] for line in levers.values()} == {"exact"}
    assert not any(line["applied"] for line in levers.values())


def test_a_script_that_ends_early_says_so(tmp_path: Path) -> None:
    short = SCRIPT.replace("range(30)", "range(5)").replace("== 30", "== 5")
    outcome = watched(tmp_path, FAST + short, STOKER_ALLOW="exact,rounding")
    assert outcome.status == 0
    compile = last_words(outcome)["compile"]
    assert not compile["applied"] and compile["reason"] == "the script ended before it was tried"


NO_FUSED = """
if "STOKER_RUN_DIR" in os.environ:
    torch.amp.GradScaler("cpu")
    from stoker.levers import bf16, channels_last
    def broken(*_, **__):
        raise ValueError("sabotage")
"""

SABOTAGE = {
    "probe": (
        """
    lever.refuse = channels_last.refuse = broken
""",
        "its probe failed: ValueError: sabotage",
    ),
    "apply": (
        """
    channels_last.apply = lever.attempt = broken
""",
        "ValueError: sabotage",
    ),
}


@pytest.mark.parametrize("where", SABOTAGE)
def test_sabotaged_levers_leave_the_script_as_it_is(
    where: str, tmp_path: Path, plain: list[float]
) -> None:
    lines, reason = SABOTAGE[where]
    outcome = run(tmp_path, NO_FUSED + lines)
    assert outcome.status == 0 and outcome.stderr == ""
    assert losses(outcome) == plain
    levers = last_words(outcome)
    for name in ("compile", "channels_last"):
        assert not levers[name]["applied"] and levers[name]["reason"] == reason
    assert levers["fused_optimizer"]["reason"] == "the script uses a GradScaler"


def test_a_compiled_call_that_fails_later(tmp_path: Path, plain: list[float]) -> None:
    outcome = run(
        tmp_path,
        NO_FUSED
        + """
    channels_last.refuse = lambda case: "not now"
    def fails_at_fifth(call, **_):
        calls = []
        def compiled(*args):
            calls.append(1)
            if len(calls) == 5:
                call(*args)
                torch.rand(3)
                raise RuntimeError("sabotage")
            return call(*args)
        return compiled
    lever._compile = fails_at_fifth
""",
    )
    assert outcome.status == 0 and outcome.stderr == ""
    assert losses(outcome) == pytest.approx(plain, rel=1e-5)
    compile = last_words(outcome)["compile"]
    assert not compile["applied"]
    assert compile["reason"] == "taken off in the step where it failed: RuntimeError: sabotage"


def test_a_first_call_that_fails_or_lies(tmp_path: Path, plain: list[float]) -> None:
    outcome = run(
        tmp_path,
        NO_FUSED
        + """
    channels_last.refuse = lambda case: "not now"
    lever._compile = lambda call, **_: lambda *args: call(*args) * 2
""",
    )
    assert losses(outcome) == plain
    reason = last_words(outcome)["compile"]["reason"]
    assert reason.startswith("its trial: is 1 (outputs) and 1 (gradients) from full precision")


def test_nan_takes_everything_off(tmp_path: Path, plain: list[float]) -> None:
    outcome = run(
        tmp_path,
        NO_FUSED
        + """
    channels_last.refuse = lambda case: "not now"
    def spoils_the_third(call, **_):
        calls = []
        def compiled(*args):
            calls.append(1)
            out = call(*args)
            return out * float("nan") if len(calls) == 3 else out
        return compiled
    lever._compile = spoils_the_third
""",
    )
    assert outcome.status == 0
    # The plain model gave the result of that call.
    assert losses(outcome) == pytest.approx(plain, rel=1e-5)
    compile = last_words(outcome)["compile"]
    assert not compile["applied"]
    assert (
        compile["reason"] == "taken off in the same step: the model's output became NaN or infinite"
    )


def test_an_error_in_the_plan_takes_everything_off(tmp_path: Path, plain: list[float]) -> None:
    outcome = run(
        tmp_path,
        NO_FUSED
        + """
    decide, done = sequence.Sequence._decide, []
    def fails_at_third(self, *args):
        done.append(1)
        if len(done) == 3:
            raise ValueError("sabotage")
        decide(self, *args)
    sequence.Sequence._decide = fails_at_third
""",
    )
    assert outcome.status == 0 and outcome.stderr == ""
    assert losses(outcome) == pytest.approx(plain, rel=1e-3)
    levers = last_words(outcome)
    for name in ("compile", "channels_last"):
        assert levers[name]["reason"] == "an error in stoker's own code"
    assert [fault["where"] for fault in outcome.faults] == ["levers"]


def test_models_can_go(tmp_path: Path) -> None:
    """Even if the script keeps what hung in torch in the first steps."""
    outcome = watched(
        tmp_path,
        FAST.replace("(torch.compile,", "(torch.compile.__wrapped__,")  # that of levers is no other
        + "from torch.autograd import backward, grad\n"
        + SCRIPT.replace("range(30)", "range(100)").replace("== 30", "== 100")
        + """
import gc, weakref
gone = weakref.ref(model)
del model, optimizer, loss
gc.collect()
print("gone", gone() is None)
""",
        STOKER_ALLOW="exact,rounding",
    )
    assert outcome.status == 0, outcome.stderr
    assert outcome.stdout.splitlines()[-1] == "gone True"


def test_an_error_in_the_first_step_is_the_last_word(tmp_path: Path) -> None:
    broken = """
    from stoker.levers import observe
    def broken(*_):
        raise ValueError("sabotage")
    observe.signature = broken
"""
    outcome = run(tmp_path, broken)
    assert outcome.status == 0 and outcome.stderr == ""
    for name in ("compile", "channels_last"):
        assert last_words(outcome)[name]["reason"] == "an error in stoker's own code"
