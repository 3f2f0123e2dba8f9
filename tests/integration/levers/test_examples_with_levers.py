# SPDX-License-Identifier: Apache-2.0
"""The examples at small size on a CPU: every lever is applied or refused with a reason, and losses
stay where another number of threads puts them too."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from side_by_side import PYTHON, ROOT, Ended, environment, execute, under_stoker
from under_levers import COMPILED, levers

from stoker.levers.cards import cards

pytestmark = pytest.mark.ci

ALLOW = ["--allow", "rounding"]
STEPS = "60"
# Levers of this class add in another order, and so does another number of threads. ResNet's batch
# normalization over eight images makes much of that (0.1 in a loss after ten steps), the others
# make nothing that six decimals show. So the band is measured: the mean distance of the losses may
# be three times that between plain runs with one thread and with two, plus rounding of the print.
TIMES_SPREAD = 3.0
PRINTED = 1e-4
# A compiled model draws other dropout masks than the plain one: 0.006 here, over losses of 2.2.
OTHER_MASKS = {"bert": 0.02}


def losses(ended: Ended) -> list[float]:
    assert ended.status == 0, ended.stderr.decode()[-2000:]
    return [float(loss) for loss in re.findall(rb"loss (\S+)", ended.stdout)]


def apart(a: list[float], b: list[float]) -> float:
    return sum(abs(x - y) for x, y in zip(a, b, strict=True)) / len(a)


@pytest.mark.parametrize("name", ["resnet50", "vit", "bert", "gpt2"])
def test_example(name: str, tmp_path: Path) -> None:
    if name in ("bert", "gpt2"):
        pytest.importorskip("transformers")
    folder = tmp_path / name
    folder.mkdir()
    script = str(ROOT / "examples" / "models" / f"{name}.py")
    command = [PYTHON, script, "--small", "--steps", STEPS]
    plain, other = (
        losses(execute(command, folder, environment(OMP_NUM_THREADS=threads)))
        for threads in ("1", "2")
    )
    caches = {"STOKER_CACHE": str(folder / "cache"), "TORCHINDUCTOR_CACHE_DIR": COMPILED}
    watched = under_stoker(command, folder, environment(**caches), ALLOW)

    found = levers(watched)
    rounding = {card.id for card in cards().values() if card.change_class in ("exact", "rounding")}
    assert found.keys() - {"native_decoding"} == rounding - {"native_decoding"}
    for lever in found.values():
        assert lever["applied"] or lever["reason"], lever
        assert "ended before" not in lever["reason"] + lever["detail"], lever
    assert found["fused_optimizer"]["applied"]
    assert found["compile"]["applied"] or found["compile"]["reason"].startswith("brought nothing")

    with_levers = losses(watched)
    allowed = OTHER_MASKS.get(name, PRINTED)
    assert len(with_levers) == 6
    assert apart(with_levers, plain) <= TIMES_SPREAD * apart(other, plain) + allowed
    assert watched.errors() == ""
