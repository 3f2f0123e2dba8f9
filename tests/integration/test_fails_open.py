# SPDX-License-Identifier: Apache-2.0
"""Faults inside stoker: the script never notices, and its end says once what was wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from fault_injection import (
    append,
    check_said_once,
    copy_package,
    extension,
    insert,
    train,
    truncated,
)
from side_by_side import Ended

RAISE = "raise RuntimeError('injected')"


def raising(name: str, arguments: str = "*_a, **_k") -> str:
    return f"def {name}({arguments}): {RAISE}"


def test_nothing_wrong(training: tuple[Path, Ended]) -> None:
    run = train(training).run_json()
    assert (run["errors"], run["steps"]["count"], run["exit_status"]) == ([], 12, 7)
    assert run["loader"]["images"] == {
        "native": 24,
        "compared": 24,
        "differ": 0,
        "pillow": 0,
        "bytes_differ": 0,
    }


INSERTED = {
    "the hook starts": ("hook/sitecustomize.py", "def _install"),
    "the package loads": ("hook/sitecustomize.py", "def _load_package"),
    "attach": ("watch/__init__.py", "def attach"),
}
APPENDED = {
    "the package": ("__init__.py", RAISE),
    "the watch package": ("watch/__init__.py", RAISE),
    "a module of watch": ("watch/stages.py", RAISE),
    "stoker.pil": ("pil/__init__.py", RAISE),
    "watch loaders": ("watch/loaders.py", raising("watch_loaders")),
    "watch fetchers": ("watch/stages.py", raising("watch_fetchers")),
    "watch Pillow": ("watch/stages.py", raising("watch_pillow")),
    "watch backward": ("watch/training.py", raising("watch_backward")),
    "watch optimizers": ("watch/training.py", raising("watch_optimizers")),
    "watch forward": ("watch/forward.py", "Finder.watch = lambda *a: {}['injected']"),
    "a loader starts": ("watch/loaders.py", raising("_start")),
    "a loader has started": ("watch/loaders.py", raising("_started")),
    "a fetcher is made": ("watch/stages.py", raising("_made")),
    "an optimizer is made": ("watch/forward.py", "Finder._search = lambda s: {}['injected']"),
    "the model is found": ("watch/forward.py", raising("_trains")),
    "the model is hung": ("watch/forward.py", "Finder._hang = lambda *a: {}['injected']"),
    "device times": ("watch/device.py", raising("model_found")),
    "the recorder": ("watch/recording.py", raising("_path")),
    "the rank": ("watch/recording.py", raising("_place")),
    "the calibration": ("watch/recording.py", raising("_calibrate")),
    "no memory": ("watch/recording.py", "def _path(): raise MemoryError('injected')"),
    "a lever": ("watch/levers.py", raising("pillow_imported")),
    "levers of the model": ("watch/levers.py", raising("torch_imported")),
    "install": ("pil/registry.py", raising("pass_order_of_pillow")),
    "the renderer": ("pil/render.py", raising("_native")),
    "the renderer at the start": ("pil/render.py", f"{raising('_boom')}\n_core.render = _boom"),
    "the plan": ("pil/view.py", f"{raising('_boom')}\nView.plan = _boom"),
    "the header": ("pil/source.py", f"{raising('_boom')}\n_core.read_info = _boom"),
    "an image opens": ("pil/registry.py", raising("make_lazy")),
    "a file is read": ("pil/lazy.py", raising("_read_all")),
    "a file is judged": ("pil/lazy.py", raising("accept")),
    "counting": ("watch/stages.py", raising("count")),
    "timing": ("watch/stages.py", raising("add")),
    "the shared counter": (
        "pil/render.py",
        f"class _Counter:\n    def next(self): {RAISE}\ndef open_counter(): return _Counter()",
    ),
    "the comparison": ("pil/render.py", raising("by_pillow")),
}


# Each is an error of its own, so several can be seen in one run.
TOGETHER = {
    "every hook": [
        "watch loaders",
        "watch fetchers",
        "watch Pillow",
        "watch backward",
        "watch optimizers",
        "watch forward",
    ],
    "what hooks call": [
        "a loader starts",
        "a fetcher is made",
        "an optimizer is made",
    ],
    "pictures": ["a file is read", "counting"],
    "more of pictures": ["the renderer", "timing"],
    "the recorder's surroundings": ["the rank", "the comparison", "a loader has started"],
}
SEVERAL = {name for names in TOGETHER.values() for name in names} | {
    "no memory",
    "a file is judged",
    "the header",
    "the plan",
    "the calibration",
}


@pytest.mark.parametrize("place", INSERTED.values(), ids=INSERTED.keys())
def test_a_fault_in_the_middle(
    tmp_path: Path, training: tuple[Path, Ended], place: tuple[str, str]
) -> None:
    package = copy_package(tmp_path)
    insert(package, *place, RAISE)
    check_said_once(train(training, STOKER_PACKAGE=str(package)), "injected")


def every(faults: dict[str, tuple[str, str]]) -> list[Any]:
    """Those of SEVERAL, which another test injects together, alone only in the whole grid."""
    marks = {name: [pytest.mark.full] if name in SEVERAL else [] for name in faults}
    return [pytest.param(*faults[name], id=name, marks=marks[name]) for name in faults]


@pytest.mark.parametrize(("module", "source"), every(APPENDED))
def test_a_fault_inside(
    tmp_path: Path, training: tuple[Path, Ended], module: str, source: str
) -> None:
    package = copy_package(tmp_path)
    append(package, module, source)
    check_said_once(train(training, STOKER_PACKAGE=str(package)), "injected")


@pytest.mark.parametrize("names", TOGETHER.values(), ids=TOGETHER.keys())
def test_several_faults_inside(
    tmp_path: Path, training: tuple[Path, Ended], names: list[str]
) -> None:
    package = copy_package(tmp_path)
    for name in names:
        append(package, *APPENDED[name])
    watched = train(training, STOKER_PACKAGE=str(package))
    assert watched.errors().count("injected") == len(names), watched.summary()
    assert watched.summary().count("injected") == len(names)


def test_pixels_that_differ(tmp_path: Path, training: tuple[Path, Ended]) -> None:
    """A decoder that is wrong is found by the comparison, and its pixels are not used."""
    package = copy_package(tmp_path)
    append(
        package,
        "pil/render.py",
        "_right = _native\ndef _native(view):\n    return b'x' + _right(view)[1:]",
    )
    images = train(training, STOKER_PACKAGE=str(package)).run_json()["loader"]["images"]
    assert (images["native"], images["differ"], images["pillow"]) == (1, 1, 23)


def test_no_extension(tmp_path: Path, training: tuple[Path, Ended]) -> None:
    package = copy_package(tmp_path)
    extension(package).unlink()
    check_said_once(train(training, STOKER_PACKAGE=str(package)), "_core")


def test_an_extension_of_another_python(tmp_path: Path, training: tuple[Path, Ended]) -> None:
    package = copy_package(tmp_path)
    extension(package).rename(package / "_core.cpython-39-x86_64-linux-gnu.so")
    check_said_once(train(training, STOKER_PACKAGE=str(package)), "built for Python 3.9")


@pytest.mark.parametrize("damage", ["half", "text", "empty"])
def test_an_extension_that_cannot_be_loaded(
    tmp_path: Path, training: tuple[Path, Ended], damage: str
) -> None:
    package = copy_package(tmp_path)
    path = extension(package)
    data = {"half": truncated(path), "text": b"not a library" * 99, "empty": b""}[damage]
    path.unlink()
    path.write_bytes(data)
    check_said_once(train(training, STOKER_PACKAGE=str(package)), "ImportError")


def test_no_package(training: tuple[Path, Ended]) -> None:
    watched = train(training, STOKER_PACKAGE="/no/such/package")
    assert "/no/such/package" in watched.summary()
    assert watched.run_json()["attached"] is False
