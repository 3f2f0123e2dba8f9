# SPDX-License-Identifier: Apache-2.0
"""Faults around stoker: disks, limits, versions. The script never notices, and its end says so."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from fault_injection import check_said_once, train
from side_by_side import (
    PYTHON,
    STOKER,
    Ended,
    Pair,
    Watched,
    both,
    environment,
    execute,
    write,
)

IN_RUN_DIR = "import glob, shutil; d = os.environ['STOKER_RUN_DIR']; "
SABOTAGE = {
    "the folder goes at the start": ("START", "shutil.rmtree(d)"),
    "the folder goes meanwhile": ("MIDDLE", "shutil.rmtree(d)"),
    "the folder goes at the end": ("END", "shutil.rmtree(d)"),
    "the folder becomes a file": ("END", "shutil.rmtree(d); open(d, 'w').write('file')"),
    "no folder for processes": (
        "START",
        "shutil.rmtree(d + '/processes'); open(d + '/processes', 'w')",
    ),
    "process files go": (
        "MIDDLE",
        "[os.remove(f) for f in glob.glob(d + '/processes/*')]",
    ),
    "process files are cut": (
        "END",
        "[os.truncate(f, 1000) for f in glob.glob(d + '/processes/*')]",
    ),
    "process files hold noise": (
        "END",
        "import random; random.seed(1)\n"
        "for name in glob.glob(d + '/processes/*'):\n"
        "    with open(name, 'r+b') as file:\n"
        "        size = os.path.getsize(name)\n"
        "        file.seek(256); file.write(random.randbytes(size - 256))",
    ),
    "more process files": (
        "END",
        "open(d + '/processes/1-1.stk', 'w'); os.mkdir(d + '/processes/2-2.stk')\n"
        "open(d + '/processes/3-3.stk', 'wb').write(os.urandom(100000))",
    ),
    "the counter cannot be made": ("START", "os.mkdir(d + '/images.count')"),
    "faults are noise": (
        "END",
        "noise = b'[' * 100000 + b']' * 100000 + b'\\n{\\n' + os.urandom(9999) + b'\\n7'\n"
        "open(d + '/faults.jsonl', 'wb').write(noise)",
    ),
    "levers are noise": (
        "END",
        "open(d + '/levers.jsonl', 'ab').write(b'{\"id\": 3}\\n[1]\\n\\xff{' + os.urandom(9999))",
    ),
    "run.json cannot be written": ("END", "os.makedirs(d + '/run.json/x')"),
    "the log cannot be written": ("START", "os.remove(d + '/log.txt'); os.mkdir(d + '/log.txt')"),
    "no more open files": (
        "MIDDLE",
        "import resource; resource.setrlimit(resource.RLIMIT_NOFILE, (12, 12))",
    ),
    "files may not grow": (
        "START",
        "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))",
    ),
}
EXPECTED = {
    "no folder for processes": "Not a directory|File exists",
    "process files are cut": "not a whole process file",
    "more process files": "not a whole process file",
    "run.json cannot be written": "run.json could not be written",
    "the folder becomes a file": "could not be written",
    "the folder goes at the end": "could not be written",
    "files may not grow": "File too large",
}


@pytest.mark.parametrize("name", SABOTAGE)
def test_things_that_happen_to_the_run_folder(training: tuple[Path, Ended], name: str) -> None:
    moment, code = SABOTAGE[name]
    watched = train(training, **{moment: IN_RUN_DIR + code})
    summary = watched.summary()
    assert summary, "a run that cannot be judged says so too"
    if name in EXPECTED:
        assert re.search(EXPECTED[name], summary), summary


def test_options_and_config_are_judged_before_the_script_starts(tmp_path: Path) -> None:
    write(tmp_path, "touch.py", "open('touched', 'w')")
    write(tmp_path, "broken.toml", "[run\nkeep = ")
    write(tmp_path, "wrong.toml", "[run]\nkeep = 'many'\n")
    write(tmp_path, "unknown.toml", "[run]\nspeed = 1\n")
    configs = ["broken.toml", "wrong.toml", "unknown.toml", "missing.toml"]
    wrong = [*(["--config", name] for name in configs), ["--allow", "fast"], ["--keep", "0"]]
    for options in [*wrong, ["--no-such-option"], ["--out", "."]]:
        line = [STOKER, "run", *options, "--", PYTHON, "touch.py"]
        done = execute(line, tmp_path, environment())
        assert (done.status, done.stdout) == (2, b""), options
        assert done.stderr.startswith(b"stoker: "), options
    assert not (tmp_path / "touched").exists()


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=12m", "tmpfs", str(folder)]
    done = subprocess.run(mount, capture_output=True, text=True)
    if done.returncode != 0:
        pytest.skip(f"no small file system can be mounted here: {done.stderr.strip()}")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


FILL = (
    "with open(os.path.join(os.environ['STOKER_RUN_DIR'], '..', 'filler'), 'wb', 0) as file:\n"
    "    try:\n"
    "        while True: file.write(bytes(4096))\n"
    "    except OSError: pass"
)


@pytest.mark.parametrize("moment", ["START", "MIDDLE", "END"])
def test_a_disk_that_fills_up(small_disk: Path, training: tuple[Path, Ended], moment: str) -> None:
    folder, alone = training
    out = small_disk / "run"
    line = [STOKER, "run", "--out", str(out), "--", PYTHON, "train.py"]
    done = execute(line, folder, environment(**{moment: FILL}))
    watched = Watched(done.status, done.stdout, done.stderr, out)
    assert "No space left on device" in Pair(alone, watched).check().summary()


def test_a_disk_that_is_full(small_disk: Path, tmp_path: Path) -> None:
    (small_disk / "filler").write_bytes(bytes(11 << 20))
    write(small_disk, "say.py", "print('said')")
    env = environment(TMPDIR=str(tmp_path))
    done = execute([STOKER, "run", PYTHON, "say.py"], small_disk, env)
    assert (done.status, done.stdout) == (0, b"said\n")
    assert b"temporary folder" in done.stderr and b"No space left" in done.stderr


OLD_TORCH = "__version__ = '2.0.1+cpu'\nprint('old torch')"


def test_a_torch_that_is_too_old(tmp_path: Path) -> None:
    write(tmp_path, "lib/torch.py", OLD_TORCH)
    env = environment(PYTHONPATH=f"{tmp_path}/lib")
    watched = both([PYTHON, "-c", "import torch; print(vars(torch).keys())"], tmp_path, env).check()
    check_said_once(watched, "torch 2.0.1+cpu is older than 2.6")


def test_no_torch(tmp_path: Path) -> None:
    plain = os.path.realpath(PYTHON)
    pair = both([plain, "-c", "import torch"], tmp_path)
    watched = pair.check()
    assert watched.status == 1
    assert watched.run_json()["errors"] == []
    assert "did not import torch" in watched.summary()


def test_a_pillow_that_is_too_old(tmp_path: Path) -> None:
    write(tmp_path, "lib/PIL/__init__.py", "__version__ = '9.4.0'")
    write(
        tmp_path,
        "lib/PIL/Image.py",
        "OPEN = {}\nclass Image: pass\nclass Resampling: pass\ndef preinit(): pass",
    )
    write(tmp_path, "lib/PIL/ImageFile.py", "class ImageFile:\n    def load(self): pass")
    write(tmp_path, "lib/PIL/JpegImagePlugin.py", "class JpegImageFile: pass")
    env = environment(PYTHONPATH=f"{tmp_path}/lib")
    code = "import torch; from PIL import Image; print(Image.OPEN)"
    watched = both([PYTHON, "-c", code], tmp_path, env).check()
    (lever,) = watched.run_json()["levers"]
    assert lever["applied"] is False
    assert "Pillow 9.4.0 is older than 10.1" in lever["reason"]
    assert "Pillow 9.4.0 is older than 10.1" in watched.summary()


def as_somebody(limit: int) -> list[str]:
    """Runs what follows as a user whose number of processes is bounded. Root's never is."""
    capability = "+dac_read_search"
    become = ["setpriv", "--reuid", "54321", "--inh-caps", capability, "--ambient-caps", capability]
    if os.getuid() != 0 or shutil.which("setpriv") is None:
        pytest.skip("only root can become a user that has no other processes")
    line = [*become, "bash", "-c", f'ulimit -u {limit}; exec "$@"', "bash"]
    done = subprocess.run([*line, "true"], capture_output=True, text=True)
    if done.returncode != 0:
        pytest.skip(f"another user cannot be had here: {done.stderr.strip()}")
    return line


