# SPDX-License-Identifier: Apache-2.0
"""What is known of a script's training when it is decided which levers apply to it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch

    from .driver import Driver

Signature = tuple[Any, ...]
_PLAIN_OUTPUTS = {"Tensor", "Parameter", "NoneType", "bool", "int", "float", "str"}


@dataclass
class Observed:
    """One outermost module as it was called in the first steps."""

    module: torch.nn.Module
    calls_of_steps: list[int] = field(default_factory=list)
    signatures: list[Signature] = field(default_factory=list)
    saw_autocast: bool = False
    last_call: tuple[tuple[Any, ...], dict[str, Any]] | None = None
    output_kinds: set[str] = field(default_factory=set)
    replicas: Any = None  # the DistributedDataParallel that calls it

    @property
    def one_call_a_step(self) -> bool:
        return all(calls == 1 for calls in self.calls_of_steps)

    @property
    def shapes_change(self) -> bool:
        return len(set(self.signatures)) > 1


@dataclass
class Training:
    """What bears on levers of the whole process."""

    device: torch.device
    optimizers: list[Any]
    models: list[Case] = field(default_factory=list)  # none: they were not looked at
    world_size: int = 1
    uses_grad_scaler: bool = False
    compiles_itself: bool = False
    uses_streams: bool = False  # of its own, on the GPU
    loader_workers: bool = False
    differentiates_twice: bool = False

    def has(self, *kinds: type) -> bool:
        return any(case.has(*kinds) for case in self.models)


@dataclass
class Case:
    """One model of the script."""

    observed: Observed
    driver: Driver
    training: Training

    @property
    def module(self) -> torch.nn.Module:
        return self.observed.module

    @property
    def device(self) -> torch.device:
        return self.training.device

    def parameters(self) -> list[torch.nn.Parameter]:
        return list(self.module.parameters())

    def has(self, *kinds: type) -> bool:
        return any(isinstance(module, kinds) for module in self.module.modules())

    def has_hooks(self) -> bool:
        """Of the script's own, on any module; torch has some for spectral_norm and the like."""
        return any(
            not getattr(hook, "__module__", "").startswith("torch.")
            for module in self.module.modules()
            for hooks in (
                module._forward_hooks,
                module._forward_pre_hooks,
                module._backward_hooks,
                module._backward_pre_hooks,
            )
            for hook in hooks.values()
        ) or any(parameter._backward_hooks for parameter in self.parameters())

    def opaque_outputs(self) -> str:
        """Classes of outputs whose tensors, if any, cannot be found, or ""."""
        return ", ".join(sorted(self.observed.output_kinds - _PLAIN_OUTPUTS))

    def opaque_results(self) -> str:
        """The same without caches of keys and values, from which no loss is made."""
        kinds = self.observed.output_kinds - _PLAIN_OUTPUTS
        return ", ".join(sorted(kind for kind in kinds if not kind.endswith("Cache")))

    def wrapper(self) -> str:
        """ "FullyShardedDataParallel" and the like, or ""."""
        name = type(self.module).__name__
        sharded = any(type(p).__name__ == "DTensor" for p in self.module.parameters())
        if name in ("FullyShardedDataParallel", "DataParallel"):
            return name
        return "fully_shard" if sharded else ""
