# SPDX-License-Identifier: Apache-2.0
"""What a Python below `stoker run` sees of itself: the same as alone, however it is started."""

from __future__ import annotations

import json
import subprocess
import sys
import venv
from pathlib import Path
from typing import Any

import pytest
from side_by_side import (
    HOOK,
    PYTHON,
    STOKER,
    Pair,
    both,
    environment,
    execute,
    write,
)

# Printed before the script has imported anything that was not there at the start.
MIRROR = """
import sys
modules = sorted(sys.modules)
import os, json, signal, threading, warnings, gc, resource, __main__
spec = __main__.__spec__
print(json.dumps({
    "modules": modules,
    "argv": sys.argv,
    "orig_argv": getattr(sys, "orig_argv", None),
    "path": sys.path,
    "cached paths": sorted(sys.path_importer_cache),
    "meta_path": [getattr(f, "__name__", type(f).__name__) for f in sys.meta_path],
    "path_hooks": len(sys.path_hooks),
    "executable": [sys.executable, sys.prefix, sys.exec_prefix, sys.base_prefix],
    "flags": str(sys.flags),
    "main": sorted(vars(__main__)),
    "file": getattr(__main__, "__file__", None),
    "spec": spec and [spec.name, spec.origin, spec.parent],
    "package": __main__.__package__,
    "environment": dict(os.environ),
    "excepthook": sys.excepthook is sys.__excepthook__,
    "displayhook": sys.displayhook is sys.__displayhook__,
    "recursion": sys.getrecursionlimit(),
    "filters": list(map(str, warnings.filters)),
    "handlers": {n: str(signal.getsignal(n)) for n in range(1, 32)},
    "blocked": sorted(signal.pthread_sigmask(signal.SIG_BLOCK, [])),
    "threads": [t.name for t in threading.enumerate()],
    "gc": [gc.isenabled(), gc.get_threshold()],
    "trace": [str(sys.gettrace()), str(sys.getprofile())],
    "files": sorted(map(int, os.listdir("/proc/self/fd")))[:-1],
    "limits": [resource.getrlimit(n) for n in range(12)],
    "place": [os.getcwd(), os.getsid(0), os.getpgid(0) == os.getpgid(os.getppid())],
    "nice": os.nice(0),
    "cpus": sorted(os.sched_getaffinity(0)),
    "stdio": [s.encoding + s.errors + str(s.line_buffering) for s in (sys.stdout, sys.stderr)],
    "terminal": [os.isatty(n) for n in range(3)],
    "sitecustomize": str(sys.modules.get("sitecustomize")),
}))
"""
WATCHED_VARIABLES = {"STOKER_RUN_DIR", "STOKER_ALLOW", "PYTHONPATH"}


def check_mirror(pair: Pair, attached: bool = True) -> dict[str, Any]:
    """Compares what MIRROR printed. Gives what it printed alone."""
    assert pair.watched.status == pair.alone.status == 0, pair.watched.stderr.decode()
    alone = json.loads(pair.alone.stdout)
    watched = json.loads(pair.watched.stdout)
    before, after = alone.pop("environment"), watched.pop("environment")
    changed = {name for name in {*before, *after} if before.get(name) != after.get(name)}
    assert changed == WATCHED_VARIABLES
    path = before.get("PYTHONPATH")
    assert after["PYTHONPATH"] == (f"{HOOK}:{path}" if path else HOOK)
    if attached:
        assert watched.pop("meta_path") == ["_Waiter", *alone.pop("meta_path")]
    assert watched == alone
    return {**alone, "environment": before}


STARTS = {
    "script": ["mirror.py", "a", "--b=1"],
    "absolute": ["{folder}/sub/mirror.py"],
    "module": ["-m", "pkg", "x"],
    "module in a package": ["-m", "pkg.inner", "-m"],
    "command": ["-c", MIRROR, "-c"],
    "stdin": ["-", "y"],
    "folder": ["app"],
    "safe path": ["-P", "mirror.py"],
    "no user site": ["-s", "mirror.py"],
    "options": ["-OO", "-B", "-u", "-X", "utf8", "-W", "ignore", "-q", "mirror.py"],
    "dev mode": ["-X", "dev", "mirror.py"],
    "all warnings are errors": ["-W", "error", "mirror.py"],
}


