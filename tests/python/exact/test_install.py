# SPDX-License-Identifier: Apache-2.0
"""Where stoker.pil cannot be exact it says so and changes nothing."""

from __future__ import annotations

import io
from typing import Any

import PIL
import pytest
from PIL import Image, JpegImagePlugin

import stoker.pil
from stoker.pil import arguments, registry
from stoker.pil.source import Source
from stoker.pil.view import View


def _refused() -> str:
    before = Image.OPEN["JPEG"]
    with pytest.raises(stoker.pil.NotInstalled) as raised:
        stoker.pil.install()
    assert Image.OPEN["JPEG"] == before
    assert not stoker.pil.stats()["installed"]
    return str(raised.value)


@pytest.mark.parametrize("version", ["9.5.0", "10.0.1"])
def test_older_pillow(version: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PIL, "__version__", version)
    assert _refused() == f"Pillow {version} is older than 10.1; pip install -U pillow"


def test_another_library_opens_jpegs(monkeypatch: pytest.MonkeyPatch) -> None:
    def other(fp: Any, filename: Any = None) -> Any:
        return JpegImagePlugin.jpeg_factory(fp, filename)

    monkeypatch.setitem(Image.OPEN, "JPEG", (other, Image.OPEN["JPEG"][1]))
    assert "another library opens JPEGs already" in _refused()


def test_pillow_that_resizes_in_an_unknown_way(monkeypatch: pytest.MonkeyPatch) -> None:
    def resize(self: Image.Image, size: Any, *args: Any, **kwargs: Any) -> Image.Image:
        return Image.new(self.mode, size)

    monkeypatch.setattr(Image.Image, "resize", resize)
    assert "in a way that is not known" in _refused()


def test_counts(jpeg: bytes, native: None) -> None:
    Image.open(io.BytesIO(jpeg)).convert("RGB").resize((9, 9)).tobytes()
    assert Image.open(io.BytesIO(jpeg[:-2])).size == (61, 43)  # opened alone, it counts nowhere
    with pytest.raises(OSError, match="truncated"):
        Image.open(io.BytesIO(jpeg[:-2])).load()
    assert stoker.pil.stats() == {
        "images_native": 1,
        "images_compared": 0,
        "images_differ": 0,
        "images_pillow": 1,
        "bytes_differ": 0,
        "reasons": {"not a plain single-scan file": 1},
        "installed": True,
        "disabled": "",
    }
    assert registry.installed()


def test_huge_results_are_asked_of_pillow_at_once() -> None:
    view = View.whole(Source(b"", "RGB", (100, 100), 0), "RGB")
    assert arguments.resize(view, (1 << 13, 1 << 13), 2) is not None
    assert arguments.resize(view, (1 << 13, (1 << 13) + 1), 2) is None
