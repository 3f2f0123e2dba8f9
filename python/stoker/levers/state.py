# SPDX-License-Identifier: Apache-2.0
"""What a call of a model changes beside its result: buffers, attributes and random state."""

from __future__ import annotations

import random
import sys
from typing import Any

import torch

# Partly untyped in torch.
_cuda: Any = torch.cuda


class State:
    """All of it as it is now. Attributes are kept as they stand: a list that a call appends to
    stays longer."""

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

    def restore(self) -> None:
        torch.set_rng_state(self._cpu)
        if self._gpus:
            _cuda.set_rng_state_all(self._gpus)
        random.setstate(self._python)
        if self._numpy is not None:
            sys.modules["numpy"].random.set_state(self._numpy)
        for attributes, before in self._attributes:
            for name in attributes.keys() - before.keys():
                del attributes[name]
            for name, value in before.items():
                if attributes.get(name) is not value:
                    attributes[name] = value
        with torch.no_grad():
            for buffer, kept in self._values:
                buffer.copy_(kept)