def lay_out(folder: Path) -> None:
    for name in (
        "mirror.py",
        "sub/mirror.py",
        "pkg/__main__.py",
        "pkg/inner.py",
        "app/__main__.py",
    ):
        write(folder, name, MIRROR)
    write(folder, "pkg/__init__.py", "")


@pytest.mark.parametrize("start", STARTS.values(), ids=STARTS.keys())
def test_started_in_any_way(tmp_path: Path, start: list[str]) -> None:
    lay_out(tmp_path)
    words = [word.replace("{folder}", str(tmp_path)) for word in start]
    check_mirror(both([PYTHON, *words], tmp_path, stdin=MIRROR.encode()))


def test_a_users_pythonpath_stays_behind_the_hook(tmp_path: Path) -> None:
    lay_out(tmp_path)
    env = environment(PYTHONPATH=f"{tmp_path}/lib:{tmp_path}/lib2", PYTHONHASHSEED="3")
    alone = check_mirror(both([PYTHON, "sub/mirror.py"], tmp_path, env))
    assert alone["path"][1:3] == [f"{tmp_path}/lib", f"{tmp_path}/lib2"]


@pytest.mark.parametrize("flag", ["-I", "-E", "-S", "-IS"])
def test_flags_that_keep_stoker_out(tmp_path: Path, flag: str) -> None:
    lay_out(tmp_path)
    pair = both([PYTHON, flag, "mirror.py"], tmp_path)
    if "S" in flag and "I" not in flag:
        # PYTHONPATH is read, but nothing takes the folder out again.
        seen = json.loads(pair.watched.stdout)
        seen["path"].remove(HOOK)
        seen["cached paths"] = [path for path in seen["cached paths"] if path != HOOK]
        pair.watched.stdout = json.dumps(seen).encode()
    check_mirror(pair, attached=False)
    summary = pair.watched.summary()
    assert f"not attached: python -{flag[1]}" in summary
    run = pair.watched.run_json()
    assert (run["attached"], run["verdict"]["kind"]) == (False, "unclear")


CHILDREN = """
    import multiprocessing, os, subprocess, sys, threading, concurrent.futures

    def show(x):
        import __main__
        names = sorted(n for n in sys.modules if "stoker" in n or "custom" in n)
        return x, sys.argv[1:], sys.path, names, getattr(__main__, "__file__", None)

    if __name__ == "__main__":
        for method in ("fork", "spawn", "forkserver"):
            context = multiprocessing.get_context(method)
            with context.Pool(1) as pool:
                print(method, pool.map(show, [1, 2]))
            process = context.Process(target=sys.exit, args=(4,))
            process.start(); process.join()
            print(process.exitcode)
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            print(sorted(map(str, pool.map(show, [1, 2]))))
        code = "import sys; print(sys.path, sys.argv, sorted(sys.modules)); sys.exit(6)"
        for environment in (None, {}, {"PATH": os.environ["PATH"]}):
            command = [sys.executable, "-c", code]
            print(subprocess.run(command, env=environment, capture_output=True))
        print(os.system("exit 3"), os.popen("echo $0").read())
        pid = os.fork()
        if pid == 0:
            os._exit(9)
        print(os.waitpid(pid, 0)[1])
        sys.stdout.flush()
        os.execv(sys.executable, [sys.executable, "-c", "import sys; print(sys.path); sys.exit(8)"])
    """


def test_children_of_every_kind(tmp_path: Path) -> None:
    script = write(tmp_path, "children.py", CHILDREN)
    pair = both([PYTHON, script], tmp_path)
    assert pair.alone.status == 8
    pair.check()


