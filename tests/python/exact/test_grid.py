# SPDX-License-Identifier: Apache-2.0
"""Pixels with stoker.pil equal Pillow's, byte for byte, over the exact grid."""

from __future__ import annotations

import random
from collections.abc import Callable

import chains
import grid
import jpeg_cases
import pytest


def _check(outcome: grid.Outcome) -> None:
    assert outcome.differ == []
    assert outcome.not_native == []


@pytest.mark.timeout(3600)
def test_random_files_and_chains(
    seed: int, full: bool, record_property: Callable[[str, object], None]
) -> None:
    outcome = grid.run(3000 if full else 250, seed)
    record_property("grid", outcome.summary())
    print(outcome.summary())
    _check(outcome)
    # The kinds that must be native make up more than half of the draw.
    assert sum(outcome.native.values()) > 0.5 * outcome.cases


@pytest.mark.parametrize("kind", jpeg_cases.KINDS)
def test_each_kind(kind: str, seed: int, full: bool) -> None:
    def draw(rng: random.Random) -> grid.Item:
        case = jpeg_cases.make_case(rng, kind)
        chain = chains.draw_chain(rng, case.size)
        return grid.Item(case, chain, rng.randrange(3), whole=rng.random() < 0.5)

    _check(grid.run(60 if full else 8, seed + 1, draw))


@pytest.mark.parametrize("resample", chains.FILTERS)
def test_each_filter_up_and_down(resample: int, seed: int, full: bool) -> None:
    def draw(rng: random.Random) -> grid.Item:
        case = jpeg_cases.make_case(rng, rng.choice(("4:2:0", "4:4:4", "grey")))
        box = chains.draw_box(rng, case.size)
        crop: chains.Op = ("crop", box)
        target = chains.draw_target(rng, (box[2] - box[0], box[3] - box[1]))
        return grid.Item(case, [crop, ("resize", target, resample)], 0)

    _check(grid.run(80 if full else 12, seed + 2, draw))


def test_every_border_of_a_small_file(seed: int, full: bool) -> None:
    """All crops of 1 to 3 pixels at every border, and everything but such a strip."""
    for subsampling in range(3):
        size = (37, 22)
        pixels = jpeg_cases.draw_pixels(random.Random(seed), *size)
        data = jpeg_cases.encode(pixels, subsampling=subsampling, quality=90)
        case = jpeg_cases.JpegCase("border", data, size, True)
        width, height = size
        boxes = []
        for strip in (1, 2, 3, 8, 9, 16, 17):
            boxes += [(0, 0, strip, height), (width - strip, 0, width, height)]
            boxes += [(0, 0, width, strip), (0, height - strip, width, height)]
            boxes += [(strip, strip, width - strip, max(strip + 1, height - strip))]
        items = iter([grid.Item(case, [("crop", box)], 0) for box in boxes])
        _check(grid.run(len(boxes), seed, lambda rng, items=items: next(items)))
