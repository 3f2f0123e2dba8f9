# SPDX-License-Identifier: Apache-2.0
"""What is watched for some steps after a lever went on: NaN and memory."""

from __future__ import annotations

from typing import Any

import torch

from .case import Training

STEPS = 50
_MUCH = 1.2  # times the memory of before
_FREE_SHARE = 0.05  # of the GPU's memory: less is little

# Partly untyped in torch.
_cuda: Any = torch.cuda


class Guard:
    """Outputs of the calls after the first few are looked at on the device, and the answer is read
    later: a wait in each step would hide what levers bring."""

    def __init__(self, training: Training) -> None:
        self._training = training
        self._left = 0
        self._reserved_bytes = 0

    @property
    def on(self) -> bool:
        return self._left > 0

    def begin(self) -> None:
        self._left = STEPS
        self._reserved_bytes = self._reserved()
        for case in self._training.models:
            case.driver.changed()
            case.driver.notes_finite = True

    def step(self) -> str:
        """To be called after each step: why levers must go, or "". Looks at the last one."""
        if self._left == 0:
            return ""
        self._left -= 1
        return self.trouble() if self._left == 0 else ""

    def trouble(self) -> str:
        """Waits for the device."""
        for case in self._training.models:
            if not case.driver.was_finite():
                return "the model's output became NaN or infinite"
            if self._left == 0:
                case.driver.notes_finite = False
        return self._memory_trouble()

    def end(self) -> None:
        self._left = 0
        for case in self._training.models:
            case.driver.forget()

    def _reserved(self) -> int:
        cuda = self._training.device.type == "cuda"
        return int(_cuda.memory_reserved(self._training.device)) if cuda else 0

    def _memory_trouble(self) -> str:
        if not self._reserved_bytes:
            return ""
        now = self._reserved()
        free, total = _cuda.mem_get_info(self._training.device)
        if now <= _MUCH * self._reserved_bytes or free >= _FREE_SHARE * total:
            return ""
        before_gb, now_gb = self._reserved_bytes / 1e9, now / 1e9
        return f"memory grew from {before_gb:.1f} to {now_gb:.1f} GB, which leaves too little free"
