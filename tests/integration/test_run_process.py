# SPDX-License-Identifier: Apache-2.0
"""`stoker run` as a process: a command behaves under it as it does alone. No torch in here."""

from __future__ import annotations

import os
import pty
import select
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from run_command import ENVIRONMENT, ROOT, STOKER, run, run_json, start, wait_for


@pytest.mark.parametrize("status", [0, 1, 3, 127, 255])
def test_exit_status(tmp_path: Path, status: int) -> None:
    done = run(tmp_path, "sh", "-c", f"exit {status}")
    assert done.returncode == status
    assert run_json(tmp_path)["exit_status"] == status


@pytest.mark.parametrize("name", ["SIGTERM", "SIGSEGV", "SIGABRT", "SIGKILL", "SIGINT", "SIGHUP"])
def test_death_by_signal_looks_as_without(tmp_path: Path, name: str) -> None:
    number = getattr(signal, name)
    done = run(tmp_path, "sh", "-c", f"kill -{number} $$")
    assert done.returncode == -number
    document = run_json(tmp_path)
    assert document["exit_status"] == 128 + number
    assert document["signal"] == number
    assert not list(tmp_path.glob("core*"))


def test_command_that_is_not_there(tmp_path: Path) -> None:
    done = run(tmp_path, "no-such-command")
    assert done.returncode == 127
    assert done.stderr == b"stoker: no-such-command: command not found\n"


def test_file_that_may_not_be_executed(tmp_path: Path) -> None:
    (tmp_path / "plain").write_text("exit 0\n")
    done = run(tmp_path, "./plain")
    assert done.returncode == 126
    assert done.stderr == b"stoker: ./plain: Permission denied\n"


def test_script_without_a_first_line_goes_to_the_shell(tmp_path: Path) -> None:
    script = tmp_path / "plain"
    script.write_text("exit 5\n")
    script.chmod(0o755)
    assert run(tmp_path, "./plain").returncode == 5


def test_output_and_input_are_the_commands_own(tmp_path: Path) -> None:
    done = run(tmp_path, "sh", "-c", "cat; echo err >&2; exit 2", input=b"\x00\xffin")
    assert done.stdout == b"\x00\xffin"
    assert done.stderr.startswith(b"err\nstoker")
    assert all(line.startswith(b"stoker") for line in done.stderr.splitlines()[1:])


def test_quiet_prints_nothing(tmp_path: Path) -> None:
    done = run(tmp_path, "--quiet", "sh", "-c", "echo err >&2")
    assert done.stderr == b"err\n"


def test_environment_is_what_the_contract_says(tmp_path: Path) -> None:
    def environment(*command: str) -> dict[str, str]:
        done = subprocess.run(
            [*command, "env", "-0"],
            cwd=tmp_path,
            env=ENVIRONMENT | {"PYTHONPATH": "/mine"},
            capture_output=True,
        )
        pairs = (entry.split("=", 1) for entry in done.stdout.decode().split("\0") if entry)
        return {name: value for name, value in pairs}

    alone = environment()
    watched = environment(STOKER, "run", "--quiet", "--allow", "random")
    hook = str(ROOT / "python/stoker/hook")
    assert watched.pop("PYTHONPATH") == f"{hook}:/mine"
    assert alone.pop("PYTHONPATH") == "/mine"
    assert watched.pop("STOKER_ALLOW") == "exact,random"
    assert Path(watched.pop("STOKER_RUN_DIR")).parent == tmp_path / "stoker-runs"
    assert watched == alone


def test_python_path_gets_no_empty_entry(tmp_path: Path) -> None:
    done = run(tmp_path, "sh", "-c", 'printf %s "$PYTHONPATH"', env={"PYTHONPATH": ""})
    assert done.stdout.decode() == str(ROOT / "python/stoker/hook")


def test_disable_changes_nothing(tmp_path: Path) -> None:
    done = run(
        tmp_path,
        "sh",
        "-c",
        'echo "$PYTHONPATH$STOKER_RUN_DIR"; exit 4',
        env={"STOKER_DISABLE": "1"},
    )
    assert (done.returncode, done.stdout, done.stderr) == (4, b"\n", b"")
    assert not (tmp_path / "stoker-runs").exists()
    missing = run(tmp_path, "no-such-command", env={"STOKER_DISABLE": "1"})
    assert missing.returncode == 127


