# SPDX-License-Identifier: Apache-2.0
"""Loops that compiling and fused optimizers could spoil, with the machine code that torch.compile
makes for a CPU: they end where they end alone."""

from __future__ import annotations

from pathlib import Path

import pytest
from side_by_side import PYTHON, Watched, environment, execute
from under_levers import HERE, alone, levers, lines, with_levers

pytestmark = pytest.mark.ci

# Sums in another order, for thirty steps: 1e-7 each, which Adam divides by small numbers at first.
TOLERANCE = 1e-3

LOOPS = [
    "whole_batches",
    "quarter_batches",
    "keeps_outputs",
    "dropout",
    "batch_norm",
    "schedule_decay_clipping",
    "two_optimizers",
    "gan",
    "evaluates_in_between",
    "smaller_last_batch",
]


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    return alone("loop_cases", tmp_path_factory.mktemp("alone"))


def check_same(printed: list[str], right: list[str]) -> None:
    assert len(printed) == len(right)
    for line, expected in zip(printed, right, strict=True):
        if "." in expected:
            assert float(line) == pytest.approx(float(expected), rel=TOLERANCE, abs=1e-6)
        else:
            assert line == expected


def check_levers(watched: Watched) -> None:
    found = levers(watched)
    assert found["fused_optimizer"]["applied"], found["fused_optimizer"]
    compile = found["compile"]
    # Whether it pays is for the clock to say; that it was tried is what counts.
    assert compile["applied"] or compile["reason"].startswith("brought nothing"), compile


@pytest.mark.parametrize("case", LOOPS)
def test_ends_as_alone(case: str, plain: dict[str, list[str]], tmp_path: Path) -> None:
    watched = with_levers("loop_cases", case, tmp_path)
    check_same(lines(watched), plain[case])
    check_levers(watched)


def test_four_quarters_make_a_whole(plain: dict[str, list[str]]) -> None:
    """What the two above are compared with is right itself."""
    check_same(plain["quarter_batches"], plain["whole_batches"])


def test_dropout_is_new_in_each_step(plain: dict[str, list[str]]) -> None:
    assert plain["dropout"] == ["True"] * 30 + ["30"]


def test_checkpoints(plain: dict[str, list[str]], tmp_path: Path) -> None:
    """Saved with levers and loaded without, and the other way round."""
    right = plain["goes_on"]
    with_folder, without_folder = tmp_path / "with", tmp_path / "without"
    for folder in (with_folder, without_folder):
        folder.mkdir()
    saved = with_levers("loop_cases", "saves", with_folder)
    check_same(lines(saved), plain["saves"])
    script = str(HERE / "loop_cases.py")
    done = execute([PYTHON, script, "goes_on"], with_folder, environment())
    assert done.status == 0, done.stderr.decode()
    check_same(done.stdout.decode().splitlines(), right)

    done = execute([PYTHON, script, "saves"], without_folder, environment())
    assert done.status == 0, done.stderr.decode()
    check_same(lines(with_levers("loop_cases", "goes_on", without_folder)), right)
