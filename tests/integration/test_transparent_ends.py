# SPDX-License-Identifier: Apache-2.0
"""How a command ends below `stoker run`: status, signals, tracebacks and output are its own."""

from __future__ import annotations

import signal
import subprocess
import time
from pathlib import Path

import pytest
from side_by_side import (
    PYTHON,
    STOKER,
    Ended,
    Pair,
    Watched,
    both,
    check_stderr,
    environment,
    execute,
    under_stoker,
    without_frames,
    write,
)

ENDS = {
    "return": "print('fine')",
    "status 1": "import sys; sys.exit(1)",
    "status 3": "import sys; sys.exit(3)",
    "status 255": "import sys; sys.exit(-1)",
    "text": "import sys; sys.exit('what went wrong')",
    "exception": "def f(x):\n    return x['no']\nf({})",
    "chained exceptions": "try:\n    1 / 0\nexcept Exception as e:\n    raise OSError(2) from e",
    "syntax error": "def f(:\n",
    "no such module": "import no_such_module",
    "os._exit": "import os; print('lost'); os._exit(7)",
    "atexit": "import atexit\nfor i in range(3):\n    atexit.register(print, i)\n1 / 0",
    "excepthook": "import sys\nsys.excepthook = lambda *a: print('own', a[0])\n1 / 0",
    "thread": "import threading\nt = threading.Thread(target=lambda: 1 / 0)\nt.start(); t.join()",
    "unraisable": "class A:\n    def __del__(self): 1 / 0\nA()",
    "broken stdout at the end": "import os, sys; sys.stdout.write('x'); os.close(1)",
    "SystemExit in a thread": "import threading, sys\nthreading.Thread(target=sys.exit).start()",
    "KeyboardInterrupt": "raise KeyboardInterrupt",
    "recursion": "import sys\nsys.setrecursionlimit(90)\ndef f(n):\n    f(n + 1)\nf(0)",
    "SIGSEGV": "import os, signal; os.kill(os.getpid(), signal.SIGSEGV)",
    "bad pointer": "import ctypes; ctypes.string_at(0)",
    "faulthandler": "import faulthandler, ctypes; faulthandler.enable(); ctypes.string_at(0)",
    "abort": "import os; os.abort()",
    "SIGKILL": "import os, signal; os.kill(os.getpid(), signal.SIGKILL)",
    "SIGTERM": "import os, signal; os.kill(os.getpid(), signal.SIGTERM)",
    "SIGPIPE": "import signal, os\nsignal.signal(13, signal.SIG_DFL); os.kill(os.getpid(), 13)",
    "real-time signal": "import os, signal; os.kill(os.getpid(), signal.SIGRTMIN + 3)",
}


@pytest.mark.parametrize("source", ENDS.values(), ids=ENDS.keys())
def test_ends_alike(tmp_path: Path, source: str) -> None:
    script = write(tmp_path, "script.py", source)
    pair = both([PYTHON, script], tmp_path)
    watched = pair.check()
    run = watched.run_json()
    assert run["exit_status"] == (
        128 - pair.alone.status if pair.alone.status < 0 else pair.alone.status
    )
    assert run["signal"] == (-pair.alone.status if pair.alone.status < 0 else None)
    assert run["errors"] == []


@pytest.mark.parametrize("command", [["no-such-program"], ["./no/such/file"], ["./notes"]])
def test_a_command_that_cannot_start(tmp_path: Path, command: list[str]) -> None:
    write(tmp_path, "notes", "print(1)")  # without the right to be executed
    in_shell = execute(["sh", "-c", '"$@"', "sh", *command], tmp_path, environment())
    watched = under_stoker(command, tmp_path)
    assert (watched.status, watched.stdout) == (in_shell.status, b"")
    assert watched.stderr.decode().startswith(f"stoker: {command[0]}: ")


COPY = """
    import sys
    data = sys.stdin.buffer.read()
    sys.stdout.buffer.write(data * 3)
    sys.stderr.buffer.write(data[:1000])
    """


def test_streams_pass_bytes_unchanged(tmp_path: Path) -> None:
    script = write(tmp_path, "copy.py", COPY)
    data = bytes(range(255)) * 20_000
    alone = execute([PYTHON, script], tmp_path, environment(), stdin=data)
    watched = under_stoker([PYTHON, script], tmp_path, stdin=data)
    assert len(watched.stdout) == 3 * len(data)
    assert (watched.status, watched.stdout) == (alone.status, alone.stdout)
    assert watched.stderr.startswith(alone.stderr)


def shell_pair(tmp_path: Path, line: str) -> Pair:
    """A line of bash with $RUN in front of the command: empty, or `stoker run`."""
    folder = tmp_path.parent / f"{tmp_path.name}-shell"
    bash = ["bash", "-c", line]
    alone = execute(bash, tmp_path, environment(RUN=""))
    watched = execute(bash, tmp_path, environment(RUN=f"{STOKER} run --out {folder}"))
    return Pair(alone, Watched(watched.status, watched.stdout, watched.stderr, folder))


