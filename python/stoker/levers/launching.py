# SPDX-License-Identifier: Apache-2.0
"""Whether the host launches kernels as fast as the GPU runs them.

Where it does not, the time of a step says nothing about a lever that spares the GPU work.
"""

from __future__ import annotations

import time
from typing import Any

import torch

from .case import Case
from .trial import pass_and_back, quiet, untouched

LIMITS_FROM = 0.8  # of the time of a call and its way back
_ROUNDS = 2

# Partly untyped in torch.
_cuda: Any = torch.cuda


def host_share(case: Case) -> float:
    """The share of forward and backward passes of the model, as it is called now, in which the host
    still launches. Of the script's training nothing changes. 0.0 without a GPU or a call to try."""
    call = case.observed.last_call
    if case.device.type != "cuda" or call is None:
        return 0.0

    def run(*args: Any, **kwargs: Any) -> Any:
        return case.driver.call(case.module, args, kwargs)

    with untouched(case.module), quiet():
        pass_and_back(case.module, run, call)
        _cuda.synchronize(case.device)
        start = time.perf_counter()
        for _ in range(_ROUNDS):
            pass_and_back(case.module, run, call)
        launched = time.perf_counter() - start
        _cuda.synchronize(case.device)
        return launched / (time.perf_counter() - start)
