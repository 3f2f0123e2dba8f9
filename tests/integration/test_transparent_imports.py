# SPDX-License-Identifier: Apache-2.0
"""The import hook beside others that Python runs at its start, and a torch that fails."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from side_by_side import HOOK, PYTHON, both, environment, write

TWO_CUSTOMS = "import sys; sys.customs = getattr(sys, 'customs', []) + [(__name__, __file__)]"


@pytest.mark.parametrize(
    "names", [["sitecustomize"], ["usercustomize"], ["sitecustomize", "usercustomize"]]
)
def test_other_customize_modules_run_once(tmp_path: Path, names: list[str]) -> None:
    for name in names:
        write(tmp_path, f"lib/{name}.py", TWO_CUSTOMS)
    write(
        tmp_path,
        "show.py",
        "import sys; print(sys.customs, [n for n in sys.modules if 'cus' in n])",
    )
    # In a virtual environment Python leaves usercustomize out.
    python = os.path.realpath(PYTHON)
    env = environment(PYTHONPATH=f"{tmp_path}/lib")
    pair = both([python, "show.py"], tmp_path, env)
    pair.check()
    assert [f"'{name}'" in pair.alone.stdout.decode() for name in names] == [True] * len(names)


@pytest.mark.parametrize(
    "body", ["raise ValueError('bad')", "import no_such", "import sys; sys.exit(3)"]
)
def test_a_sitecustomize_that_fails(tmp_path: Path, body: str) -> None:
    write(tmp_path, "lib/sitecustomize.py", body)
    pair = both([PYTHON, "-c", "print(1)"], tmp_path, environment(PYTHONPATH=f"{tmp_path}/lib"))
    # The traceback of a fatal one also names the file that looks for it.
    for ended in (pair.alone, pair.watched):
        lines = ended.stderr.decode().splitlines(keepends=True)
        kept = [line for line in lines if HOOK not in line and "sitecustomize  #" not in line]
        ended.stderr = "".join(line for line in kept if line.strip(" ^\n")).encode()
    pair.check()


BROKEN_TORCH = {
    "raises": "def f():\n    raise ValueError('deep')\nf()",
    "misses a library": "import libtorch_that_is_not_there",
    "syntax": "def f(:",
    "exits": "import sys; sys.exit(5)",
    "interrupted": "raise KeyboardInterrupt",
}


@pytest.mark.parametrize("body", BROKEN_TORCH.values(), ids=BROKEN_TORCH.keys())
def test_a_torch_that_cannot_be_imported(tmp_path: Path, body: str) -> None:
    """The traceback is the same, and so is a second attempt."""
    write(tmp_path, "lib/torch/__init__.py", body)
    write(
        tmp_path,
        "train.py",
        """
        import sys, traceback
        try:
            import torch
        except Exception as error:
            traceback.print_exc()
            print(type(error), error, error.__context__, "torch" in sys.modules)
        import torch
        """,
    )
    both([PYTHON, "train.py"], tmp_path, environment(PYTHONPATH=f"{tmp_path}/lib")).check()


def test_looking_for_torch_without_importing_it(tmp_path: Path) -> None:
    code = """
        import importlib.util, importlib.machinery, sys
        spec = importlib.util.find_spec("torch")
        print(spec.name, spec.origin, type(spec.loader), spec.loader.get_filename())
        print(importlib.util.find_spec("no_such_module"))
        print("torch" in sys.modules, type(sys.meta_path[-1]))
        """
    both([PYTHON, write(tmp_path, "look.py", code)], tmp_path).check()
