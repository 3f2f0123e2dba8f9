# SPDX-License-Identifier: Apache-2.0
"""torch.compile of the model's call."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import torch

from .. import remembered
from ..case import Case, Signature
from ..driver import kind
from ..registry import Refused
from ..trial import Result, compare

SCOPE = "model"
TURN = 80
_MOST_BREAKS = 20
_CACHE_DIR = "TORCHINDUCTOR_CACHE_DIR"
_TAG = "; no donated buffers"
_compile = torch.compile  # before `seen` notices calls of the script's own


def refuse(case: Case) -> str:
    if case.training.compiles_itself:
        return "the script calls torch.compile itself"
    if case.wrapper():
        # Its trial would exchange gradients or weights that the other ranks do not expect.
        return f"the model is wrapped in {case.wrapper()}"
    if getattr(case.observed.replicas, "find_unused_parameters", False):
        return "DistributedDataParallel looks for unused parameters, which compiling hides"
    if case.has_hooks():
        return "the model has hooks of the script's own, which a trial would call"
    if case.training.differentiates_twice:
        return "the script differentiates twice, which compiled models cannot"
    if case.has(torch.jit.ScriptModule):
        return "the model holds TorchScript"
    if case.has(torch.nn.RNNBase):
        return "the model has recurrent layers, which are faster in cuDNN than compiled"
    if len({kind(shapes) for shapes in case.observed.signatures}) > 1:
        return "kinds of inputs change from step to step"
    return _no_compiler(case)


def _no_compiler(case: Case) -> str:
    if case.device.type == "cuda" and find_spec("triton") is None:
        return "Triton is not installed"
    if not any(shutil.which(name) for name in ("cc", "gcc", "clang", "c++", "g++")):
        return "no C compiler was found"
    return ""


def apply(case: Case) -> Callable[[], None]:
    return attempt(case, graphs=False)


def attempt(case: Case, graphs: bool) -> Callable[[], None]:
    """Compile, try it beside the training, and use it. Takes seconds to minutes."""
    keep_caches()
    _allow_what_plain_models_allow()
    dynamic = case.observed.shapes_change
    mode = "reduce-overhead" if graphs else "default"
    compiled = _compile(case.module._call_impl, mode=mode, dynamic=dynamic)
    breaks = _graph_breaks()
    result = _trial(case, compiled, graphs)
    breaks = _graph_breaks() - breaks
    if not result.ok:
        raise Refused(f"its trial: {result.reason}")
    if breaks > _MOST_BREAKS:
        raise Refused(f"the model's code breaks the graph in {breaks} places")
    return case.driver.use_compiled(compiled, fits(case), graphs)


def note(case: Case) -> str:
    """What a reader of the outcome has to know."""
    dropout = torch.nn.modules.dropout._DropoutNd
    drops = [part for part in case.module.modules() if isinstance(part, dropout)]
    return "dropout draws other random numbers" if any(part.p > 0 for part in drops) else ""


def fits(case: Case) -> Callable[[Signature], bool]:
    """The shapes that were seen; where they change, all of the same kind."""
    seen = set(case.observed.signatures)
    if not case.observed.shapes_change:
        return seen.__contains__
    kinds = {kind(shapes) for shapes in seen}
    return lambda shapes: kind(shapes) in kinds


def keep_caches() -> None:
    """torch keeps compiled code in a temporary folder, which may be gone in the next run."""
    folders: Any = import_module("torch._inductor.runtime.cache_dir_utils")
    named = os.environ.get(_CACHE_DIR)
    # torch puts its own choice into the environment as soon as it is asked for it.
    if not named or named == folders.default_cache_dir():
        os.environ[_CACHE_DIR] = str(remembered.folder() / "inductor")


def _allow_what_plain_models_allow() -> None:
    """Going back twice, and hooks that come later. Some of it is not in every torch."""
    functorch: Any = import_module("torch._functorch.config")
    dynamo: Any = import_module("torch._dynamo.config")
    if hasattr(functorch, "donated_buffer"):
        functorch.donated_buffer = False
        _cache_apart()
    if hasattr(dynamo, "skip_nnmodule_hook_guards"):
        dynamo.skip_nnmodule_hook_guards = False


def _cache_apart() -> None:
    """Code that was compiled with donated buffers writes over what going back twice needs, and
    torch takes it from its cache without looking at that setting."""
    name = "torch.compiler.config"
    config: Any = import_module(name) if find_spec(name) else None
    if not hasattr(config, "cache_key_tag"):
        inductor: Any = import_module("torch._inductor.config")
        inductor.fx_graph_cache = False
    elif not config.cache_key_tag.endswith(_TAG):
        config.cache_key_tag += _TAG


def _graph_breaks() -> int:
    counters = torch._dynamo.utils.counters["graph_break"]
    return sum(counters.values())


def _trial(case: Case, compiled: Callable[..., Any], graphs: bool) -> Result:
    assert case.observed.last_call is not None
    driver = case.driver

    def plain(*args: Any, **kwargs: Any) -> Any:
        driver.compiled = None
        return driver.call(case.module, args, kwargs)

    def exact(*args: Any, **kwargs: Any) -> Any:
        return case.module._call_impl(*args, **kwargs)  # type: ignore[no-untyped-call]

    def changed(*args: Any, **kwargs: Any) -> Any:
        driver.use_compiled(compiled, lambda _: True, graphs)
        return driver.call(case.module, args, kwargs)

    undo = driver.use_compiled(driver.compiled, driver.compiled_for, driver.graphs)
    try:
        return compare(
            case.module, plain, changed, exact, case.observed.last_call, 3 if graphs else 1
        )
    finally:
        undo()
