# SPDX-License-Identifier: Apache-2.0
"""What compiling sets in torch, whatever torch has imported by then."""

from __future__ import annotations

import subprocess
import sys

import pytest

SETS = """
import sys
import torch
{before}
from stoker.levers import compile as lever
for _ in range(2):
    lever._allow_what_plain_models_allow()
configs = [sys.modules[f"torch.{{name}}.config"] for name in ("_functorch", "_dynamo", "_inductor")]
functorch, dynamo, inductor = configs
print(functorch.donated_buffer, dynamo.skip_nnmodule_hook_guards, inductor.fx_graph_cache)
print(torch.compiler.config.cache_key_tag)
"""


def settings(before: str) -> list[str]:
    command = [sys.executable, "-c", SETS.format(before=before)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


@pytest.mark.parametrize("own", ["", "mine"])
def test_code_in_caches_is_kept_apart(own: str) -> None:
    before = f"import torch.compiler.config as c; c.cache_key_tag = {own!r}"
    before += "; import torch._inductor.config"
    assert settings(before) == ["False False True", f"{own}; no donated buffers"]


def test_a_torch_that_cannot_keep_them_apart_reads_none() -> None:
    """No such setting is in older ones."""
    before = "import torch.compiler.config as c, types"
    before += "; old = sys.modules[c.__name__] = types.ModuleType(c.__name__)"
    before += "; old.__spec__, torch.compiler.config = c.__spec__, types.SimpleNamespace("
    before += "cache_key_tag='')"
    assert settings(before) == ["False False False", ""]
