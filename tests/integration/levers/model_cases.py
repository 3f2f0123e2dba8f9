# SPDX-License-Identifier: Apache-2.0
"""Models that a lever must leave alone, or be taken off from."""

from __future__ import annotations

import sys
from typing import Any

import torch
from case_runner import case, main, mlp, sgd, train
from torch import Tensor, nn

TRIED = 40  # steps after which levers are tried and measured


@case
def compiles_itself() -> None:
    model = mlp()
    train(torch.compile(model, backend="eager"), sgd(model))


@case
def compiles_in_place() -> None:
    model = mlp()
    model.compile(backend="eager")
    train(model, sgd(model))


@case
def forward_hook() -> None:
    model, calls = mlp(), []
    model[0].register_forward_hook(lambda *_: calls.append(1))
    train(model, sgd(model))
    print(len(calls))


@case
def backward_hook() -> None:
    model, calls = mlp(), []
    model[2].register_full_backward_hook(lambda *_: calls.append(1))
    train(model, sgd(model))
    print(len(calls))


@case
def torchscript() -> None:
    model = nn.Sequential(torch.jit.script(nn.Linear(6, 4)), nn.Linear(4, 2))
    train(model, sgd(model))


class Tagger(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.lstm, self.head = nn.LSTM(6, 8, batch_first=True), nn.Linear(8, 2)

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = self.head(self.lstm(x[:, None])[0])
        return out


@case
def lstm() -> None:
    model = Tagger()
    train(model, sgd(model))


def _one_rank() -> None:
    store = torch.distributed.HashStore()
    torch.distributed.init_process_group("gloo", store=store, rank=0, world_size=1)


@case
def ddp() -> None:
    _one_rank()
    model = nn.parallel.DistributedDataParallel(Pictures(), find_unused_parameters=True)
    train(model, sgd(model), [torch.randn(8, 6) for _ in range(8)])
    torch.distributed.destroy_process_group()


@case
def data_parallel() -> None:
    model = nn.DataParallel(Pictures())
    train(model, sgd(model))


class Pictures(nn.Module):
    """2-d convolutions, but no input with four dimensions."""

    def __init__(self) -> None:
        super().__init__()
        self.conv, self.head = nn.Conv2d(1, 4, 3, padding=1), nn.Linear(24, 2)

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = self.head(self.conv(x.view(-1, 1, 2, 3)).flatten(1))
        return out


@case
def flat_pictures() -> None:
    model = Pictures()
    model.register_forward_hook(lambda *_: None)  # no compile
    train(model, sgd(model))


@case
def in_this_layout() -> None:
    conv = nn.Conv2d(3, 4, 3).to(memory_format=torch.channels_last)  # type: ignore[call-overload]
    model = nn.Sequential(conv, nn.Flatten(), nn.Linear(64, 2))
    model.register_forward_hook(lambda *_: None)
    images = torch.randn(4, 3, 6, 6).to(memory_format=torch.channels_last)
    train(model, sgd(model), [images] * 8)


class Volumes(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.flat, self.deep = nn.Conv2d(2, 4, 3), nn.Conv3d(4, 2, (1, 2, 2))

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = self.deep(self.flat(x)[:, :, None])
        return out


@case
def volumes() -> None:
    model = Volumes()
    model.register_forward_hook(lambda *_: None)
    train(model, sgd(model), [torch.randn(2, 2, 6, 6)] * 8)


@case
def kinds_change() -> None:
    """Batches, and batches of sequences."""
    model = mlp()
    train(model, sgd(model), [torch.randn(8, 6), torch.randn(2, 4, 6)] * 4)


class Boxes:
    def __init__(self, found: Tensor) -> None:
        self.found = found


class Detector(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.net = mlp()

    def forward(self, x: Tensor) -> Boxes:
        return Boxes(self.net(x))


@case
def opaque_output() -> None:
    model = Detector()
    train(lambda x: model(x).found, sgd(model), steps=TRIED)


@case
def frozen() -> None:
    model, scale = mlp().requires_grad_(False), nn.Parameter(torch.ones(2))
    train(lambda x: model(x) * scale, torch.optim.SGD([scale], lr=0.1, foreach=False))


@case
def evaluating() -> None:
    model = mlp().eval()
    train(model, sgd(model))


class Doubtful(nn.Module):
    """Says another thing when it is compiled."""

    def __init__(self, spoil: Any) -> None:
        super().__init__()
        self.net, self.spoil = mlp(), spoil
        self.compiled_calls: Tensor
        self.register_buffer("compiled_calls", torch.zeros(()))

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = self.net(x)
        if torch.compiler.is_compiling():
            self.compiled_calls += 1
            return self.spoil(out, self.compiled_calls)  # type: ignore[no-any-return]
        return out


def _doubtful(spoil: Any) -> None:
    model = Doubtful(spoil)
    train(model, sgd(model), steps=TRIED)
    print(model.compiled_calls.item())


@case
def lies() -> None:
    _doubtful(lambda out, calls: out * 1.1)


@case
def lies_in_gradients() -> None:
    _doubtful(lambda out, calls: out * 2 - out.detach())


@case
def nan() -> None:
    _doubtful(lambda out, calls: out / 0)


@case
def other_shapes() -> None:
    _doubtful(lambda out, calls: out[:, :1])


@case
def nan_later() -> None:
    """From the fourth compiled call on. A lever may round, so this has a tolerance."""
    model = Doubtful(lambda out, calls: torch.where(calls > 3, out / 0, out))
    train(model, sgd(model), steps=TRIED)


@torch.library.custom_op("cases::half", mutates_args=())
def half(x: Tensor) -> Tensor:
    return x / 2


half.register_autograd(lambda context, gradient: gradient / 2)


@half.register_fake
def _(x: Tensor) -> Tensor:
    raise ValueError("nobody knows its shape")


class Unknown(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.net = mlp()

    def forward(self, x: Tensor) -> Tensor:
        return half(self.net(x))  # type: ignore[no-any-return]


@case
def cannot_be_compiled() -> None:
    model = Unknown()
    train(model, sgd(model), steps=TRIED)


@case
def no_compiler() -> None:
    model = mlp()
    train(model, sgd(model))


@case
def no_steps() -> None:
    sgd(mlp())
    print("nothing to train")


@case
def two_steps() -> None:
    model = mlp()
    train(model, sgd(model), steps=2)


@case
def five_steps() -> None:
    model = mlp()
    train(model, sgd(model), steps=5)


if __name__ == "__main__":
    main(sys.argv[1:])
