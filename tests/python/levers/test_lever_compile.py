# SPDX-License-Identifier: Apache-2.0
"""What compiling sets in torch, whatever torch has imported by then."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

SETS = """
import sys
from pathlib import Path
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


CACHES = """
import os
import torch
torch.optim.SGD([torch.nn.Parameter(torch.ones(1))], lr=0.1)  # imports the compiler's settings
import torch._dynamo
from stoker.levers import compile as lever
lever.keep_caches()
print(os.environ["TORCHINDUCTOR_CACHE_DIR"])
"""


@pytest.mark.parametrize(
    ("environment", "folder"),
    [
        ({}, "{cache}/inductor"),
        ({"TORCHINDUCTOR_CACHE_DIR": "{cache}/mine"}, "{cache}/mine"),
    ],
)
def test_where_compiled_code_is_kept(
    environment: dict[str, str], folder: str, tmp_path: Path
) -> None:
    env = {**os.environ, "STOKER_CACHE": str(tmp_path)}
    env.pop("TORCHINDUCTOR_CACHE_DIR", None)
    env |= {name: value.format(cache=tmp_path) for name, value in environment.items()}
    command = [sys.executable, "-c", CACHES]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=env)
    assert done.stdout.strip() == folder.format(cache=tmp_path)
