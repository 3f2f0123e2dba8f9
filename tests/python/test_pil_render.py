# SPDX-License-Identifier: Apache-2.0
"""How `stoker.pil` renders: whole pictures for several views, and the comparison with Pillow."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any

import pytest
from PIL import Image

import stoker
from stoker.pil import counters, render


@pytest.fixture(autouse=True)
def installed(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    counters.reset()
    monkeypatch.setattr(render, "images", None)
    monkeypatch.setattr(render, "disabled", "")
    monkeypatch.setattr(render, "_several", 0.0)
    stoker.pil.install()
    yield
    stoker.pil.uninstall()
    counters.reset()


def jpeg(seed: int = 0) -> io.BytesIO:
    noise = bytes((x * x * 7 + seed * 31 + x // 97) % 256 for x in range(96 * 80 * 3))
    out = io.BytesIO()
    Image.frombytes("RGB", (96, 80), noise).save(out, "JPEG", quality=90)
    return out


def crops(image: Image.Image, count: int) -> list[bytes]:
    return [image.crop((i, 2 * i, 60 + i, 50 + i)).resize((24, 24)).tobytes() for i in range(count)]


def renders_of(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the native calls, as they are made."""
    calls: list[str] = []

    def recorded(name: str, real: Any) -> Any:
        def call(*args: Any) -> Any:
            calls.append(name)
            return real(*args)

        return call

    for name in ("render", "render_pixels"):
        monkeypatch.setattr(stoker._core, name, recorded(name, getattr(stoker._core, name)))
    return calls


def test_second_view_decodes_the_whole_once(monkeypatch: pytest.MonkeyPatch) -> None:
    stoker.pil.uninstall()
    wanted = crops(Image.open(jpeg()), 4)
    stoker.pil.install()
    calls = renders_of(monkeypatch)
    assert crops(Image.open(jpeg()).convert("RGB"), 4) == wanted
    assert calls == ["render", "render", "render_pixels", "render_pixels", "render_pixels"]


def test_habit_of_several_views_is_learnt(monkeypatch: pytest.MonkeyPatch) -> None:
    for i in range(20):
        crops(Image.open(jpeg(i)).convert("RGB"), 2)
    calls = renders_of(monkeypatch)
    crops(Image.open(jpeg(99)).convert("RGB"), 2)
    assert calls == ["render", "render_pixels", "render_pixels"]
    for i in range(40):
        crops(Image.open(jpeg(i)).convert("RGB"), 1)
    calls.clear()
    crops(Image.open(jpeg(99)).convert("RGB"), 1)
    assert calls == ["render"]


def test_first_images_and_one_in_a_thousand_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(render, "images", stoker._core.SharedCounter.open())
    compared = [number for number in range(3000) if render._is_compared()]
    assert compared == [*range(32), 1000, 2000]


def test_a_difference_gives_pillows_pixels_and_turns_off_everywhere(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shared = stoker._core.SharedCounter.open()
    monkeypatch.setattr(render, "images", shared)
    stoker.pil.uninstall()
    wanted = crops(Image.open(jpeg()), 2)
    stoker.pil.install()
    real = stoker._core.render

    def wrong(data: bytes, plan: Any) -> Any:
        pixels, decode_ns, transform_ns = real(data, plan)
        return bytes([pixels[0] ^ 1]) + pixels[1:], decode_ns, transform_ns

    monkeypatch.setattr(stoker._core, "render", wrong)
    image = Image.open(jpeg()).convert("RGB")
    assert crops(image, 1) == wanted[:1]
    stats = stoker.pil.stats()
    assert (stats["images_compared"], stats["images_differ"], stats["bytes_differ"]) == (1, 1, 1)
    assert stats["disabled"] == "an earlier image differed from Pillow's"
    assert crops(image, 2) == wanted

    # Another process of the run learns of it at its next image, and uses Pillow from there on.
    monkeypatch.setattr(render, "disabled", "")
    assert crops(Image.open(jpeg()).convert("RGB"), 1) == wanted[:1]
    assert render.disabled != ""
    assert shared.next() >= shared.STOPPED


def test_failure_of_the_engine_is_answered_by_pillow(monkeypatch: pytest.MonkeyPatch) -> None:
    stoker.pil.uninstall()
    wanted = crops(Image.open(jpeg()), 1)
    stoker.pil.install()

    def fail(data: bytes, plan: Any) -> Any:
        raise RuntimeError("no thread")

    monkeypatch.setattr(stoker._core, "render", fail)
    assert crops(Image.open(jpeg()).convert("RGB"), 1) == wanted
    assert stoker.pil.stats()["reasons"] == {"native decoder: no thread": 1}
