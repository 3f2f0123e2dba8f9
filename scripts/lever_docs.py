#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Write docs/levers-reference.md from what each lever's lever.toml says.

--check: write nothing, and fail when the page is not up to date. Needs the built package.
"""

from __future__ import annotations

import argparse
import sys
import textwrap
from pathlib import Path

from stoker import _core

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/levers-reference.md"
WIDTH = 100
HEAD = """\
# Levers, one by one

`scripts/lever_docs.py` makes this page from `python/stoker/levers/*/lever.toml`, which
`stoker list levers --json` shows too. What the classes promise, and when a lever is taken off:
[levers.md](levers.md).
"""


def paragraph(text: str) -> str:
    return textwrap.fill(text, WIDTH, break_long_words=False, break_on_hyphens=False)


def link(source: str) -> str:
    """A file below docs/ by its path from the page, everything else as it is."""
    if source.startswith("docs/"):
        name = source.removeprefix("docs/")
        return f"[{name}]({name})"
    return f"<{source}>" if source.startswith("http") else source


def section(facts: dict[str, str]) -> str:
    return "\n\n".join(
        [
            f"## `{facts['id']}`: {facts['title']}",
            f"Class: `{facts['class']}`",
            paragraph(facts["help"]),
            paragraph(f"**Does not apply:** {facts['when_not']}"),
            f"Source: {link(facts['source'])}\n",
        ]
    )


def page(package: Path) -> str:
    levers = _core.read_levers(str(package))
    return "\n".join([HEAD, *map(section, levers)])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="fail when the page is not up to date")
    text = page(ROOT / "python/stoker")
    if not parser.parse_args().check:
        PAGE.write_text(text)
        return 0
    if not PAGE.exists() or PAGE.read_text() != text:
        print("docs/levers-reference.md is not what lever.toml says: run scripts/lever_docs.py")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
