# SPDX-License-Identifier: Apache-2.0
"""`stoker data scan` against Pillow and NumPy, on a set with everything that can be wrong."""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import tarfile
from pathlib import Path
from typing import Any

import numpy as np
import PIL
import pytest
from PIL import Image
from test_cli import BINARY, json_of, stoker
from test_schemas import check

COLOURS = {"a": (200, 30, 60), "b": (10, 120, 250)}


def picture(seed: int, width: int, height: int) -> Image.Image:
    random = np.random.default_rng(seed)
    low = random.integers(0, 256, (height // 4 + 1, width // 4 + 1, 3), dtype=np.uint8)
    return Image.fromarray(low).resize((width, height), Image.Resampling.BICUBIC)


def good_files(root: Path) -> None:
    """Six files that Pillow decodes; three of these not by the engine alone."""
    for name in COLOURS:
        (root / name).mkdir(parents=True)
    picture(0, 64, 48).save(root / "a/plain.jpg")
    picture(1, 40, 90).save(root / "a/progressive.jpg", progressive=True)
    picture(2, 32, 24).convert("L").save(root / "a/grey.jpg")
    picture(3, 50, 50).convert("CMYK").save(root / "b/cmyk.jpg")
    picture(4, 33, 35).save(root / "b/named_wrongly.jpg", "BMP")
    picture(5, 31, 17).save(root / "b/more.tiff")


@pytest.fixture
def photos(tmp_path: Path) -> Path:
    root = tmp_path / "photos"
    good_files(root)
    whole = (root / "a/plain.jpg").read_bytes()
    (root / "b/cut.jpg").write_bytes(whole[: len(whole) // 2])
    (root / "b/empty.jpg").write_bytes(b"")
    (root / "b/text.png").write_text("no image")
    shutil.copy(root / "a/plain.jpg", root / "b/copy.jpg")
    shutil.copy(root / "b/more.tiff", root / "b/again.tiff")
    return root


def scan(path: Path, *options: str, **env: str) -> dict[str, Any]:
    value = json_of("data", "scan", str(path), "--no-speed", *options, **env)
    check(value, "data.scan")
    return value


def stats_by_numpy(files: list[Path]) -> tuple[np.ndarray, np.ndarray]:
    pixels = [np.asarray(Image.open(file).convert("RGB")).reshape(-1, 3) for file in files]
    values = np.concatenate(pixels).astype(np.float64) / 255
    return values.mean(axis=0), values.std(axis=0)


def test_counts_and_verdicts(photos: Path) -> None:
    value = scan(photos)
    assert value["files"] == 11
    assert value["bytes"] == sum(file.stat().st_size for file in photos.rglob("*.*"))
    assert {item["name"]: item["files"] for item in value["formats"]} == {
        "jpeg": 6,
        "tiff": 2,
        "bmp": 1,
        "unknown": 2,
    }
    assert (value["progressive"], value["cmyk"], value["grey"]) == (1, 1, 1)
    assert (value["native"], value["pillow"]) == (4, 4)
    assert value["judge"] == f"Pillow {PIL.__version__}"
    broken = {Path(item["name"]).name: item["reason"] for item in value["broken"]}
    assert broken["cut.jpg"].startswith("image file is truncated")
    unknown = "Pillow cannot identify it as an image"
    assert (broken["empty.jpg"], broken["text.png"]) == (unknown, unknown)
    assert len(broken) == 3


def test_sizes_are_pillows(photos: Path) -> None:
    value = scan(photos)["sizes"]
    bad = {"cut.jpg", "empty.jpg", "text.png"}
    sizes = [Image.open(f).size for f in photos.rglob("*.*") if f.name not in bad]
    sizes.append((64, 48))  # the header of the one that is cut
    assert value["files"] == len(sizes) == 9
    for at, side in enumerate(("width", "height")):
        sides = sorted(size[at] for size in sizes)
        assert value[side] == {"min": sides[0], "median": sides[4], "max": sides[8]}
    assert sum(item["files"] for item in value["histogram"]) == 9


def test_duplicates_and_classes(photos: Path) -> None:
    value = scan(photos)
    groups = [
        ({Path(name).name for name in group["names"]}, group["classes"])
        for group in value["duplicates"]["groups"]
    ]
    assert groups == [
        ({"plain.jpg", "copy.jpg"}, ["a", "b"]),
        ({"more.tiff", "again.tiff"}, ["b"]),
    ]
    assert value["duplicates"]["extra_files"] == 2
    assert value["duplicates"]["groups_in_several_classes"] == 1
    classes = value["classes"]
    assert classes["smallest"] == {"name": "a", "files": 3}
    assert classes["largest"] == {"name": "b", "files": 8}
    assert classes["ratio"] == pytest.approx(8 / 3)


def test_mean_and_std_are_numpys(tmp_path: Path) -> None:
    good_files(tmp_path)
    value = scan(tmp_path)["pixels"]
    mean, std = stats_by_numpy(sorted(tmp_path.rglob("*.*")))
    assert value["images"] == 6
    np.testing.assert_allclose(value["mean"], mean, rtol=1e-12)
    np.testing.assert_allclose(value["std"], std, rtol=1e-9)
    assert value["normalize"] == (
        f"Normalize(({mean[0]:.4f}, {mean[1]:.4f}, {mean[2]:.4f}), "
        f"({std[0]:.4f}, {std[1]:.4f}, {std[2]:.4f}))"
    )
    assert scan(tmp_path, "--pixels", "0")["pixels"] is None
    assert scan(tmp_path, "--pixels", "2")["pixels"]["images"] == 2


def test_threads_do_not_matter(photos: Path) -> None:
    one, three = scan(photos, "--threads", "1"), scan(photos, "--threads", "3")
    for value in (one, three):
        del value["threads"], value["elapsed_ms"]
    assert one == three


def test_problems_come_first_and_say_what_to_do(photos: Path) -> None:
    kinds = [item["kind"] for item in scan(photos)["problems"]]
    assert kinds == ["broken", "two_classes", "duplicates", "pillow", "progressive"]
    done = stoker("data", "scan", str(photos), "--no-speed")
    assert done.returncode == 0
    lines = done.stdout.splitlines()
    assert lines[0].startswith(f"{photos}: 11 files")
    assert lines[1] == "problems"
    assert lines[2].startswith(f"  - 3 files cannot be decoded, first {photos}/b/cut.jpg: ")
    assert lines[3].startswith("    -> replace or delete")
    assert len(lines) < 30


def test_a_sound_set_has_no_problems(tmp_path: Path) -> None:
    made = stoker("data", "synth", str(tmp_path / "s"), "--images", "6", "--classes", "2")
    assert made.returncode == 0
    done = stoker("data", "scan", str(tmp_path / "s"), "--strict", "--threads", "1")
    assert done.returncode == 0
    assert done.stdout.splitlines()[1] == "no problems found"
    assert "samples/s with 1 thread" in done.stdout


def test_speed(tmp_path: Path) -> None:
    assert stoker("data", "synth", str(tmp_path / "s"), "--images", "4").returncode == 0
    value = json_of("data", "scan", str(tmp_path / "s"), "--threads", "1")
    check(value, "data.scan")
    assert value["speed"]["samples_per_s"] > 0
    assert (value["speed"]["threads"], value["speed"]["skipped"]) == (1, 0)


def test_strict_fails_for_broken_files(photos: Path) -> None:
    assert stoker("data", "scan", str(photos), "--no-speed", "--strict").returncode == 1
    assert stoker("data", "scan", str(photos), "--no-speed").returncode == 0


def test_without_pillow_nothing_that_can_be_read_is_called_broken(photos: Path) -> None:
    value = scan(photos, STOKER_PYTHON="/no/python")
    assert value["broken"] == []
    assert len(value["unjudged"]) == 7
    assert value["judge"] is None
    assert "tried /no/python" in value["no_judge_reason"]
    (problem,) = [item for item in value["problems"] if item["kind"] == "unjudged"]
    assert "7 files left to Pillow" in problem["found"]


def test_a_file_that_ends_pillow_ends_nothing_else(photos: Path, tmp_path: Path) -> None:
    """A stand-in for a Python that dies of the file that says "no image"."""
    python = tmp_path / "python"
    python.write_text(
        "#!/bin/sh\nexec {} -c '{}' \"$@\"\n".format(
            shutil.which("python3"),
            "import sys, json\n"
            'print(json.dumps({"name": "stand-in"}), flush=True)\n'
            "while line := sys.stdin.buffer.readline():\n"
            "    data = sys.stdin.buffer.read(int(line.split()[1]))\n"
            '    if data == b"no image": sys.exit(1)\n'
            '    print(json.dumps({"broken": "so it says"}), flush=True)\n',
        )
    )
    python.chmod(0o755)
    value = scan(photos, "--threads", "1", STOKER_PYTHON=str(python))
    assert [Path(item["name"]).name for item in value["unjudged"]] == ["text.png"]
    assert {item["reason"] for item in value["broken"]} == {"so it says"}
    assert len(value["broken"]) == 6


def test_a_file_that_cannot_be_read_is_broken(photos: Path) -> None:
    (photos / "a/plain.jpg").unlink()
    os.symlink("nowhere", photos / "a/plain.jpg")
    reasons = {Path(item["name"]).name: item["reason"] for item in scan(photos)["broken"]}
    assert "No such file or directory" in reasons["plain.jpg"]


def test_tar(tmp_path: Path, photos: Path) -> None:
    with tarfile.open(tmp_path / "one.tar", "w") as tar:
        for number, name in enumerate(("a/plain.jpg", "b/cmyk.jpg", "b/cut.jpg")):
            for suffix, data in (
                (".jpg", (photos / name).read_bytes()),
                (".cls", str(number % 2).encode()),
            ):
                member = tarfile.TarInfo(f"{number:04}{suffix}")
                member.size = len(data)
                tar.addfile(member, io.BytesIO(data))
    value = scan(tmp_path / "one.tar")
    assert (value["files"], value["native"], value["pillow"]) == (3, 1, 1)
    assert [item["name"] for item in value["broken"]] == ["one.tar: 0002.jpg"]
    assert value["classes"]["files"] == [{"name": "0", "files": 2}, {"name": "1", "files": 1}]


def test_wrong_usage(tmp_path: Path) -> None:
    for args in (["/no/such/folder"], [str(tmp_path)], [str(tmp_path), "--pixels", "many"]):
        done = subprocess.run(
            [BINARY, "data", "scan", *args], capture_output=True, text=True, check=False
        )
        assert done.returncode == 2
        assert done.stdout == ""
        assert "hint:" in done.stderr