THREADLESS = """
    import threading
    try:
        threading.Thread(target=print).start()
    except RuntimeError as error:
        print(error)
    import torch
    model = torch.nn.Linear(1, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x in torch.utils.data.DataLoader(torch.ones(8, 1)):
        model(x).sum().backward()
        optimizer.step()
    print("trained")
    """


@pytest.mark.parametrize("limit", [1, 2], ids=["no process", "no thread"])
def test_threads_and_processes_that_cannot_be_made(tmp_path: Path, limit: int) -> None:
    write(tmp_path, "train.py", THREADLESS)
    tmp_path.chmod(0o777)
    env = environment(PYTHONDONTWRITEBYTECODE="1", TMPDIR=str(tmp_path), HOME=str(tmp_path))
    alone = execute([*as_somebody(1), PYTHON, "train.py"], tmp_path, env)
    line = [*as_somebody(limit), STOKER, "run", "--out", "out", PYTHON, "train.py"]
    done = execute(line, tmp_path, env)
    assert (alone.status, alone.stdout) == (0, b"can't start new thread\ntrained\n")
    Pair(alone, Watched(done.status, done.stdout, done.stderr, tmp_path / "out")).check()


def test_a_data_set_is_made_without_a_second_thread(tmp_path: Path) -> None:
    tmp_path.chmod(0o777)
    made = ["data", "synth", "photos", "--images", "8", "--size", "32x32", "--threads", "4"]
    done = execute([*as_somebody(1), STOKER, *made], tmp_path, environment())
    assert done.status == 0, done.stderr.decode()
    assert len(list(tmp_path.rglob("*.jpg"))) == 8
