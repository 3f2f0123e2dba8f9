# SPDX-License-Identifier: Apache-2.0
"""Models that no lever may touch: the reason is told, and the script's numbers are its own."""

from __future__ import annotations

from pathlib import Path

import pytest
from under_levers import alone, applied, levers, lines, reasons, with_levers

pytestmark = pytest.mark.ci

COMPILES = "the script calls torch.compile itself"
HOOKS = "the model has hooks of the script's own, which a trial would call"
NO_MODEL = "no model was seen in the first steps"
ENDED = "the script ended before it was tried"
ENDED_SOONER = "the script ended before its third step"
NO_GPU = "no CUDA device in use"

# A reason that ends in "..." goes on with numbers or words of torch.
EXPECTED = {
    "compiles_itself": {"compile": COMPILES},
    "compiles_in_place": {"compile": COMPILES},
    "forward_hook": {"compile": HOOKS},
    "backward_hook": {"compile": HOOKS},
    "torchscript": {"compile": "the model holds TorchScript"},
    "lstm": {
        "compile": "the model has recurrent layers, which are faster in cuDNN than compiled",
        "channels_last": "the model has no 2-d convolution",
        **dict.fromkeys(["tf32", "bf16", "cudnn_search"], NO_GPU),
    },
    "ddp": {
        "compile": "DistributedDataParallel looks for unused parameters, which compiling hides",
    },
    "data_parallel": {
        "compile": "the model is wrapped in DataParallel",
        "channels_last": "the model is already wrapped in DataParallel",
    },
    "flat_pictures": {"channels_last": "no input has four dimensions"},
    "in_this_layout": {"channels_last": "the model is in this layout already"},
    "volumes": {"channels_last": "the model has 3-d convolutions"},
    "kinds_change": {"compile": "kinds of inputs change from step to step"},
    "opaque_output": {"compile": "its trial: no output to be compared has a gradient"},
    "frozen": {"compile": NO_MODEL, "channels_last": NO_MODEL},
    "evaluating": {"compile": NO_MODEL, "channels_last": NO_MODEL},
    "lies": {"compile": "its trial: is 0.1 (outputs) and ..."},
    "lies_in_gradients": {"compile": "its trial: is ..."},
    "nan": {"compile": "its trial: gives NaN or infinity where the plain model does not"},
    "other_shapes": {"compile": "its trial: gives outputs of other shapes"},
    "cannot_be_compiled": {"compile": "its trial: TorchRuntimeError..."},
    "two_steps": dict.fromkeys(["compile", "channels_last", "tf32", "bf16"], ENDED_SOONER),
    "five_steps": {"compile": ENDED, "channels_last": "the model has no 2-d convolution"},
}


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    return alone("model_cases", tmp_path_factory.mktemp("alone"))


@pytest.mark.parametrize("case", EXPECTED)
def test_left_alone(case: str, plain: dict[str, list[str]], tmp_path: Path) -> None:
    watched = with_levers("model_cases", case, tmp_path)
    assert lines(watched) == plain[case]
    told = reasons(watched)
    for lever, reason in EXPECTED[case].items():
        assert _begins(told[lever], reason), (lever, told[lever])
    assert applied(watched) == set()


def test_nothing_trains(plain: dict[str, list[str]], tmp_path: Path) -> None:
    """As in a launcher or a worker: no lever is mentioned but the one decided before."""
    watched = with_levers("model_cases", "no_steps", tmp_path)
    assert lines(watched) == plain["no_steps"] == ["nothing to train"]
    assert levers(watched).keys() - {"native_decoding"} == {"fused_optimizer"}


def _begins(told: str, expected: str) -> bool:
    if expected.endswith("..."):
        return told.startswith(expected.removesuffix("..."))
    return told == expected


def test_without_a_compiler(
    plain: dict[str, list[str]], tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    nothing = str(tmp_path_factory.mktemp("bin"))
    watched = with_levers("model_cases", "no_compiler", tmp_path, PATH=nothing, CXX="", CC="")
    assert reasons(watched)["compile"] == "no C compiler was found"
    assert lines(watched) == plain["no_compiler"]


def test_nan_that_comes_later(plain: dict[str, list[str]], tmp_path: Path) -> None:
    """Taken off in the step where it came: no NaN reaches the script or its weights."""
    watched = with_levers("model_cases", "nan_later", tmp_path)
    compile = levers(watched)["compile"]
    assert not compile["applied"]
    assert "NaN" in compile["reason"]
    # Three steps ran compiled, with another rounding.
    losses = [float(line) for line in lines(watched)]
    assert losses == pytest.approx([float(line) for line in plain["nan_later"]], rel=1e-4)
