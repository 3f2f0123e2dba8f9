# SPDX-License-Identifier: Apache-2.0
"""The tables of a recorded comparison.

usage: page.py RESULT.json [PAGE.md]      prints them, or puts them between the marks of the page
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

BEGIN, END = "<!-- begin: benchmarks/compare/page.py -->", "<!-- end -->"
OURS = ("stoker", "stoker_indexed", "stoker_packed")  # columns, and rows that lead no table
WORK = {
    "train": "RandomResizedCrop(224), horizontal flip, normalise",
    "eval": "Resize(256), CenterCrop(224), normalise",
}
SETS = {"jpeg": "JPEG", "progressive": "progressive JPEG", "png": "PNG", "webp": "WebP"}
PER = {"wall": "samples/s", "cpu": "samples/CPU-s"}


def markdown(result: dict[str, Any]) -> str:
    """The conditions, and one table a case."""
    lines = [_conditions(result), ""]
    for case in result["cases"]:
        lines += _table(case, result["contenders"], PER[result["clock"]])
    return "\n".join(lines)


def put(text: str, page: Path) -> None:
    """Replaces what is between the marks of `page`."""
    before, mark, rest = page.read_text().partition(BEGIN)
    _, end, after = rest.partition(END)
    if not mark or not end:
        raise SystemExit(f"{page} has no {BEGIN} and {END}")
    page.write_text(f"{before}{BEGIN}\n{text.rstrip()}\n{END}{after}")


def _conditions(result: dict[str, Any]) -> str:
    found = result["conditions"]
    packages = {"torch": found["torch"]}
    for contender in result["contenders"].values():
        packages.update(contender.get("packages", {}))
    versions = ", ".join(f"{name} {version}" for name, version in packages.items())
    used = [
        row["cores_used_by_others"]
        for case in result["cases"]
        for row in case["rows"]
        if "cores_used_by_others" in row
    ]
    clock = "wall time"
    if result["clock"] == "cpu":
        clock = "processor time of all workers, which shows what a sample costs and no scaling"
    missing = [name for name, known in result["contenders"].items() if "missing" in known]
    return (
        f"{found['cpu']}, {found['cores']} cores, Python {found['python']}; {versions}. Medians of "
        f"{result['rounds']} blocks of {result['block_s']} s, by {clock}; others used "
        f"{sum(used) / max(1, len(used)):.1f} cores meanwhile."
        + (f" Not installed: {', '.join(missing)}." if missing else "")
    )


def _table(case: dict[str, Any], contenders: dict[str, Any], per: str) -> list[str]:
    counts = sorted({row["cores"] for row in case["rows"]})
    ours = [name for name in OURS if any(name in row.get("ratio", {}) for row in case["rows"])]
    head = ["loader", "pixels equal Pillow's"]
    for cores in counts:
        head.append(f"{per}, {cores} core{'s' if cores > 1 else ''}")
        head += [f"{name.removeprefix('stoker_')} / it" for name in ours]
    lines = [f"**{SETS[case['set']]}, {case['workload']}**: {WORK[case['workload']]}", ""]
    lines += ["| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
    fastest = sorted(case["rows"], key=lambda row: (row["cores"], -row.get("samples_per_s", 0.0)))
    for name in dict.fromkeys(row["contender"] for row in fastest):
        known = contenders[name]
        cells = [known["name"], _pixels(known["pixels"].get(case["set"]))]
        rows = {row["cores"]: row for row in case["rows"] if row["contender"] == name}
        for cores in counts:
            cells += _cells(rows.get(cores), ours)
        lines.append("| " + " | ".join(cells) + " |")
    for what, share in case["scaling"].items():
        if what.split(",")[0] in OURS:
            lines += ["", f"Share of the ideal speed, {what}: {_interval(share)}"]
    return [*lines, ""]


def _cells(row: dict[str, Any] | None, ours: list[str]) -> list[str]:
    if row is None or "failed" in row:
        return ["failed" if row else "-"] + ["-"] * len(ours)
    others = {name: ratio for name, ratio in row["ratio"].items() if name != row["contender"]}
    ratios = [_interval(others[name]) if name in others else "-" for name in ours]
    return [f"{row['samples_per_s']:,.0f}", *ratios]


def _interval(ratio: list[float]) -> str:
    low, estimate, high = ratio
    return f"{estimate:.2f} ({low:.2f} to {high:.2f})"


def _pixels(found: dict[str, Any] | None) -> str:
    if found is None:
        return "not compared"
    if found["equal"]:
        return "yes"
    if "shape" in found:
        return f"no, its shape is {found['shape']}"
    share, most = found["differ_share"], found["most_levels"]
    return f"no: {100 * share:.3g} % differ, by up to {most:.0f}"


def main() -> None:
    text = markdown(json.loads(Path(sys.argv[1]).read_text()))
    if len(sys.argv) > 2:
        put(text, Path(sys.argv[2]))
    else:
        print(text)


if __name__ == "__main__":
    main()
