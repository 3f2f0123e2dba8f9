# SPDX-License-Identifier: Apache-2.0
"""`stoker data show`: each cell of the sheet is what Pillow and torchvision make of the file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from test_cli import json_of, stoker
from test_schemas import check

MARGIN = 4
TEXT = 14  # height of the two lines below samples of less than 160 pixels
SIDE = 48


@pytest.fixture
def photos(tmp_path: Path) -> Path:
    root = tmp_path / "photos"
    made = stoker("data", "synth", str(root), "--images", "9", "--classes", "3", "--size", "96x64")
    assert made.returncode == 0
    return root


def show(photos: Path, *options: str) -> tuple[dict[str, Any], np.ndarray]:
    out = photos.parent / "sheet.png"
    args = ("--out", str(out), "--columns", "4", *options)
    value = json_of("data", "show", str(photos), *args)
    check(value, "data.show")
    sheet = np.asarray(Image.open(out))
    assert sheet.shape == (value["height"], value["width"], 3)
    return value, sheet


def cell(sheet: np.ndarray, sample: dict[str, Any]) -> np.ndarray:
    top = MARGIN + sample["row"] * (SIDE + TEXT + MARGIN)
    left = MARGIN + sample["column"] * (SIDE + MARGIN)
    return sheet[top : top + SIDE, left : left + SIDE]


def by_pillow(sample: dict[str, Any]) -> np.ndarray:
    """The steps of the JSON, done by Pillow as torchvision does them."""
    image = Image.open(sample["name"]).convert("RGB")
    for step in sample["steps"]:
        values = [int(value) for value in step["values"]]
        if step["name"] == "crop":
            top, left, height, width = values
            image = image.crop((left, top, left + width, top + height))
        elif step["name"] == "resize":
            image = image.resize((values[1], values[0]), Image.Resampling(values[2]))
        elif step["name"] == "flip":
            image = image.transpose(Image.Transpose.FLIP_LEFT_RIGHT)
        else:
            assert step["name"] in ("to_tensor", "normalize")
    return np.asarray(image)


@pytest.mark.parametrize(
    "more", ["", ", ToTensor(), Normalize((0.485, 0.456, 0.406), (0.229, 0.224, 0.225))"]
)
def test_cells_are_pillows(photos: Path, more: str) -> None:
    Image.open(photos / "c000/00000.jpg").convert("CMYK").save(photos / "c001/cmyk.jpg")
    text = f"RandomResizedCrop({SIDE}), RandomHorizontalFlip(){more}"
    value, sheet = show(photos, "--transforms", text, "--seed", "3")
    assert len(value["samples"]) == 10
    assert value["bad"] == 0
    assert any(step["name"] == "flip" for sample in value["samples"] for step in sample["steps"])
    for sample in value["samples"]:
        assert sample["class"] == Path(sample["name"]).parent.name
        assert sample["native"] == ("cmyk" not in sample["name"])
        np.testing.assert_array_equal(cell(sheet, sample), by_pillow(sample))


def test_names_are_written_below(photos: Path) -> None:
    _, sheet = show(photos, "--transforms", f"Resize(({SIDE}, {SIDE}))", "--images", "1")
    text = sheet[MARGIN + SIDE : MARGIN + SIDE + TEXT, MARGIN : MARGIN + SIDE]
    assert set(np.unique(text)) == {24, 224}


def test_bad_samples_are_red_and_say_why(photos: Path) -> None:
    whole = (photos / "c000/00000.jpg").read_bytes()
    (photos / "c002/cut.jpg").write_bytes(whole[:900])
    value, sheet = show(photos, "--transforms", f"CenterCrop({SIDE})", "--no-shuffle")
    assert value["bad"] == 1
    (bad,) = [sample for sample in value["samples"] if sample["error"] is not None]
    assert Path(bad["name"]).name == "cut.jpg"
    assert "truncated" in bad["error"]
    assert (cell(sheet, bad) == (176, 32, 32)).all()
    done = stoker("data", "show", str(photos), "--out", str(photos.parent / "x.png"))
    assert done.returncode == 0
    assert f"{bad['name']}: " in done.stdout


def test_seed_and_epoch_are_the_loaders(photos: Path) -> None:
    pytest.importorskip("torch")
    import stoker as package
    import stoker.transforms as T

    options = ("--transforms", f"RandomResizedCrop({SIDE})", "--seed", "7", "--epoch", "2")
    value, sheet = show(photos, *options)
    loader = package.ImageLoader(
        str(photos), 9, [T.RandomResizedCrop(SIDE)], seed=7, dtype="uint8", threads=1
    )
    loader.set_epoch(2)
    (batch,) = list(loader.batches())
    assert [sample["sample"] for sample in value["samples"]] == batch.samples.tolist()
    for row, sample in enumerate(value["samples"]):
        expected = batch.images[row].permute(1, 2, 0).numpy()
        np.testing.assert_array_equal(cell(sheet, sample), expected)


def test_same_sheet_again(photos: Path) -> None:
    first = show(photos, "--transforms", f"RandomResizedCrop({SIDE})")[1]
    np.testing.assert_array_equal(
        first, show(photos, "--transforms", f"RandomResizedCrop(size={SIDE})")[1]
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Resize(8", "transforms end where ',' or ')' is expected"),
        ("Resized(8)", "no transform is called 'Resized'"),
        ("Resize(8)", "samples would have different sizes"),
        ("RandomResizedCrop(8, scal=1)", "RandomResizedCrop: scal: no such parameter"),
        ("Resize((9000, 9000))", "is too large"),
    ],
)
def test_wrong_transforms_are_wrong_usage(photos: Path, text: str, message: str) -> None:
    done = stoker("data", "show", str(photos), "--transforms", text)
    assert done.returncode == 2
    assert message in done.stderr
    assert not (Path.cwd() / "sheet.png").exists()


def test_a_file_that_cannot_be_written(photos: Path) -> None:
    done = stoker("data", "show", str(photos), "--out", "/proc/nothing/x.png", "--images", "1")
    assert done.returncode in (1, 2)
    assert "--out" in done.stderr
