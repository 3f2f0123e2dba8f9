# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import signal
from pathlib import Path

import pytest
from fault_injection import lay_out_training
from side_by_side import PYTHON, Ended, environment, execute

# A shell that starts tests in the background has these ignored, and scripts would inherit it.
for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):
    if signal.getsignal(number) is signal.SIG_IGN:
        signal.signal(number, signal.SIG_DFL)


@pytest.fixture(scope="module")
def training(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Ended]:
    """A folder with train.py, and how it ends alone."""
    folder = tmp_path_factory.mktemp("training")
    lay_out_training(folder)
    alone = execute([PYTHON, "train.py"], folder, environment())
    assert alone.status == 7, alone.stderr.decode()
    assert len(alone.stdout.splitlines()) == 13
    return folder, alone
