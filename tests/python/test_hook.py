# SPDX-License-Identifier: Apache-2.0
"""The import hook: what a Python below `stoker run` must not notice."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from watched_script import HOOK, hooked_environment, plain_environment, run

SHOW_PATH = "import sys; print(sys.path, sys.argv, 'sitecustomize' in sys.modules)"


def other_pythons() -> list[str]:
    """Interpreters beside this one, and on PATH, one of each version that starts."""
    found = {}
    beside = Path(sys.base_prefix).parent.glob("*/bin/python3")
    for exe in [*map(str, beside), *map(shutil.which, ("python3.10", "python3.12", "python3.13"))]:
        if exe is None:
            continue
        ask = [exe, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"]
        done = subprocess.run(ask, capture_output=True, text=True)
        version = done.stdout.strip()
        if done.returncode == 0 and version != "{}.{}".format(*sys.version_info[:2]):
            found.setdefault(version, exe)
    return [found[version] for version in sorted(found)]


OTHERS = other_pythons()


def python(*args: str, env: dict[str, str], cwd: Path, exe: str = sys.executable) -> str:
    done = run([exe, *args], env, cwd)
    return f"{done.returncode}\n{done.stdout}\n{done.stderr}"


def both(tmp_path: Path, *args: str, path: str = "", exe: str = sys.executable) -> tuple[str, str]:
    """What `python ARGS` says without the hook, and with it."""
    without = plain_environment(**({"PYTHONPATH": path} if path else {}))
    with_hook = hooked_environment(tmp_path / "run", path)
    return (
        python(*args, env=without, cwd=tmp_path, exe=exe),
        python(*args, env=with_hook, cwd=tmp_path, exe=exe),
    )


@pytest.mark.parametrize("exe", [sys.executable, *OTHERS])
def test_path_and_modules_are_those_of_a_plain_python(tmp_path: Path, exe: str) -> None:
    (tmp_path / "lib").mkdir()
    without, with_hook = both(tmp_path, "-c", SHOW_PATH, path=str(tmp_path / "lib"), exe=exe)
    assert with_hook == without
    assert "False" in without


def test_nothing_heavy_is_imported_before_the_script_asks(tmp_path: Path) -> None:
    code = (
        "import sys; print(sorted({'torch', 'PIL', 'numpy', 'stoker', 'json'} & set(sys.modules)))"
    )
    assert both(tmp_path, "-c", code) == ("0\n[]\n\n", "0\n[]\n\n")


@pytest.mark.parametrize("exe", [sys.executable, *OTHERS])
@pytest.mark.parametrize(
    "body",
    [
        "import sys; sys.custom = __name__, __file__, __spec__.name",
        "raise ValueError('a bad line')",
        "import no_such_module",
        "import sys; sys.exit(3)",
        "raise KeyboardInterrupt",
    ],
)
def test_another_sitecustomize_runs_as_if_it_were_the_only_one(
    tmp_path: Path, exe: str, body: str
) -> None:
    folder = tmp_path / "lib"
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(body + "\n")
    code = (
        "import sys; m = sys.modules.get('sitecustomize');"
        "print(getattr(sys, 'custom', None), m and m.__file__, m and m.__spec__.origin)"
    )
    without, with_hook = both(tmp_path, "-c", code, path=str(folder), exe=exe)
    drop_frames = [line for line in with_hook.splitlines() if str(HOOK) not in line]
    kept = [
        line for line in drop_frames if line.strip() != "import sitecustomize  # noqa: E402, F401"
    ]
    assert [line for line in kept if line.strip("^ ")] == [
        line for line in without.splitlines() if line.strip("^ ")
    ]


def test_children_inherit_the_hook(tmp_path: Path) -> None:
    code = "import os; print(os.environ['PYTHONPATH'])"
    out = python("-c", code, env=hooked_environment(tmp_path / "run"), cwd=tmp_path)
    assert out == f"0\n{HOOK}\n\n"


FAKE_TORCH = "import sys\nloader = __spec__.loader\nseen = [__name__, type(__loader__).__name__]\n"
SHOW_FAKE = (
    "import torch, sys; print(torch.seen, torch.__loader__ is torch.__spec__.loader,"
    " vars(torch.loader), 'stoker' in sys.modules)"
)


def fake_torch(tmp_path: Path) -> str:
    folder = tmp_path / "lib"
    folder.mkdir()
    (folder / "torch.py").write_text(FAKE_TORCH)
    return str(folder)


def faults(tmp_path: Path) -> list[str]:
    path = tmp_path / "run" / "faults.jsonl"
    return [json.loads(line)["error"] for line in path.read_text().splitlines()]


def test_the_module_sees_the_loader_it_would_have_had(tmp_path: Path) -> None:
    without, with_hook = both(tmp_path, "-c", SHOW_FAKE, path=fake_torch(tmp_path))
    assert with_hook == without.replace("False\n", "True\n")  # stoker was loaded, without sys.path
    (fault,) = faults(tmp_path)
    assert "torch" in fault  # this one has no autograd; the script went on


@pytest.mark.parametrize("exe", OTHERS)
def test_an_extension_for_another_python_is_one_fault(tmp_path: Path, exe: str) -> None:
    without, with_hook = both(tmp_path, "-c", SHOW_FAKE, path=fake_torch(tmp_path), exe=exe)
    assert with_hook == without
    (fault,) = faults(tmp_path)
    ours = "{}.{}".format(*sys.version_info[:2])
    start = f"ImportError: built for Python {ours}, this is 3."
    assert fault.startswith(start) and fault.endswith(": the script runs unwatched")
    assert fault.count(ours) == 1


@pytest.mark.parametrize("flag", ["-I", "-E", "-S"])
def test_flags_that_shut_the_hook_out(tmp_path: Path, flag: str) -> None:
    env = hooked_environment(tmp_path / "run", fake_torch(tmp_path))
    code = f"import sys; print({str(HOOK)!r} in sys.path, len(sys.meta_path))"
    in_path = "True" if flag == "-S" else "False"
    assert python(flag, "-c", code, env=env, cwd=tmp_path).split()[:2] == ["0", in_path]
    assert os.listdir(tmp_path / "run") == []


@pytest.mark.parametrize("change", [{"STOKER_DISABLE": "1"}, {"STOKER_RUN_DIR": ""}])
def test_switched_off(tmp_path: Path, change: dict[str, str]) -> None:
    env = {**hooked_environment(tmp_path / "run", fake_torch(tmp_path)), **change}
    out = python("-c", "import torch, sys; print('stoker' in sys.modules)", env=env, cwd=tmp_path)
    assert out == "0\nFalse\n\n"


def test_a_run_folder_that_cannot_be_written(tmp_path: Path) -> None:
    env = {
        **hooked_environment(tmp_path / "run", fake_torch(tmp_path)),
        "STOKER_RUN_DIR": "/dev/null/run",
    }
    assert python("-c", "import torch; print(1)", env=env, cwd=tmp_path) == "0\n1\n\n"
