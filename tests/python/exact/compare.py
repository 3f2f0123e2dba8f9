# SPDX-License-Identifier: Apache-2.0
"""One program, run by plain Pillow and by stoker.pil: result, exception, line and warnings."""

from __future__ import annotations

import types
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

import stoker.pil
from stoker.pil import counters, render


@dataclass(frozen=True)
class Raised:
    """An exception as a program sees it: `line` is the line of the program that it came from."""

    kind: str
    text: str
    line: int


@dataclass(frozen=True)
class Seen:
    result: Any
    warnings: list[tuple[str, str]]


def see(program: Callable[..., Any], *args: Any) -> Seen:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = program(*args)
        except Exception as error:
            line = _line_in(error.__traceback__, program.__code__.co_filename)
            result = Raised(type(error).__name__, str(error), line)
    return Seen(result, [(w.category.__name__, str(w.message)) for w in caught])


def _line_in(traceback: types.TracebackType | None, filename: str) -> int:
    line = 0
    while traceback is not None:
        if traceback.tb_frame.f_code.co_filename == filename:
            line = traceback.tb_lineno
        traceback = traceback.tb_next
    return line


def both(program: Callable[..., Any], *args: Any, native: bool | None = True) -> Any:
    """The result of `program(*args)`, after checking that stoker.pil changes nothing of it.

    `native`: True, some image must have been decoded natively; False, none may have been.
    """
    stoker.pil.uninstall()
    wanted = see(program, *args)
    counters.reset()
    with pytest.MonkeyPatch.context() as patch:
        # Else Pillow's own pixels could stand in for ours.
        patch.setattr(render, "_is_compared", lambda: False)
        stoker.pil.install()
        try:
            got = see(program, *args)
        finally:
            stoker.pil.uninstall()
    assert got == wanted
    if native is not None:
        assert (counters.stats()["images_native"] > 0) == native, counters.stats()
    return got.result
