# SPDX-License-Identifier: Apache-2.0
"""Backward passes and optimizer steps."""

from __future__ import annotations

import torch
from torch.optim.optimizer import (
    register_optimizer_step_post_hook,
    register_optimizer_step_pre_hook,
)

from stoker import _core

from .patch import replace
from .recording import BACKWARD, OPTIMIZER_BEGIN, OPTIMIZER_END, watcher


def watch_backward() -> None:
    """`Tensor.backward` calls `torch.autograd.backward` too."""
    replace(
        torch.autograd, "backward", lambda original: _core.event_probe(original, watcher, BACKWARD)
    )


def watch_optimizers() -> None:
    register_optimizer_step_pre_hook(_core.event_probe(None, watcher, OPTIMIZER_BEGIN))
    register_optimizer_step_post_hook(_core.event_probe(None, watcher, OPTIMIZER_END))