MANY_LINES = "import sys\nfor i in range(200000):\n    print(i)\n"
LINES = {
    "a reader that stops early": f"$RUN {PYTHON} many.py | head -2; echo ${{PIPESTATUS[0]}}",
    "stderr to a reader that is gone": (
        f"({{ sleep 0.2; $RUN {PYTHON} bad.py; echo $? >&3; }} 2>&1 >/dev/null | true) 3>&1"
    ),
    "closed stdout": f"$RUN {PYTHON} bad.py >&-; echo $?",
    "closed stderr": f"$RUN {PYTHON} bad.py 2>&-; echo $?",
    "closed stdin": f"$RUN {PYTHON} bad.py <&-; echo $?",
    "all closed": f"$RUN {PYTHON} touch.py <&- >&- 2>&-; echo $?; cat touched",
    "full stdout": f"$RUN {PYTHON} bad.py >/dev/full; echo $?",
    "full stderr": f"$RUN {PYTHON} bad.py 2>/dev/full; echo $?",
    "ignored signals": f"trap '' INT TERM; $RUN {PYTHON} handlers.py",
    "no SIGCHLD": f"trap '' CHLD; $RUN {PYTHON} bad.py; echo $?",
    "small files only": f"ulimit -f 0; $RUN {PYTHON} bad.py; echo $?",
    "few open files": f"ulimit -n 12; $RUN {PYTHON} bad.py; echo $?",
    "umask": f"umask 077; $RUN {PYTHON} touch.py; stat -c %a touched",
    "extra open file": f"$RUN {PYTHON} three.py 3>&1",
    "kill 0": "setsid -w bash -c '$RUN bash group.sh'; echo $?",
}


@pytest.mark.parametrize("line", LINES.values(), ids=LINES.keys())
def test_in_a_shell(tmp_path: Path, line: str) -> None:
    write(tmp_path, "many.py", MANY_LINES)
    write(tmp_path, "bad.py", "print('out')\nraise ValueError('bad')")
    write(tmp_path, "touch.py", "open('touched', 'w').write('here')")
    write(tmp_path, "three.py", "import os; os.write(3, b'three')")
    write(
        tmp_path, "handlers.py", "import signal; print(signal.getsignal(2), signal.getsignal(15))"
    )
    write(tmp_path, "group.sh", "trap 'echo got TERM' TERM; kill 0; sleep 0.2; echo end")
    shell_pair(tmp_path, line).check()


WAITS = """
    import os, signal, sys, time
    def note(number, frame):
        os.write(1, b"got %%d\\n" %% number)
        if number in (signal.SIGTERM, signal.SIGINT):
            sys.exit(5)
    for number in %s:
        signal.signal(number, note)
    print("ready", flush=True)
    while True:
        time.sleep(60)
    """


def send(command: list[str], cwd: Path, numbers: list[int]) -> Ended:
    """Starts a command in a group of its own and sends it signals once it is ready."""
    process = subprocess.Popen(
        command,
        cwd=cwd,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    assert process.stdout is not None
    seen = process.stdout.readline()
    time.sleep(0.2)  # it sleeps by then
    for number in numbers:
        process.send_signal(number)
        if number in (signal.SIGUSR1, signal.SIGUSR2, signal.SIGHUP):
            seen += process.stdout.readline()
    stdout, stderr = process.communicate(timeout=60)
    return Ended(process.returncode, seen + stdout, stderr)


@pytest.mark.parametrize("numbers", [[10, 12, 1, 15], [2], [15]])
def test_signals_reach_a_script_that_handles_them(tmp_path: Path, numbers: list[int]) -> None:
    script = write(tmp_path, "waits.py", WAITS % numbers)
    alone = send([PYTHON, script], tmp_path, numbers)
    out = tmp_path / "run"
    watched = send([STOKER, "run", "--out", str(out), PYTHON, script], tmp_path, numbers)
    assert alone.status == 5
    assert alone.stdout.decode().split() == [
        "ready",
        *f"got {' got '.join(map(str, numbers))}".split(),
    ]
    Pair(alone, Watched(watched.status, watched.stdout, watched.stderr, out)).check()


@pytest.mark.parametrize("number", [2, 15, 1, 3, 9, 10])
def test_signals_end_a_script_that_does_not(tmp_path: Path, number: int) -> None:
    script = write(tmp_path, "waits.py", WAITS % [])
    alone = send([PYTHON, script], tmp_path, [number])
    out = tmp_path / "run"
    watched = send([STOKER, "run", "--out", str(out), PYTHON, script], tmp_path, [number])
    assert (watched.status, watched.stdout) == (-number, alone.stdout)
    assert alone.status == -number
    if number == signal.SIGINT:
        assert b"KeyboardInterrupt" in alone.stderr
    check_stderr(at_any_line(watched.stderr), at_any_line(alone.stderr))


def at_any_line(output: bytes) -> bytes:
    return without_frames(output.decode()).encode()


def test_a_killed_stoker_leaves_no_script_behind(tmp_path: Path) -> None:
    write(tmp_path, "pid.py", "import os, time; print(os.getpid(), flush=True); time.sleep(60)")
    process = subprocess.Popen(
        [STOKER, "run", "--out", "run", PYTHON, "pid.py"],
        cwd=tmp_path,
        env=environment(),
        stdout=subprocess.PIPE,
    )
    assert process.stdout is not None
    pid = int(process.stdout.readline())
    process.kill()
    process.wait()
    process.stdout.read()  # ends when the script has
    assert not Path(f"/proc/{pid}/exe").exists()


def test_a_script_by_its_name_gets_an_interpreter(tmp_path: Path) -> None:
    write(tmp_path, "name.py", "import sys; print(sys.argv, sys.executable)")
    env = environment(STOKER_PYTHON=PYTHON)
    watched = under_stoker(["name.py", "--lr", "1", "--", "-x"], tmp_path, env)
    assert watched.stdout.decode() == f"['name.py', '--lr', '1', '--', '-x'] {PYTHON}\n"
