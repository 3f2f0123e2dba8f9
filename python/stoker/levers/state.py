# SPDX-License-Identifier: Apache-2.0
"""What a call of a model changes beside its result: buffers, attributes and random state."""

from __future__ import annotations

import operator
import random
import sys
from typing import Any

import torch

# Partly untyped in torch.
_cuda: Any = torch.cuda


_OF_EVERY_MODULE = frozenset(vars(torch.nn.Module()))


class State:
    """All of it as it is now: lists, dicts and sets among attributes with what is in them, but not
    what these hold in turn."""

    def __init__(self, module: torch.nn.Module) -> None:
        self._cpu = torch.get_rng_state()
        self._gpus = _cuda.get_rng_state_all() if _cuda.is_initialized() else []
        self._python = random.getstate()
        numpy = sys.modules.get("numpy")
        self._numpy = None if numpy is None else numpy.random.get_state()
        self._values = [(buffer, buffer.detach().clone()) for buffer in module.buffers()]
        self._attributes = [
            (attributes, dict(attributes))
            for part in module.modules()
            for attributes in (vars(part), part._buffers)
        ]
        own = [
            value
            for part in module.modules()
            for name, value in vars(part).items()
            if name not in _OF_EVERY_MODULE
        ]
        self._generators = [(g, g.get_state()) for g in own if isinstance(g, torch.Generator)]
        self._kept: list[tuple[Any, Any]] = [
            (value, value.copy()) for value in own if type(value) in (list, dict, set)
        ]

    def restore(self) -> None:
        torch.set_rng_state(self._cpu)
        if self._gpus:
            _cuda.set_rng_state_all(self._gpus)
        random.setstate(self._python)
        if self._numpy is not None:
            sys.modules["numpy"].random.set_state(self._numpy)
        for generator, state in self._generators:
            generator.set_state(state)
        for value, before in self._kept:
            _refill(value, before)
        for attributes, before in self._attributes:
            for name in attributes.keys() - before.keys():
                del attributes[name]
            for name, value in before.items():
                if attributes.get(name) is not value:
                    attributes[name] = value
        with torch.no_grad():
            for buffer, kept in self._values:
                buffer.copy_(kept)


def _refill(value: Any, before: Any) -> None:
    if _is_as(value, before):
        return
    value.clear()
    value.extend(before) if isinstance(value, list) else value.update(before)


def _is_as(value: Any, before: Any) -> bool:
    """Whether both hold the same things. A dict that is written anew makes torch compile again."""
    if len(value) != len(before):
        return False
    if isinstance(value, list):
        return all(map(operator.is_, value, before))
    if isinstance(value, dict):
        pairs = zip(value.items(), before.items(), strict=True)
        return all(a is b and x is y for (a, x), (b, y) in pairs)
    return bool(value == before)