def test_script_runs_as_main_with_its_arguments(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import json, sys\n"
        "print(json.dumps([__name__, __file__, sys.argv, sys.path[0], sys.executable]))\n"
    )
    words = ["script.py", "--quiet", "--", "-x", "a b"]
    done = run(tmp_path, *words)
    alone = subprocess.run([sys.executable, *words], cwd=tmp_path, capture_output=True, check=True)
    assert done.stdout == alone.stdout


def test_traceback_is_the_scripts_own(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text("raise ValueError('mine')\n")
    done = run(tmp_path, "--quiet", "script.py")
    alone = subprocess.run([sys.executable, "script.py"], cwd=tmp_path, capture_output=True)
    assert (done.returncode, done.stderr) == (alone.returncode, alone.stderr)


@pytest.mark.parametrize("flag", ["-I", "-E", "-S"])
def test_python_that_cannot_be_watched_runs_and_that_is_said(tmp_path: Path, flag: str) -> None:
    done = run(tmp_path, sys.executable, flag, "-c", "print(1)")
    assert (done.returncode, done.stdout) == (0, b"1\n")
    assert f"not attached: python {flag}" in done.stderr.decode()
    document = run_json(tmp_path)
    assert document["attached"] is False
    assert document["verdict"]["kind"] == "unclear"


@pytest.mark.parametrize(
    "name", ["SIGTERM", "SIGHUP", "SIGINT", "SIGQUIT", "SIGUSR1", "SIGUSR2", "SIGWINCH"]
)
def test_signals_go_on_to_the_command(tmp_path: Path, name: str) -> None:
    code = (
        "import signal, sys, time\n"
        f"signal.signal(signal.{name}, lambda *_: sys.exit(9))\n"
        "print('ready', flush=True)\n"
        "while True: time.sleep(0.01)\n"
    )
    process = start(tmp_path, "--quiet", sys.executable, "-S", "-c", code)
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    process.send_signal(getattr(signal, name))
    assert process.wait(30) == 9
    process.communicate()


def test_signal_that_the_caller_ignores_stays_ignored(tmp_path: Path) -> None:
    code = "import signal; print(signal.getsignal(signal.SIGHUP) == signal.SIG_IGN)"
    command = f"trap '' HUP; exec {STOKER} run --quiet {sys.executable} -S -c '{code}'"
    done = subprocess.run(["sh", "-c", command], cwd=tmp_path, env=ENVIRONMENT, capture_output=True)
    assert done.stdout == b"True\n"


def test_ctrl_c_on_a_terminal_reaches_the_command_once(tmp_path: Path) -> None:
    code = (
        "import signal, sys, time\n"
        "seen = []\n"
        "signal.signal(signal.SIGINT, lambda *_: seen.append(1))\n"
        "print('ready', flush=True)\n"
        "while not seen: time.sleep(0.01)\n"
        "time.sleep(0.3)\n"
        "print('seen', len(seen), flush=True)\n"
    )
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(tmp_path)
        os.execve(STOKER, [STOKER, "run", sys.executable, "-S", "-c", code], ENVIRONMENT)
    output = b""
    sent = False
    while select.select([terminal], [], [], 30)[0]:
        try:
            output += os.read(terminal, 4096)
        except OSError:  # Linux says so when the other side has closed
            break
        if b"ready" in output and not sent:
            os.write(terminal, b"\x03")
            sent = True
    _, status = os.waitpid(pid, 0)
    os.close(terminal)
    assert b"seen 1\r\n" in output
    assert os.waitstatus_to_exitcode(status) == 0
    assert b"\x1b[1mUNCLEAR" in output  # a terminal gets colours


def test_command_dies_with_stoker(tmp_path: Path) -> None:
    process = start(tmp_path, "sh", "-c", "echo $$; exec sleep 60")
    assert process.stdout is not None
    child = int(process.stdout.readline())
    process.kill()
    process.wait(30)

    def gone() -> bool:
        try:
            return Path(f"/proc/{child}/stat").read_text().split()[2] == "Z"
        except FileNotFoundError:
            return True

    wait_for(gone)
    process.communicate()


def test_background_children_of_the_command_are_left_alone(tmp_path: Path) -> None:
    done = run(
        tmp_path, "--quiet", "sh", "-c", "(sleep 0.5; echo late > late) >/dev/null 2>&1 & exit 0"
    )
    assert done.returncode == 0
    wait_for((tmp_path / "late").exists)
