# SPDX-License-Identifier: Apache-2.0
"""The compiled model as CUDA graphs: torch.compile in mode reduce-overhead."""

from __future__ import annotations

from collections.abc import Callable

from ..case import Case
from ..compile import attempt
from ..launching import host_share
from ..registry import Refused

SCOPE = "model"
TURN = 90
_HOST_SHARE = 0.5  # below it launching is far from being the limit


def refuse(case: Case) -> str:
    if case.device.type != "cuda":
        return "no CUDA device in use"
    if not case.observed.one_call_a_step:
        return "the model is called several times a step"
    if len(case.training.models) > 1:
        return "several models train together"
    if case.opaque_outputs():
        return f"the model returns {case.opaque_outputs()}, which cannot be copied"
    if case.training.world_size > 1:
        return "several ranks train together"
    if case.observed.shapes_change:
        return "shapes change from step to step"
    return ""


def apply(case: Case) -> Callable[[], None]:
    share = host_share(case)
    if share < _HOST_SHARE:
        raise Refused(f"the host needs {share * 100:.0f} % of the time of the compiled model alone")
    return apply_again(case)


def apply_again(case: Case) -> Callable[[], None]:
    """Without asking whether it can pay: an earlier run found that it does. `compile` need not be
    on for it."""
    return attempt(case, graphs=True)
