#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fail when an include or an import goes up the layers, or a heavy header leaves its place.

C++: an area may include itself and the DEPS that src/stoker/CMakeLists.txt gives it; the bindings
may include what they link. Python: see PYTHON_DEPS. Prints one line for each fault.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

# Header prefix -> where it may be included (path prefixes from the root).
HEAVY = {
    "CLI/": ["src/stoker/cli/main.cpp"],
    "toml++/": ["src/stoker/core/config.cpp"],
    "nlohmann/": ["src/stoker/core/json.cpp", "src/stoker/telemetry/"],
    "hwy/": ["src/stoker/image/"],
    "jpeglib.h": [
        "src/stoker/codec/libjpeg.h",
        "src/stoker/synth/",
        "src/stoker/cli/version_text",
    ],
    "xxhash.h": ["src/stoker/core/hash.cpp"],
    "png.h": ["src/stoker/codec/decoders/", "src/stoker/synth/"],
    "webp/": ["src/stoker/codec/decoders/", "src/stoker/synth/", "fuzz/"],
    "Python.h": ["python/bindings/"],
    "nanobind/": ["python/bindings/"],
    # The engine serves every torch, so it is compiled against none.
    "torch/": [],
    "ATen/": [],
    "c10/": [],
}

# Package below python/stoker -> the packages it may import; "" is stoker/__init__.py.
PYTHON_DEPS: dict[str, list[str]] = {
    "": [],
    "pil": [],
    "levers": ["pil"],
    "loader": ["pil"],
    "watch": ["pil", "levers", "loader"],
    "hook": ["watch", "pil", "levers", "loader"],
}
# A script decides when these are imported: neither `import stoker` nor the hook does.
LAZY = {"torch", "torchvision", "PIL"}

AREA = re.compile(r"stoker_area\(\s*(\w+)([^)]*)\)")
LINK = re.compile(r"target_link_libraries\(\s*_core\b([^)]*)\)")
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)
SOURCES = {".h", ".cpp", ".cc"}


def area_deps(root: Path) -> dict[str, list[str]]:
    """Area -> DEPS, read from the build files."""
    deps: dict[str, list[str]] = {}
    for name, rest in AREA.findall((root / "src/stoker/CMakeLists.txt").read_text()):
        words = rest.split()
        below: list[str] = []
        if "DEPS" in words:
            begin = words.index("DEPS") + 1
            end = words.index("LIBS") if "LIBS" in words[begin:] else len(words)
            below = words[begin:end]
        deps[name] = below
    return deps


def check_areas(deps: dict[str, list[str]]) -> Iterator[str]:
    """DEPS may only name areas of lines above, which rules out circles."""
    seen: set[str] = set()
    for name, below in deps.items():
        for dep in below:
            if dep not in seen:
                yield f"src/stoker/CMakeLists.txt: {name} depends on {dep}, which is not above it"
        seen.add(name)


def with_all_below(names: set[str], deps: dict[str, list[str]]) -> set[str]:
    found: set[str] = set()
    todo = list(names)
    while todo:
        name = todo.pop()
        if name not in found:
            found.add(name)
            todo += deps.get(name, [])
    return found


def allowed_areas(root: Path, file: Path, deps: dict[str, list[str]]) -> set[str] | None:
    """Areas that `file` may include; None: all of them."""
    parts = file.parts
    if parts[:2] == ("src", "stoker"):
        return {parts[2], *deps.get(parts[2], [])}
    if parts[:2] == ("python", "bindings"):
        linked = LINK.findall((root / "python/bindings/CMakeLists.txt").read_text())
        names = {w.removeprefix("stoker_") for w in " ".join(linked).split() if "stoker_" in w}
        return with_all_below(names, deps)
    return None


