# SPDX-License-Identifier: Apache-2.0
"""Which copies to the GPU go beside the kernels, seen without a GPU; tests/gpu has the bytes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import torch

from stoker.levers.non_blocking import copies
from stoker.levers.non_blocking.copies import Copies
from stoker.levers.outcome import Outcome

X = torch.ones(2, 3, 4, 4)


class FakeCuda:
    """What is asked of torch.cuda. Streams are names."""

    def __init__(self) -> None:
        self.stream_now = "default"
        self.capturing = False

    def Stream(self, _device: Any) -> str:
        return "side"

    def current_device(self) -> int:
        return 0

    def current_stream(self, _device: Any) -> str:
        return self.stream_now

    def default_stream(self, _device: Any) -> str:
        return "default"

    def is_current_stream_capturing(self) -> bool:
        return self.capturing


class Script:
    """Copies tensors with the lever on; `beside` has those that went beside the kernels."""

    def __init__(self) -> None:
        self.cuda = FakeCuda()
        self.beside: list[torch.Tensor] = []
        self.left: list[str] = []
        self.must_stop = False
        self.error: Exception | None = None


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> Iterator[Script]:
    made = Script()

    def plain(name: str) -> Any:
        def call(_tensor: Any, *_args: Any, **_kwargs: Any) -> str:
            made.left.append(name)
            return "plain"

        return call

    def beside(_copies: Copies, tensor: torch.Tensor) -> str:
        if made.error is not None:
            raise made.error
        made.beside.append(tensor)
        return "beside"

    monkeypatch.setattr(copies, "_cuda", made.cuda)
    monkeypatch.setattr(torch.Tensor, "to", plain("to"))
    monkeypatch.setattr(torch.Tensor, "cuda", plain("cuda"))
    monkeypatch.setattr(Copies, "_copy_beside", beside)
    undo = Copies(torch.device("cuda", 0), lambda: made.must_stop).install()
    yield made
    undo()
    assert X.to("cuda") == "plain"  # type: ignore[comparison-overlap]


DEVICE = torch.device("cuda", 0)


@pytest.mark.parametrize(
    "copy",
    [
        lambda: X.to("cuda"),
        lambda: X.to("cuda:0"),
        lambda: X.to(0),
        lambda: X.to(DEVICE),
        lambda: X.to(device=DEVICE, non_blocking=True),
        lambda: X.cuda(),
        lambda: X.cuda(0, non_blocking=True),
        lambda: X.long().to(DEVICE),
        lambda: X.contiguous(memory_format=torch.channels_last).to(DEVICE),
    ],
)
def test_goes_beside(copy: Any, script: Script) -> None:
    assert copy() == "beside"


@pytest.mark.parametrize(
    "copy",
    [
        lambda: X.to("cpu"),
        lambda: X.to(torch.float64),
        lambda: X.to(DEVICE, torch.float64),
        lambda: X.to(DEVICE, dtype=torch.float64),
        lambda: X.to(DEVICE, memory_format=torch.channels_last),
        lambda: X.to(DEVICE, copy=True),
        lambda: X.to("cuda:1"),
        lambda: X.cuda(1),
        lambda: X.to(torch.ones(1)),
        lambda: X.clone().requires_grad_().to(DEVICE),
        lambda: X.transpose(0, 1).to(DEVICE),
        lambda: torch.empty(0).to(DEVICE),
        lambda: torch.nn.Parameter(X, requires_grad=False).to(DEVICE),
        lambda: X.to_sparse().to(DEVICE),
        lambda: torch.ones(2, dtype=torch.complex64).conj().to(DEVICE),
    ],
)
def test_is_left_to_torch(copy: Any, script: Script) -> None:
    assert copy() == "plain"
    assert script.beside == []


def test_streams_of_the_scripts_own_and_captures_are_left_alone(script: Script) -> None:
    script.cuda.stream_now = "own"
    assert X.to(DEVICE) == "plain"  # type: ignore[comparison-overlap]
    script.cuda.stream_now = "default"
    script.cuda.capturing = True
    assert X.to(DEVICE) == "plain"  # type: ignore[comparison-overlap]
    script.cuda.capturing = False
    script.must_stop = True
    assert X.to(DEVICE) == "plain"  # type: ignore[comparison-overlap]
    script.must_stop = False
    assert X.to(DEVICE) == "beside"  # type: ignore[comparison-overlap]


def test_modes_see_the_copy(script: Script) -> None:
    with torch.device("cpu"):  # a TorchFunctionMode
        assert X.to(DEVICE) == "plain"


def test_an_error_is_said_and_ends_it(script: Script, said: list[Outcome]) -> None:
    script.error = RuntimeError("out of pinned memory\nand more")
    assert X.to(DEVICE) == "plain"  # type: ignore[comparison-overlap]
    script.error = None
    assert X.to(DEVICE) == "plain"  # type: ignore[comparison-overlap]
    (word,) = said
    assert not word.applied
    assert word.reason == "taken off: RuntimeError: out of pinned memory"
