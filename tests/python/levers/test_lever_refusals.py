# SPDX-License-Identifier: Apache-2.0
"""Cases in which a lever must not be applied, and the reason that is given."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
import torch
from cases import CPU, CUDA, case_of, conv_model

from stoker.levers import bf16, channels_last, compile, cuda_graphs, cudnn_search, tf32

FLAT = torch.ones(2, 4)
IMAGES = torch.ones(2, 3, 8, 8)
THREE_SHAPES = [torch.ones(n, 4) for n in (1, 2, 3)]


@pytest.fixture(autouse=True)
def gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda device=None: (9, 0))
    monkeypatch.setattr(torch.cuda, "is_bf16_supported", lambda including_emulation=True: True)


def linear() -> torch.nn.Module:
    return torch.nn.Linear(4, 4)


class DataParallel(torch.nn.Module):  # known by its name
    def __init__(self) -> None:
        super().__init__()
        self.module = conv_model()


class FullyShardedDataParallel(DataParallel):
    pass


class Replicas:
    """What is asked of a DistributedDataParallel."""

    def __init__(self, find_unused_parameters: bool) -> None:
        self.find_unused_parameters = find_unused_parameters


def by_its_older_name() -> str:
    raise RuntimeError("you have used mix of the legacy and new APIs")


def test_tf32(monkeypatch: pytest.MonkeyPatch) -> None:
    on_cuda = case_of(linear(), FLAT, device=CUDA).training
    assert tf32.refuse(on_cuda) == ""
    assert tf32.refuse(case_of(linear(), FLAT, device=CPU).training) == "no CUDA device in use"
    with monkeypatch.context() as old:
        old.setattr(torch.cuda, "get_device_capability", lambda device=None: (7, 5))
        assert tf32.refuse(on_cuda) == "this GPU (compute capability 7.5) has no TF32"
    with monkeypatch.context() as newer_name:
        newer_name.setattr(torch, "get_float32_matmul_precision", by_its_older_name)
        matmul = SimpleNamespace(fp32_precision="tf32")
        newer_name.setattr(torch.backends.cuda, "matmul", matmul)
        assert tf32.refuse(on_cuda) == "the script set 'tf32' itself"
    monkeypatch.setattr(torch, "get_float32_matmul_precision", lambda: "high")
    assert tf32.refuse(on_cuda) == "the script set 'high' itself"


@pytest.mark.parametrize(
    ("facts", "reason"),
    [
        ({}, ""),
        ({"device": CPU}, "no CUDA device in use"),
        ({"saw_autocast": True}, "the script uses autocast itself"),
        ({"output_kinds": ("Tensor", "DynamicCache")}, ""),
        ({"uses_grad_scaler": True}, "the script uses a GradScaler"),
        (
            {"output_kinds": ("Tensor", "Boxes")},
            "the model returns Boxes, which cannot be looked into",
        ),
    ],
)
def test_bf16(facts: dict[str, Any], reason: str) -> None:
    assert bf16.refuse(case_of(linear(), FLAT, **{"device": CUDA, **facts})) == reason


def test_bf16_by_model_and_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    assert (
        bf16.refuse(case_of(linear().half(), FLAT, device=CUDA))
        == "parameters are not all float32: torch.float16"
    )
    assert (
        bf16.refuse(case_of(FullyShardedDataParallel(), IMAGES, device=CUDA))
        == "the model is sharded; FSDP has a precision policy of its own"
    )
    monkeypatch.setattr(torch.cuda, "is_bf16_supported", lambda including_emulation=True: False)
    assert bf16.refuse(case_of(linear(), FLAT, device=CUDA)) == "this GPU has no bfloat16"


def test_cudnn_search(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(module: torch.nn.Module, *calls: torch.Tensor, device: Any = CUDA) -> str:
        return cudnn_search.refuse(case_of(module, *calls, device=device).training)

    assert refused(conv_model(), IMAGES) == ""
    assert refused(conv_model(), IMAGES, device=CPU) == "no CUDA device in use"
    assert refused(linear(), FLAT) == "the model has no convolution"
    assert (
        refused(conv_model(), IMAGES, IMAGES[:1])
        == "shapes change from step to step: each would be searched anew"
    )
    monkeypatch.setattr(torch.backends.cudnn, "deterministic", True)
    assert refused(conv_model(), IMAGES) == "the script asks for deterministic algorithms"
    monkeypatch.setattr(torch.backends.cudnn, "benchmark", True)
    assert refused(conv_model(), IMAGES) == "the script turned it on itself"


def test_cudnn_search_refuses_where_all_algorithms_are_deterministic(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(torch, "are_deterministic_algorithms_enabled", lambda: True)
    assert (
        cudnn_search.refuse(case_of(conv_model(), IMAGES, device=CUDA).training)
        == "the script asks for deterministic algorithms"
    )


@pytest.mark.parametrize(
    ("module", "call", "reason"),
    [
        (conv_model(), IMAGES, ""),
        (linear(), FLAT, "the model has no 2-d convolution"),
        (
            torch.nn.Sequential(conv_model(), torch.nn.Conv3d(1, 1, 1)),
            IMAGES,
            "the model has 3-d convolutions",
        ),
        (DataParallel(), IMAGES, "the model is already wrapped in DataParallel"),
        (conv_model(), FLAT, "no input has four dimensions"),
        (
            conv_model().to(memory_format=torch.channels_last),  # type: ignore[call-overload]
            IMAGES,
            "the model is in this layout already",
        ),
    ],
)
def test_channels_last(module: torch.nn.Module, call: torch.Tensor, reason: str) -> None:
    assert channels_last.refuse(case_of(module, call)) == reason


def test_channels_last_below_distributed_data_parallel() -> None:
    assert (
        channels_last.refuse(case_of(conv_model(), IMAGES, replicas=object()))
        == "the model is already wrapped in DistributedDataParallel"
    )


@pytest.mark.parametrize(
    ("module", "calls", "facts", "reason"),
    [
        (linear(), [FLAT], {}, ""),
        (linear(), THREE_SHAPES[:2], {}, ""),
        (linear(), THREE_SHAPES, {}, ""),
        (linear(), [FLAT, FLAT[0]], {}, "kinds of inputs change from step to step"),
        (linear(), [FLAT], {"replicas": Replicas(False)}, ""),
        (
            linear(),
            [FLAT],
            {"replicas": Replicas(True)},
            "DistributedDataParallel looks for unused parameters, which compiling hides",
        ),
        (linear(), [FLAT], {"compiles_itself": True}, "the script calls torch.compile itself"),
        (
            linear(),
            [FLAT],
            {"differentiates_twice": True},
            "the script differentiates twice, which compiled models cannot",
        ),
        (DataParallel(), [IMAGES], {}, "the model is wrapped in DataParallel"),
        (
            torch.nn.Sequential(torch.jit.trace(linear(), FLAT)),
            [FLAT],
            {},
            "the model holds TorchScript",
        ),
        (
            torch.nn.LSTM(4, 4),
            [FLAT],
            {},
            "the model has recurrent layers, which are faster in cuDNN than compiled",
        ),
        (linear(), [FLAT], {"output_kinds": ("Tensor", "DynamicCache")}, ""),
    ],
)
def test_compile(
    module: torch.nn.Module, calls: list[torch.Tensor], facts: dict[str, Any], reason: str
) -> None:
    assert compile.refuse(case_of(module, *calls, **facts)) == reason


def test_compile_with_hooks() -> None:
    net = torch.nn.Sequential(torch.nn.utils.spectral_norm(linear()))
    assert compile.refuse(case_of(net, FLAT)) == ""
    net.register_forward_hook(lambda *_: None)
    assert (
        compile.refuse(case_of(net, FLAT))
        == "the model has hooks of the script's own, which a trial would call"
    )


def test_compile_without_its_tools(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compile, "find_spec", lambda name: None)
    assert compile.refuse(case_of(linear(), FLAT, device=CUDA)) == "Triton is not installed"
    monkeypatch.setattr(compile.shutil, "which", lambda name: None)
    assert compile.refuse(case_of(linear(), FLAT)) == "no C compiler was found"


@pytest.mark.parametrize(
    ("calls", "facts", "reason"),
    [
        ([FLAT], {}, ""),
        ([FLAT], {"device": CPU}, "no CUDA device in use"),
        ([FLAT], {"calls_of_steps": (4, 4, 4)}, "the model is called several times a step"),
        (
            [FLAT],
            {"output_kinds": ("Tensor", "DynamicCache")},
            "the model returns DynamicCache, which cannot be copied",
        ),
        ([FLAT], {"models": 2}, "several models train together"),
        ([FLAT], {"world_size": 2}, "several ranks train together"),
        (THREE_SHAPES[:2], {}, "shapes change from step to step"),
    ],
)
def test_graphs(calls: list[torch.Tensor], facts: dict[str, Any], reason: str) -> None:
    case = case_of(linear(), *calls, **{"device": CUDA, **facts})
    assert cuda_graphs.refuse(case) == reason
