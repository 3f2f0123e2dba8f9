# SPDX-License-Identifier: Apache-2.0
"""Two ranks by torchrun under levers: the plain result, by one decision for both."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from trained_twice import Trained, train

# The run folder does not keep what each process said of levers.
KEEPING = ["sh", "-c", '"$@"; s=$?; cp "$STOKER_RUN_DIR/levers.jsonl" . 2>&-; exit $s', "sh"]
TORCHRUN = [str(Path(sys.executable).parent / "torchrun"), "--standalone", "--nproc-per-node", "2"]


# A port that torchrun chose and another program took; a thread of gloo's that still runs at the
# end of a rank, in one of some ten runs without stoker, too.
NOT_OURS = (b"EADDRINUSE", b"terminate called without an active exception")


def torchrun(folder: Path, *args: str) -> Trained:
    for attempt in range(4):
        place = folder / str(attempt)
        place.mkdir()
        trained = train(place, "train_ddp.py", *args, launcher=[*KEEPING, *TORCHRUN])
        said = trained.alone.stderr + trained.levers.stderr
        if not any(text in said for text in NOT_OURS):
            break
    return trained


def said_by_process(trained: Trained) -> list[dict[str, tuple[bool, str]]]:
    """The last word of each process about each lever, without the levers of the launcher."""
    found: dict[int, dict[str, tuple[bool, str]]] = {}
    for line in (trained.folder / "levers/levers.jsonl").read_text().splitlines():
        word = json.loads(line)
        found.setdefault(word["pid"], {})[word["id"]] = (word["applied"], word["reason"])
    return [words for words in found.values() if "compile" in words]


def check_one_decision(trained: Trained) -> None:
    first, second = said_by_process(trained)
    assert {name for name, _ in first.items()} >= {"compile", "fused_optimizer", "bf16"}
    assert first == second
    assert [rank["rank"] for rank in trained.levers.run_json()["ranks"]] == [0, 1]


def test_one_decision_for_both_ranks(tmp_path: Path) -> None:
    trained = torchrun(tmp_path)
    trained.check(1e-3)
    check_one_decision(trained)
    assert trained.lever("fused_optimizer")["applied"]
    trained.check_saved("model.pt", 1e-3)


def test_ranks_that_find_different_things(tmp_path: Path) -> None:
    """What one rank refuses, none applies: here one has a hook on its model."""
    trained = torchrun(tmp_path, "--hook-on-rank", "1")
    trained.check(1e-3)
    check_one_decision(trained)
    assert "hook" in trained.lever("compile")["reason"]
