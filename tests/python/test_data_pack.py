# SPDX-License-Identifier: Apache-2.0
"""`stoker data pack`: what other readers find in its shards, parts, ends in the middle, checks."""

from __future__ import annotations

import io
import json
import os
import re
import signal
import subprocess
import sys
import tarfile
import time
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest
import torch
from PIL import Image

import stoker
import stoker.transforms as T

ROOT = Path(__file__).resolve().parents[2]
SCHEMA = json.loads((ROOT / "docs/schemas/data.pack.schema.json").read_text())
STOKER = Path(sys.executable).with_name("stoker")
# How the webdataset library takes names apart: key and extension.
WEBDATASET = re.compile(r"^((?:.*/|)[^.]+)[.]([^/]*)$")

Command = list[str | Path]


def run_stoker(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([STOKER, "data", *arguments], capture_output=True, text=True)


def pack(*arguments: str | Path, status: int = 0) -> Any:
    run = run_stoker("pack", *arguments, "--json")
    assert run.returncode == status, run.stderr
    value = json.loads(run.stdout)
    jsonschema.Draft202012Validator(SCHEMA).validate(value)
    assert value.keys() == SCHEMA["properties"].keys()
    return value


def files_of(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def samples_of(folder: Path) -> list[dict[str, Any]]:
    """Members grouped as webdataset does."""
    samples: list[dict[str, Any]] = []
    for shard in sorted(folder.glob("*.tar")):
        with tarfile.open(shard) as archive:
            for member in archive:
                parts = WEBDATASET.match(member.name)
                if parts is None:
                    assert member.name in (".stoker-index", ".stoker-shard")
                    continue
                key, extension = parts.groups()
                if not samples or samples[-1]["key"] != key:
                    samples.append({"key": key})
                file = archive.extractfile(member)
                assert file is not None
                samples[-1][extension.lower()] = file.read()
    return samples


@pytest.fixture(scope="module")
def photos(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of three classes: baseline, progressive, grey, PNG, damaged, odd names."""
    folder = tmp_path_factory.mktemp("pack") / "photos"
    arguments = ("--images", "45", "--classes", "3", "--size", "150x110")
    assert run_stoker("synth", folder, *arguments).returncode == 0
    for number, path in enumerate(sorted(folder.glob("*/*.jpg"))):
        if number % 3 == 1:
            image = Image.open(path).convert("L" if number % 2 else "RGB")
            image.save(path, progressive=True, quality=88)
    image = Image.open(next(folder.glob("c001/*.jpg"))).convert("RGB")
    image.save(folder / "c001/a.b.png")
    image.save(folder / f"c001/{'long' * 40}.jpg")
    damaged = folder / "c002/damaged.jpg"
    image.save(damaged, progressive=True)
    damaged.write_bytes(damaged.read_bytes()[:2000])
    return folder


@pytest.fixture(scope="module")
def packed(photos: Path) -> Path:
    folder = photos.with_name("packed")
    pack(photos, folder, "--images", "10")
    return folder


def test_readers_of_webdataset_find_every_sample(photos: Path, packed: Path) -> None:
    originals = sorted(path for path in photos.glob("*/*"))
    classes = json.loads((packed / "classes.json").read_text())
    assert classes == ["c000", "c001", "c002"]
    samples = samples_of(packed)
    assert len(samples) == len(originals) == 48
    assert len({sample["key"] for sample in samples}) == 48
    for path, sample in zip(originals, samples, strict=True):
        assert sample["key"].startswith(path.parent.name + "/")
        assert classes[int(sample["cls"])] == path.parent.name
        stored = sample[path.suffix[1:]]
        if path.name == "damaged.jpg":
            assert stored == path.read_bytes()
            continue
        before, after = Image.open(path), Image.open(io.BytesIO(stored))
        assert after.info.get("progressive") is None
        assert (stored == path.read_bytes()) == (before.info.get("progressive") is None)
        assert before.mode == after.mode
        np.testing.assert_array_equal(np.asarray(before), np.asarray(after))


@pytest.mark.filterwarnings("ignore:stoker. .*damaged.jpg")
def test_loader_gives_the_same_batches_with_the_index(photos: Path, packed: Path) -> None:
    chain = [T.RandomResizedCrop(64), T.RandomHorizontalFlip(), T.ToTensor()]
    arguments: dict[str, Any] = {"shuffle": False, "seed": 5, "threads": 2, "on_error": "skip"}
    batches = [
        list(stoker.ImageLoader(str(source), 16, chain, index=index, **arguments))
        for source, index in [(photos, None), (packed, None), (packed, "auto")]
    ]
    assert stoker.ImageLoader(str(packed), 16, chain).classes == ["c000", "c001", "c002"]
    for original, plain, indexed in zip(*batches, strict=True):
        for images, labels in (plain, indexed):
            assert torch.equal(images, original[0])
            assert torch.equal(labels, original[1])


def test_check_compares_all(photos: Path, packed: Path) -> None:
    check = pack(photos, packed, "--images", "10", "--check")["check"]
    assert check["different"] == 0
    assert check["same_pixels"] == 15
    assert check["same_bytes"] == 33
    assert check["index_regions"] == 46  # all but the PNG and the damaged one


def test_check_finds_one_wrong_pixel(tmp_path: Path) -> None:
    folder = tmp_path / "photos/a"
    folder.mkdir(parents=True)
    noise = Image.effect_noise((64, 48), 60)
    noise.save(folder / "1.jpg")
    noise.save(folder / "2.jpg", progressive=True)
    pack(folder.parent, tmp_path / "packed")
    noise.point(lambda value: value ^ 1 if value == 128 else value).save(folder / "2.jpg")
    value = pack(folder.parent, tmp_path / "packed", "--check", status=1)
    assert value["check"]["differences"] == ["000000.tar: a/2.jpg: pixels differ"]


def test_parts_together_are_the_whole(photos: Path, packed: Path, tmp_path: Path) -> None:
    folder = tmp_path / "parts"
    command: Command = [STOKER, "data", "pack", photos, folder, "--images", "10", "--shard"]
    processes = [
        subprocess.Popen([*command, f"{part}/3"], stdout=subprocess.DEVNULL) for part in (1, 2, 3)
    ]
    assert [process.wait() for process in processes] == [0, 0, 0]
    assert files_of(folder) == files_of(packed)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_run_that_is_ended_goes_on(tmp_path: Path, number: signal.Signals) -> None:
    photos = tmp_path / "photos"
    run_stoker("synth", photos, "--images", "600", "--size", "120x90")
    for path in photos.glob("*/*[05].jpg"):
        image = Image.open(path)
        image.load()
        image.save(path, progressive=True)
    pack(photos, tmp_path / "unbroken", "--images", "40")
    folder = tmp_path / "broken"
    command: Command = [STOKER, "data", "pack", photos, folder, "--images", "40", "--threads", "1"]
    ended = 0
    for shards in (0, 3, 7):
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        while process.poll() is None and len(list(folder.glob("*.tar"))) <= shards:
            time.sleep(0.001)
        process.send_signal(number)
        process.communicate()
        ended += process.returncode == -number
        for shard in folder.glob("*.tar"):  # never half a shard under its name
            assert shard.read_bytes() == (tmp_path / "unbroken" / shard.name).read_bytes()
    assert ended > 0
    value = pack(photos, folder, "--images", "40")
    assert value["shards_kept"] > 0
    assert files_of(folder) == files_of(tmp_path / "unbroken")


def test_other_options_are_refused(photos: Path, packed: Path) -> None:
    before = files_of(packed)
    run = run_stoker("pack", photos, packed, "--images", "11")
    assert run.returncode == 2
    assert "holds a packed set that differs: its shards were made with --images 10" in run.stderr
    assert "--force" in run.stderr
    assert files_of(packed) == before


def test_full_disk_is_told_at_once(photos: Path, tmp_path: Path) -> None:
    script = 'mount -t tmpfs -o size=64k tmpfs "$1" && shift && exec "$@"'
    command: Command = ["unshare", "-m", "sh", "-c", script, "sh", tmp_path]
    command += [STOKER, "data", "pack", photos, tmp_path / "packed"]
    run = subprocess.run(command, capture_output=True, text=True)
    if "unshare" in run.stderr or "mount" in run.stderr:
        pytest.skip("no file system can be mounted here")
    assert run.returncode == 1
    assert re.search(r"the shards need about 0\.\d MB, and '.*' has 0\.\d MB left", run.stderr)


def test_text_says_what_became_of_the_images(photos: Path, tmp_path: Path) -> None:
    run = run_stoker("pack", photos, tmp_path / "packed", "--check")
    lines = run.stdout.splitlines()
    assert lines[0].startswith(f"48 images in 1 of 1 shards in {tmp_path}/packed (")
    assert lines[1:] == [
        "made baseline without loss: 15 progressive",
        "could not be made baseline, and are as they were: 1 progressive (truncated)",
        "46 of 48 images are in the index",
        "checked 48 images: 33 are the same bytes, 15 have the same pixels, 0 differ",
    ]
    assert run.stderr == ""


@pytest.mark.parametrize(
    "options",
    [
        ["--images", "0"],
        ["--shard-size", "big"],
        ["--shard", "0/3"],
        ["--shard", "4/3"],
        ["--images", "5", "--shard-size", "1MB"],
    ],
)
def test_wrong_usage(photos: Path, tmp_path: Path, options: list[str]) -> None:
    assert run_stoker("pack", photos, tmp_path / "packed", *options).returncode == 2
    assert not (tmp_path / "packed").exists()
    assert run_stoker("pack", os.devnull, tmp_path / "packed").returncode == 2
