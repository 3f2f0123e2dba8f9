# SPDX-License-Identifier: Apache-2.0
"""The scripts that guard the structure find what they are for."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]


def script(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / "scripts" / f"{name}.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


layers = script("check_layers")
sizes = script("check_sizes")
lever_docs = script("lever_docs")


def tree(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


AREAS = """stoker_area(core)
stoker_area(codec DEPS core LIBS JPEG::JPEG)
stoker_area(cli DEPS codec)
"""
BINDINGS = "target_link_libraries(_core PRIVATE stoker_codec)\n"
CMAKE = {"src/stoker/CMakeLists.txt": AREAS, "python/bindings/CMakeLists.txt": BINDINGS}


@pytest.mark.parametrize(
    ("file", "text", "fault"),
    [
        ("src/stoker/codec/a.cpp", '#include "stoker/core/x.h"\n', ""),
        ("src/stoker/core/a.cpp", '#include "stoker/codec/x.h"\n', "its DEPS do not name codec"),
        # The arrow must be named: what lies two layers below does not come by itself.
        ("src/stoker/cli/a.cpp", '#include "stoker/core/x.h"\n', "its DEPS do not name core"),
        ("src/stoker/core/a.cpp", '#include "stoker/gone/x.h"\n', "there is no area gone"),
        ("src/stoker/core/a.cpp", '#include "x.h"\n', "write it from the root"),
        ("src/stoker/cli/main.cpp", "#include <CLI/CLI.hpp>\n", ""),
        ("src/stoker/cli/a.cpp", "#include <CLI/CLI.hpp>\n", "belongs in src/stoker/cli/main.cpp"),
        ("src/stoker/core/a.cpp", "  # include <torch/torch.h>\n", "belongs in no file of stoker"),
        ("python/bindings/a.cpp", '#include "stoker/core/x.h"\n', ""),
        ("python/bindings/a.cpp", '#include "stoker/cli/x.h"\n', "its DEPS do not name cli"),
        ("python/stoker/pil/a.py", "import PIL\nfrom stoker import _core\n", ""),
        (
            "python/stoker/pil/a.py",
            "from stoker.watch import x\n",
            "imports stoker.watch, which is above",
        ),
        (
            "python/stoker/pil/a.py",
            "from stoker import watch\n",
            "imports stoker.watch, which is above",
        ),
        ("python/stoker/pil/a.py", "def f():\n    from ..hook import x\n", "imports stoker.hook"),
        ("python/stoker/watch/a.py", "from ..pil import x\n", ""),
        ("python/stoker/new/a.py", "", "package new has no line in PYTHON_DEPS"),
        ("python/stoker/__init__.py", "def f():\n    import torch\n", ""),
        ("python/stoker/__init__.py", "if 1:\n    import torch\n", "stoker: imports torch at once"),
        (
            "python/stoker/hook/a.py",
            "try:\n    import PIL.Image\nexcept E:\n    pass\n",
            "imports PIL",
        ),
        (
            "python/stoker/hook/a.py",
            "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import torch\n",
            "",
        ),
    ],
)
def test_layers(tmp_path: Path, file: str, text: str, fault: str) -> None:
    found = layers.check(tree(tmp_path, {**CMAKE, file: text}))
    if not fault:
        assert found == []
    else:
        assert len(found) == 1
        assert fault in found[0]


def test_layers_follow_imports(tmp_path: Path) -> None:
    files = {
        "python/stoker/hook/sitecustomize.py": "from stoker.watch import start\n",
        "python/stoker/watch/__init__.py": "",
        "python/stoker/watch/start.py": "import torch\n",
    }
    assert layers.check(tree(tmp_path, {**CMAKE, **files})) == [
        "stoker.hook.sitecustomize: imports torch at once, by way of stoker.watch.start; "
        "do it in a function"
    ]


def test_layers_see_an_arrow_that_points_up(tmp_path: Path) -> None:
    areas = "stoker_area(core DEPS codec)\nstoker_area(codec DEPS core)\n"
    assert layers.check(tree(tmp_path, {**CMAKE, "src/stoker/CMakeLists.txt": areas})) == [
        "src/stoker/CMakeLists.txt: core depends on codec, which is not above it"
    ]


def test_sizes(tmp_path: Path) -> None:
    files = {"src/a.cpp": "\n" * 300, "src/b.cpp": "\n" * 301, "src/c.cpp": "\n" * 501}
    faults, warnings = sizes.check(tree(tmp_path, files), list(files))
    assert faults == ["src/c.cpp: 501 lines; at most 500"]
    assert warnings == ["src/b.cpp: 301 lines; aim for 300 or fewer"]


def test_lever_page_is_made_of_lever_toml(tmp_path: Path) -> None:
    facts = (
        'id = "{id}"\nclass = "recipe"\ntitle = "Title of {id}"\nhelp = "Does\\nthis."\n'
        'when_not = "No GPU."\nsource = "{source}"\n'
    )
    package = tree(
        tmp_path,
        {
            "levers/zoom/lever.toml": facts.format(id="zoom", source="docs/pil.md"),
            "levers/blur/lever.toml": facts.format(id="blur", source="https://x.org/a_b"),
            "levers/none/__init__.py": "",
        },
    )
    head, blur, zoom = lever_docs.page(package).split("\n## ")
    assert head == lever_docs.HEAD
    assert blur == (
        "`blur`: Title of blur\n\nClass: `recipe`\n\nDoes this.\n\n"
        "**Does not apply:** No GPU.\n\nSource: <https://x.org/a_b>\n"
    )
    assert zoom.endswith("Source: [pil.md](pil.md)\n")


@pytest.mark.parametrize("found", ["", "an older page"])
def test_lever_page_that_is_not_up_to_date_is_a_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, found: str
) -> None:
    monkeypatch.setattr(lever_docs, "PAGE", tmp_path / "page.md")
    if found:
        (tmp_path / "page.md").write_text(found)
    monkeypatch.setattr("sys.argv", ["lever_docs.py", "--check"])
    assert lever_docs.main() == 1
    monkeypatch.setattr("sys.argv", ["lever_docs.py"])
    assert lever_docs.main() == 0
    monkeypatch.setattr("sys.argv", ["lever_docs.py", "--check"])
    assert lever_docs.main() == 0
