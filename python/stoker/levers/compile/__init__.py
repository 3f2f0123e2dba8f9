# SPDX-License-Identifier: Apache-2.0
"""torch.compile of the model's call; `graphs` is the same with CUDA graphs."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import torch

from ..case import Case
from ..trial import Result, compare

_MOST_SHAPES = 2
_compile = torch.compile  # before `start` notices calls of the script's own


def refuse(case: Case) -> str:
    if case.compiles_itself:
        return "the script calls torch.compile itself"
    if case.wrapper():
        # Its trial would exchange gradients or weights that the other ranks do not expect.
        return f"the model is wrapped in {case.wrapper()}"
    if case.has_hooks():
        return "the model has hooks of the script's own, which a trial would call"
    if case.has(torch.jit.ScriptModule):
        return "the model holds TorchScript"
    if case.has(torch.nn.RNNBase):
        return "the model has recurrent layers, which are faster in cuDNN than compiled"
    if len(set(case.observed.signatures)) > _MOST_SHAPES:
        return "shapes change from step to step"
    return _no_compiler(case)


def _no_compiler(case: Case) -> str:
    if case.device.type == "cuda" and find_spec("triton") is None:
        return "Triton is not installed"
    if not any(shutil.which(name) for name in ("cc", "gcc", "clang", "c++", "g++")):
        return "no C compiler was found"
    return ""


def refuse_graphs(case: Case) -> str:
    if case.device.type != "cuda":
        return "no CUDA device in use"
    if not case.observed.one_call_a_step:
        return "the model is called several times a step"
    if case.models > 1:
        return "several models train together"
    if case.opaque_outputs():
        return f"the model returns {case.opaque_outputs()}, which cannot be copied"
    if case.world_size > 1:
        return "several ranks train together"
    if case.observed.shapes_change:
        return "shapes change from step to step"
    return ""


def attempt(case: Case, graphs: bool) -> tuple[Result, Callable[..., Any]]:
    """A compiled call and how its trial went. Takes seconds to minutes."""
    assert case.observed.last_call is not None
    driver = case.driver
    mode = "reduce-overhead" if graphs else "default"
    compiled = _compile(case.module._call_impl, mode=mode, dynamic=False)

    def plain(*args: Any, **kwargs: Any) -> Any:
        driver.compiled = None
        return driver.call(case.module, args, kwargs)

    def exact(*args: Any, **kwargs: Any) -> Any:
        return case.module._call_impl(*args, **kwargs)  # type: ignore[no-untyped-call]

    def changed(*args: Any, **kwargs: Any) -> Any:
        use(case, compiled, graphs)
        with driver.strictly():
            return driver.call(case.module, args, kwargs)

    undo = driver.use_compiled(driver.compiled, driver.compiled_for, driver.graphs)
    try:
        result = compare(
            case.module, plain, changed, exact, case.observed.last_call, 3 if graphs else 1
        )
    finally:
        undo()
    return result, compiled


def use(case: Case, compiled: Callable[..., Any], graphs: bool) -> Callable[[], None]:
    return case.driver.use_compiled(compiled, set(case.observed.signatures), graphs)