def check_includes(root: Path, file: Path, deps: dict[str, list[str]]) -> Iterator[str]:
    allowed = allowed_areas(root, file, deps)
    for mark, header in INCLUDE.findall((root / file).read_text(errors="replace")):
        if header.startswith("stoker/"):
            area = header.split("/")[1]
            if area not in deps:
                yield f"{file}: includes {header}, but there is no area {area}"
            elif allowed is not None and area not in allowed:
                yield f"{file}: includes {header}, but its DEPS do not name {area}"
        elif mark == '"' and file.parts[0] == "src":
            yield f'{file}: includes "{header}"; write it from the root, as "stoker/area/file.h"'
        for prefix, places in HEAVY.items():
            if header.startswith(prefix) and not any(str(file).startswith(p) for p in places):
                home = ", ".join(places) or "no file of stoker"
                yield f"{file}: includes {header}, which belongs in {home}"


def imported(tree: ast.Module, module: str, is_package: bool) -> Iterator[tuple[str, bool]]:
    """(absolute name, is it run when the module is imported) of each import of a module."""
    package = module if is_package else module.rpartition(".")[0]

    def walk(node: ast.AST, at_import: bool) -> Iterator[tuple[str, bool]]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.Import):
                yield from ((alias.name, at_import) for alias in child.names)
            elif isinstance(child, ast.ImportFrom):
                words = package.split(".")
                base = words[: len(words) - child.level + 1] if child.level else []
                name = ".".join([*base, *([child.module] if child.module else [])])
                yield name, at_import
                yield from ((f"{name}.{alias.name}", at_import) for alias in child.names)
            else:
                typing_only = isinstance(child, ast.If) and "TYPE_CHECKING" in ast.dump(child.test)
                inner = isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
                yield from walk(child, at_import and not inner and not typing_only)

    return walk(tree, True)


def module_of(file: Path) -> tuple[str, bool]:
    """python/stoker/pil/__init__.py -> ("stoker.pil", True)."""
    parts = file.relative_to("python").with_suffix("").parts
    is_package = parts[-1] == "__init__"
    return ".".join(parts[:-1] if is_package else parts), is_package


def check_imports(root: Path, file: Path) -> Iterator[str]:
    """Imports of packages above, anywhere in the file."""
    module, is_package = module_of(file)
    below = module.split(".")[1:2]
    package = below[0] if below and (root / "python/stoker" / below[0]).is_dir() else ""
    if package not in PYTHON_DEPS:
        yield f"{file}: package {package} has no line in PYTHON_DEPS of scripts/check_layers.py"
        return
    wanted = imported(ast.parse((root / file).read_text()), module, is_package)
    above = PYTHON_DEPS.keys() - {"", package, *PYTHON_DEPS[package]}
    names = {name.split(".")[1] for name, _ in wanted if name.startswith("stoker.")}
    for name in sorted(names & above):
        yield f"{file}: imports stoker.{name}, which is above {package or 'stoker'}"


def check_lazy(root: Path, files: list[Path]) -> Iterator[str]:
    """What `import stoker` and the hook pull in must not be LAZY."""
    runs: dict[str, set[str]] = {}
    entries = ["stoker"]
    for file in files:
        module, is_package = module_of(file)
        wanted = imported(ast.parse((root / file).read_text()), module, is_package)
        runs[module] = {name for name, at_import in wanted if at_import}
        if "hook" in file.parts:
            entries.append(module)
    for entry in entries:
        seen: set[str] = set()
        todo = [entry]
        while todo:
            module = todo.pop()
            if module in seen or module not in runs:
                continue
            seen.add(module)
            todo += runs[module]
            for lazy in sorted({name.split(".")[0] for name in runs[module]} & LAZY):
                yield f"{entry}: imports {lazy} at once, by way of {module}; do it in a function"


def check(root: Path) -> list[str]:
    """All faults below `root`, in a steady order."""
    deps = area_deps(root)
    faults = list(check_areas(deps))
    for top in ("src", "python/bindings", "fuzz", "tests"):
        for path in sorted((root / top).rglob("*")):
            if path.suffix in SOURCES:
                faults += check_includes(root, path.relative_to(root), deps)
    modules = [path.relative_to(root) for path in sorted((root / "python/stoker").rglob("*.py"))]
    for file in modules:
        faults += check_imports(root, file)
    faults += check_lazy(root, modules)
    return faults


def main() -> int:
    faults = check(Path(__file__).resolve().parent.parent)
    for fault in faults:
        print(fault)
    print(f"check_layers: {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
