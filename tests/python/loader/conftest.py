# SPDX-License-Identifier: Apache-2.0
"""A small folder of images of every kind, the same for all tests of a process."""

from __future__ import annotations

from pathlib import Path

import pytest
from images import make_folder


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_folder(tmp_path_factory.mktemp("images"), 48)
