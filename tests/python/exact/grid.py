# SPDX-License-Identifier: Apache-2.0
"""The exact grid: random files and chains of operations, natively and by plain Pillow.

As a program (`grid.py CASES SEED`) it runs with whatever Pillow is importable and prints one JSON
object, so that several versions of Pillow can be tried.
"""

from __future__ import annotations

import io
import json
import random
import sys
import warnings
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "data"))

import chains
import jpeg_cases
import PIL
from PIL import Image

import stoker.pil
from stoker.pil import counters, render

CHUNK = 40  # cases between two switches of stoker.pil


@dataclass
class Item:
    """`chain`, and then `others`, applied to one opened file; the native path decodes each part
    alone, or, where `whole` says that parts came in several of late, the whole picture at once."""

    case: jpeg_cases.JpegCase
    chain: list[chains.Op]
    how: int = 0
    others: tuple[list[chains.Op], ...] = ()
    whole: bool = False

    def run(self) -> tuple[Any, ...]:
        render._several = float(self.whole)
        try:
            with Image.open(io.BytesIO(self.case.data)) as image:
                first = chains.look(chains.apply(image, self.chain), self.how)
                rest = [chains.look(chains.apply(image, chain), 0) for chain in self.others]
                return (*first, *rest)
        except Exception as error:
            return "raised", type(error).__name__, str(error)


@dataclass
class Outcome:
    cases: int = 0
    differ: list[str] = field(default_factory=list)
    not_native: list[str] = field(default_factory=list)
    native: Counter[str] = field(default_factory=Counter)
    total: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)

    def summary(self) -> dict[str, Any]:
        return {
            "pillow": PIL.__version__,
            "cases": self.cases,
            "native": sum(self.native.values()),
            "native_by_kind": {kind: f"{self.native[kind]}/{n}" for kind, n in self.total.items()},
            "reasons": dict(self.reasons),
            "differ": self.differ[:20],
            "not_native": self.not_native[:20],
        }


def draw_item(rng: random.Random) -> Item:
    case = jpeg_cases.make_case(rng)
    count = rng.choices((0, 1, 3), (8, 1, 1))[0]
    others = tuple(chains.draw_chain(rng, case.size) for _ in range(count))
    chain = chains.draw_chain(rng, case.size)
    return Item(case, chain, rng.randrange(3), others, rng.random() < 0.3)


def run(count: int, seed: int, draw: Callable[[random.Random], Item] = draw_item) -> Outcome:
    """Compares `count` cases. stoker.pil is off when this returns."""
    outcome = Outcome()
    compared = render._is_compared
    render._is_compared = lambda: False  # else Pillow's own pixels could stand in for ours
    try:
        for first in range(0, count, CHUNK):
            numbers = range(first, min(first + CHUNK, count))
            items = [draw(random.Random(f"{seed}/{number}")) for number in numbers]
            _compare(items, outcome, f"seed {seed} from case {first}")
    finally:
        stoker.pil.uninstall()
        render._is_compared = compared
        render._several = 0.0
    return outcome


def _compare(items: list[Item], outcome: Outcome, where: str) -> None:
    stoker.pil.uninstall()
    wanted = [item.run() for item in items]
    stoker.pil.install()
    for number, item in enumerate(items):
        counters.reset()
        got = item.run()
        _judge(item, got, wanted[number], outcome, f"{where} + {number}")


def _judge(item: Item, got: Any, wanted: Any, outcome: Outcome, where: str) -> None:
    kind = item.case.kind
    stats = counters.stats()
    native = stats["images_native"] > 0 and stats["images_pillow"] == 0
    outcome.cases += 1
    outcome.total[kind] += 1
    outcome.native[kind] += native
    outcome.reasons.update(stats["reasons"])
    text = f"{where}: {item.case} {item.chain} {item.others} {item.whole}"
    if got != wanted:
        outcome.differ.append(f"{text}: {_short(got)}, Pillow {_short(wanted)}")
    if item.case.native is not None and native != item.case.native and wanted[0] != "raised":
        outcome.not_native.append(f"{text}: native {native}, {stats}")


def _short(result: Any) -> str:
    return str(result if result[0] == "raised" else (*result[:2], f"{hash(result[2:]):x}"))


def main() -> int:
    warnings.simplefilter("ignore")
    outcome = run(int(sys.argv[1]), int(sys.argv[2]))
    print(json.dumps(outcome.summary()))
    return 1 if outcome.differ or outcome.not_native else 0


if __name__ == "__main__":
    sys.exit(main())
