# SPDX-License-Identifier: Apache-2.0
"""Where errors of stoker's own code go: one line each in the run folder, read when the run ends."""

from __future__ import annotations

import json
import os
from collections.abc import Callable

_reported: set[str] = set()


def append(name: str, record: dict[str, object]) -> None:
    """Add one JSON line to file `name` of the run folder, whole even when processes race."""
    line = (json.dumps(record) + "\n").encode()
    try:
        path = os.path.join(os.environ["STOKER_RUN_DIR"], name)
        file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            os.write(file, line)
        finally:
            os.close(file)
    except (KeyError, OSError):  # a run folder that cannot be written has nowhere to say so
        pass


def report(where: str, error: BaseException | str) -> None:
    """Note an error, once for each place in a process. Never raises."""
    if where in _reported:
        return
    _reported.add(where)
    text = error if isinstance(error, str) else f"{type(error).__name__}: {error}"
    append("faults.jsonl", {"where": where, "error": text, "pid": os.getpid()})


def reporter(where: str) -> Callable[[BaseException], None]:
    return lambda error: report(where, error)
