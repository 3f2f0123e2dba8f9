# SPDX-License-Identifier: Apache-2.0
"""What `source` may be, as the engine's sources."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from .. import _core

TAR = (".tar",)


def open_source(source: Any, index: str | os.PathLike[str] | None) -> _core.Source:
    """A folder, a tar, a list of tars, or a list of (path, label).

    Raises FileNotFoundError or ValueError with what to do, TypeError for anything else.
    """
    where = b"" if index is None else os.fsencode(index)
    if isinstance(source, (str, bytes, os.PathLike)):
        return _core.open_source(os.fsencode(source), where)
    if not isinstance(source, Sequence) or not source:
        raise TypeError(
            f"source is {type(source).__name__}; give a folder, a tar file, a list of tar files, "
            "or a list of (path, label)"
        )
    if all(isinstance(item, (str, bytes, os.PathLike)) for item in source):
        return _core.open_tars([os.fsencode(item) for item in source], where)
    try:
        paths = [os.fsencode(path) for path, _ in source]
        labels = [int(label) for _, label in source]
    except (TypeError, ValueError) as error:
        raise TypeError(f"a list as source holds (path, label) pairs: {error}") from error
    return _core.list_source(paths, labels, where)