def test_shell_scripts_and_shebangs(tmp_path: Path) -> None:
    lay_out(tmp_path)
    write(tmp_path, "train.sh", f'cd sub\nexec {PYTHON} mirror.py "$@"\n')
    check_mirror(both(["bash", "train.sh", "a b"], tmp_path))
    direct = tmp_path / "direct"
    direct.write_text(f"#!{PYTHON} -u\n" + MIRROR)
    direct.chmod(0o755)
    check_mirror(both(["./direct", "z"], tmp_path))
    check_mirror(both(["env", "-u", "HOME", PYTHON, "mirror.py"], tmp_path))


@pytest.fixture(scope="module")
def other_venv(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One that has torch, but not stoker."""
    folder = tmp_path_factory.mktemp("venv")
    venv.create(folder, symlinks=True, with_pip=False)
    version = f"python{sys.version_info[0]}.{sys.version_info[1]}"
    packages = folder / "lib" / version / "site-packages"
    ours = Path(PYTHON).parent.parent / "lib" / version / "site-packages"
    for entry in ours.iterdir():
        if "stoker" not in entry.name and not entry.name.endswith(".pth"):
            (packages / entry.name).symlink_to(entry)
    return folder


def test_another_environments_interpreter(tmp_path: Path, other_venv: Path) -> None:
    lay_out(tmp_path)
    check_mirror(both([str(other_venv / "bin/python"), "mirror.py"], tmp_path))
    python = str(other_venv / "bin/python")
    assert execute([python, "-c", "import stoker"], tmp_path, environment()).status == 1
    write(tmp_path, "train.py", TINY_STEP)
    pair = both([python, "train.py"], tmp_path)
    run = pair.check().run_json()
    assert (run["attached"], run["steps"]["count"], run["errors"]) == (True, 3, [])


TINY_STEP = """
    import torch
    torch.manual_seed(0)
    model = torch.nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x in torch.utils.data.DataLoader(torch.randn(12, 2), batch_size=4):
        loss = model(x).square().mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        print(loss.item())
    """


def other_versions() -> dict[str, str]:
    """Interpreters of other versions: those of the system, and those installed beside this one."""
    beside = Path(sys.base_prefix).parent.glob("*/bin/python3")
    found: dict[str, str] = {}
    for python in ["/usr/bin/python3", *map(str, sorted(beside))]:
        try:
            ask = [python, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"]
            version = subprocess.run(ask, capture_output=True, text=True).stdout.strip()
        except OSError:
            continue
        if version and version != "{}.{}".format(*sys.version_info[:2]):
            found.setdefault(version, python)
    return found


OTHERS = other_versions()


@pytest.mark.parametrize("python", OTHERS.values(), ids=OTHERS.keys())
def test_other_versions_of_python(tmp_path: Path, python: str) -> None:
    lay_out(tmp_path)
    check_mirror(both([python, "mirror.py"], tmp_path))
    write(tmp_path, "lib/torch.py", "print('torch of', __name__)")
    env = environment(PYTHONPATH=f"{tmp_path}/lib")
    watched = both([python, "-c", "import torch; print(torch)"], tmp_path, env).check()
    assert "built for Python" in watched.summary()


def test_a_working_folder_that_is_gone(tmp_path: Path) -> None:
    """As good as read-only, and so for root too."""
    code = f"{PYTHON} -c 'import os; print(os.listdir(chr(46)))'"
    ended = []
    for run in ("", f"{STOKER} run"):
        folder = tmp_path / "gone"
        folder.mkdir()
        line = ["sh", "-c", f'rmdir "$PWD"; exec {run} {code}']
        ended.append(execute(line, folder, environment(TMPDIR=str(tmp_path))))
    assert (ended[1].status, ended[1].stdout) == (ended[0].status, ended[0].stdout) == (0, b"[]\n")
    assert b"temporary folder" in ended[1].stderr
    (made,) = tmp_path.glob("stoker-runs-*/*/run.json")
    assert json.loads(made.read_text())["exit_status"] == 0
