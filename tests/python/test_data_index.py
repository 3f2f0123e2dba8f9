# SPDX-License-Identifier: Apache-2.0
"""`stoker data index`: where it writes, what it says, and what is left when it is killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from PIL import Image

ROOT = Path(__file__).resolve().parents[2]
SCHEMA = json.loads((ROOT / "docs/schemas/data.index.schema.json").read_text())
STOKER = Path(sys.executable).with_name("stoker")

Command = list[str | Path]


def stoker(*arguments: str | Path, **env: str) -> subprocess.CompletedProcess[str]:
    command = [STOKER, "data", *arguments]
    return subprocess.run(command, capture_output=True, text=True, env=os.environ | env)


def index(*arguments: str | Path, **env: str) -> Any:
    run = stoker("index", *arguments, "--json", **env)
    assert run.returncode == 0, run.stderr
    value = json.loads(run.stdout)
    jsonschema.Draft202012Validator(SCHEMA).validate(value)
    assert value.keys() == SCHEMA["properties"].keys()
    return value


def photos_in(folder: Path, count: int = 30, size: str = "96x64") -> Path:
    made = stoker("synth", folder, "--images", str(count), "--classes", "3", "--size", size)
    assert made.returncode == 0, made.stderr
    return folder


@pytest.fixture
def photos(tmp_path: Path) -> Path:
    return photos_in(tmp_path / "photos")


def test_index_lies_beside_the_files(photos: Path) -> None:
    value = index(photos)
    assert value["index_path"] == str(photos / ".stoker-index")
    assert (value["samples"], value["indexed"], value["left_out"]) == (30, 30, [])
    assert value["index_bytes"] == (photos / ".stoker-index").stat().st_size
    again = index(photos)
    assert (again["made"], again["up_to_date"]) == (0, 30)


def test_text_says_counts_size_and_reasons(photos: Path) -> None:
    image = Image.effect_noise((64, 48), 60).convert("RGB")
    image.save(photos / "c000/progressive.jpg", progressive=True)
    image.save(photos / "c000/plain.png")
    run = stoker("index", photos)
    first, left_out = run.stdout.splitlines()
    assert first.startswith(f"30 of 32 images in the index {photos}/.stoker-index (")
    assert " bytes an image, " in first
    assert left_out == "left out, and decoded without the index: 1 no JPEG, 1 progressive"
    assert run.stderr == ""  # progress is for terminals


def test_tar_files_share_one_index(tmp_path: Path) -> None:
    folder = tmp_path / "tars"
    stoker("synth", folder, "--images", "20", "--size", "64x48", "--tar")
    stoker("synth", tmp_path / "more", "--images", "10", "--size", "64x48", "--tar", "--seed", "1")
    (tmp_path / "more/000000.tar").rename(folder / "000001.tar")
    assert index(folder / "000001.tar")["made"] == 10
    assert index(folder / "000000.tar")["made"] == 20
    assert index(folder)["up_to_date"] == 30


def test_folder_that_cannot_be_written_has_its_index_in_the_cache(
    photos: Path, tmp_path: Path
) -> None:
    cache = tmp_path / "cache"
    command: Command = [STOKER, "data", "index", photos, "--json"]
    if os.geteuid() == 0:  # root may write everywhere, but for a mount that is read-only
        script = 'mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" && shift && exec "$@"'
        command = ["unshare", "-m", "sh", "-c", script, "sh", photos, *command]
    else:
        photos.chmod(0o555)
    env = os.environ | {"STOKER_CACHE": str(cache)}
    run = subprocess.run(command, capture_output=True, text=True, env=env)
    photos.chmod(0o755)
    if "unshare" in run.stderr or "mount" in run.stderr:
        pytest.skip("no read-only mount can be made here")
    value = json.loads(run.stdout)
    assert Path(value["index_path"]).parent == cache / "index"
    assert value["made"] == 30
    assert not (photos / ".stoker-index").exists()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_old_index_survives_a_run_that_is_ended(tmp_path: Path, number: signal.Signals) -> None:
    photos = photos_in(tmp_path / "photos", 400, "200x150")
    index(photos)
    whole = (photos / ".stoker-index").read_bytes()
    command: Command = [STOKER, "data", "index", photos, "--columns", "1", "--threads", "1"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    while not list(photos.glob("..stoker-index.*.tmp")) and process.poll() is None:
        time.sleep(0.001)
    process.send_signal(number)
    _, errors = process.communicate()
    assert process.returncode == -number
    assert (photos / ".stoker-index").read_bytes() == whole
    if number != signal.SIGKILL:
        assert errors == "stoker: interrupted; the index is as it was before\n"
        assert not list(photos.glob("..stoker-index.*.tmp"))
    assert index(photos)["up_to_date"] == 400


def test_several_processes_at_once(photos: Path) -> None:
    command: Command = [STOKER, "data", "index", photos, "--force"]
    processes = [subprocess.Popen(command, stdout=subprocess.DEVNULL) for _ in range(4)]
    assert [process.wait() for process in processes] == [0] * 4
    assert index(photos)["up_to_date"] == 30
    assert not list(photos.glob("*.tmp"))


@pytest.mark.parametrize("arguments", [["nowhere"], [".", "--columns", "0"], []])
def test_wrong_usage(tmp_path: Path, arguments: list[str]) -> None:
    run = subprocess.run(
        [STOKER, "data", "index", *arguments], capture_output=True, text=True, cwd=tmp_path
    )
    assert run.returncode == 2
    assert run.stderr.startswith("stoker: ")
