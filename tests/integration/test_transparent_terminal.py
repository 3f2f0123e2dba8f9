# SPDX-License-Identifier: Apache-2.0
"""A command below `stoker run` owns the terminal as it does alone."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import struct
import subprocess
import termios
import time
from pathlib import Path

import pytest
from side_by_side import PYTHON, STOKER, environment, without_frames, write

SECONDS = 60


class Terminal:
    """A command with a terminal of its own, as a person would start it."""

    def __init__(self, command: list[str], cwd: Path) -> None:
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 33, 111, 0, 0))
        self.process = subprocess.Popen(
            command,
            cwd=cwd,
            env=environment(TERM="dumb", PS1="", HISTFILE=""),
            stdin=slave,
            stdout=slave,
            stderr=slave,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )
        os.close(slave)
        self.seen = ""

    def type(self, keys: str) -> None:
        os.write(self.master, keys.encode())

    def read(self) -> bool:
        """Adds what has come. False when nobody has the terminal open any more."""
        ready, _, _ = select.select([self.master], [], [], SECONDS)
        assert ready, self.seen
        try:
            data = os.read(self.master, 65536)
        except OSError:
            return False
        self.seen += data.decode().replace("\r\n", "\n")
        return bool(data)

    def wait_for(self, text: str) -> None:
        """Reads on until `text` has come, and forgets everything up to it."""
        end = time.monotonic() + SECONDS
        while text not in self.seen:
            assert time.monotonic() < end and self.read(), (text, self.seen)
        self.seen = self.seen.partition(text)[2]

    def end(self) -> tuple[int, str]:
        while self.read():
            pass
        os.close(self.master)
        return self.process.wait(SECONDS), self.seen


SCRIPT = """
    import os, signal, sys, time
    print([os.isatty(n) for n in range(3)], os.get_terminal_size(), os.tcgetpgrp(0) == os.getpgrp())
    print(input("name? "))
    caught = []
    for number in CAUGHT:
        signal.signal(number, lambda n, _: caught.append(n))
    print("ready", flush=True)
    end = time.monotonic() + 30
    while not caught and time.monotonic() < end:
        time.sleep(0.02)
    time.sleep(0.2)
    print("caught", caught)
    """
KEYS = {"ctrl-c": "\x03", "ctrl-backslash": "\x1c"}


def press(command: list[str], cwd: Path, keys: str) -> tuple[int, str]:
    terminal = Terminal(command, cwd)
    terminal.type("ada\n")
    shown = ""
    while "ready" not in terminal.seen:
        assert terminal.read(), terminal.seen
    shown = terminal.seen
    terminal.seen = ""
    terminal.type(keys)
    status, rest = terminal.end()
    return status, shown + rest


def split_summary(text: str) -> tuple[str, list[str]]:
    """What the script wrote, and stoker's lines after it."""
    shown, found, rest = text.partition("stoker  ")  # a key may have left the line open
    lines = (found + rest).splitlines()
    assert all(line.startswith("stoker") for line in lines), text
    return shown, lines


@pytest.mark.parametrize("caught", ["[]", "[2, 3]"], ids=["ends it", "is handled once"])
@pytest.mark.parametrize("keys", KEYS.values(), ids=KEYS.keys())
def test_keys_that_send_signals(tmp_path: Path, keys: str, caught: str) -> None:
    script = write(tmp_path, "script.py", SCRIPT.replace("CAUGHT", caught))
    alone = press([PYTHON, script], tmp_path, keys)
    out = str(tmp_path / "run")
    status, text = press([STOKER, "run", "--out", out, PYTHON, script], tmp_path, keys)
    shown, summary = split_summary(text)
    assert (status, without_frames(shown)) == (alone[0], without_frames(alone[1]))
    assert "[True, True, True]" in shown and "columns=111, lines=33) True" in shown
    assert len(summary) >= 2
    if caught != "[]":
        assert f"caught [{2 if keys == KEYS['ctrl-c'] else 3}]" in shown


def test_hanging_up_ends_it(tmp_path: Path) -> None:
    code = "import os, time; print(os.getpid(), flush=True); time.sleep(60)"
    terminal = Terminal([STOKER, "run", "--out", "run", PYTHON, "-c", code], tmp_path)
    terminal.wait_for("\n") if terminal.seen else terminal.read()
    pid = int(terminal.seen.split()[0])
    os.close(terminal.master)
    terminal.process.wait(SECONDS)
    assert not Path(f"/proc/{pid}/exe").exists()


def test_stopped_and_brought_back(tmp_path: Path) -> None:
    code = "print('first', flush=True); print('second', input(), flush=True)"
    write(tmp_path, "ask.py", code)
    shell = Terminal(["bash", "--norc", "--noprofile", "--noediting", "-i"], tmp_path)
    shell.type(f"stty -echo; {STOKER} run --out run {PYTHON} ask.py; echo status $?\n")
    shell.wait_for("first\n")
    shell.type("\x1a")
    shell.wait_for("Stopped")
    shell.type("jobs; echo '<'$(ps -o stat= --ppid $(jobs -p))'>'\n")
    shell.wait_for("<T")  # the script has stopped too
    shell.type("fg\n")
    shell.type("words\n")
    shell.wait_for("second words\n")
    shell.wait_for("stoker")
    shell.type("exit 0\n")
    status, _ = shell.end()
    assert status == 0
