# SPDX-License-Identifier: Apache-2.0
"""Optimizers that keep their own step: the reason is told, and the script's numbers are its own."""

from __future__ import annotations

from pathlib import Path

import pytest
from under_levers import alone, applied, lines, reasons, with_levers

EXPECTED = {
    "fused_false": "the script sets fused itself",
    "foreach": "the script sets foreach itself",
    "differentiable": "the script sets differentiable itself",
    "capturable": "the script sets capturable itself",
    "tensor_lr": "the learning rate is a tensor",
    "own_class": "Warm is a class of the script's own",
    "grad_scaler": "the script uses a GradScaler",
    "complex_numbers": "not all parameters are floating-point tensors",
    "whole_numbers": "not all parameters are floating-point tensors",
}


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    return alone("optimizer_cases", tmp_path_factory.mktemp("alone"))


@pytest.mark.parametrize("case", EXPECTED)
def test_not_fused(case: str, plain: dict[str, list[str]], tmp_path: Path) -> None:
    watched = with_levers("optimizer_cases", case, tmp_path)
    assert reasons(watched)["fused_optimizer"] == EXPECTED[case]
    assert applied(watched) == set()
    assert lines(watched) == plain[case]


@pytest.mark.parametrize("case", ["sparse_sgd", "sparse_adagrad"])
def test_sparse_gradients_end_it(case: str, plain: dict[str, list[str]], tmp_path: Path) -> None:
    """They are seen at the first step only, and no fused kernel takes them."""
    watched = with_levers("optimizer_cases", case, tmp_path)
    assert "sparse" in reasons(watched)["fused_optimizer"]
    assert lines(watched) == plain[case]


def test_an_optimizer_without_such_a_kernel(plain: dict[str, list[str]], tmp_path: Path) -> None:
    watched = with_levers("optimizer_cases", "lbfgs", tmp_path)
    assert "fused_optimizer" not in applied(watched)
    assert reasons(watched)["compile"] == (
        "the model has hooks of the script's own, which a trial would call"
    )
    assert lines(watched) == plain["lbfgs"]
