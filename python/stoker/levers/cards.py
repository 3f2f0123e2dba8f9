# SPDX-License-Identifier: Apache-2.0
"""What is said about each lever: its lever.toml, which the executable reads too."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from .. import _core

CLASSES = ("exact", "rounding", "random", "precision", "recipe")


@dataclass(frozen=True)
class Card:
    id: str
    change_class: str
    title: str
    help: str
    when_not: str
    source: str


@lru_cache(maxsize=1)
def cards() -> dict[str, Card]:
    """All levers by id, in the order of their ids."""
    package = str(Path(__file__).parent.parent)
    return {facts["id"]: _card(facts) for facts in _core.read_levers(package)}


def _card(facts: dict[str, str]) -> Card:
    return Card(
        facts["id"],
        facts["class"],
        facts["title"],
        facts["help"],
        facts["when_not"],
        facts["source"],
    )
