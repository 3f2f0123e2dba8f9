# SPDX-License-Identifier: Apache-2.0
"""The executable as a user sees it: exit status, what is on stdout, what is on stderr."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
BINARY = Path(os.environ.get("STOKER_BIN", ROOT / "build/dev/stoker"))
COMMANDS = [
    ["data", "bench"],
    ["data", "scan"],
    ["data", "show"],
    ["data", "synth"],
    ["list"],
    ["profile"],
    ["run"],
]


def stoker(*args: str, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(BINARY), *args],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, **env},
    )


def json_of(*args: str, **env: str) -> dict[str, Any]:
    done = stoker(*args, "--json", **env)
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert isinstance(document, dict)
    assert next(iter(document)) == "schema"
    return document


def assert_usage(done: subprocess.CompletedProcess[str], message: str) -> None:
    assert done.returncode == 2
    assert done.stdout == ""
    lines = done.stderr.splitlines()
    assert lines[0] == f"stoker: {message}"
    assert all(line.startswith("stoker: ") for line in lines)


def test_version() -> None:
    done = stoker("--version")
    assert done.returncode == 0
    number = r"\d+\.\d+\.\d+"
    assert re.fullmatch(
        rf"stoker {number} \(libjpeg-turbo {number}, highway {number}, "
        r"SIMD target (SCALAR|SSE4|AVX2|AVX3)\)\n",
        done.stdout,
    )


def test_needs_no_library_of_its_own() -> None:
    linked = subprocess.run(["ldd", str(BINARY)], capture_output=True, text=True).stdout
    assert "libc.so" in linked
    assert "libhwy" not in linked
    assert "libfmt" not in linked
    assert "libpython" not in linked


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_help_shows_usage_and_examples(command: list[str]) -> None:
    done = stoker(*command, "--help")
    assert done.returncode == 0
    assert done.stderr == ""
    assert f"Usage: stoker {' '.join(command)} [OPTIONS]" in done.stdout
    examples = done.stdout.split("Examples:\n")[1].splitlines()
    assert len(examples) >= 2
    assert all(line.startswith(f"  stoker {' '.join(command)}") for line in examples)


def test_alone_prints_help_and_fails() -> None:
    for args in ([], ["data"]):
        done = stoker(*args)
        assert done.returncode == 2
        assert done.stdout == ""
        assert "Commands:" in done.stderr


def test_wrong_usage() -> None:
    assert_usage(stoker("bogus"), "The following argument was not expected: bogus")
    assert_usage(stoker("data", "bogus"), "The following argument was not expected: bogus")
    assert_usage(stoker("list"), "kind is required")
    assert_usage(
        stoker("list", "gifts"),
        "kind: got 'gifts', expected one of checks, levers, decoders, transforms, sources",
    )
    assert_usage(
        stoker("data", "synth", "x", "--size", "big"),
        "size: got 'big', expected WIDTHxHEIGHT, such as 500x375, each from 1 to 16383",
    )
    assert_usage(
        stoker("data", "bench", "x", "--frob"), "The following argument was not expected: --frob"
    )
    assert_usage(stoker("run"), "no command given")
    assert_usage(
        stoker("run", "--frob", "train.py"), "The following argument was not expected: --frob"
    )


def test_list_decoders() -> None:
    document = json_of("list", "decoders")
    assert document["schema"] == "stoker.list/1"
    jpeg = next(item for item in document["items"] if item["id"] == "jpeg")
    assert jpeg["parameters"] == []
    assert jpeg["help"]


def test_list_levers_comes_from_the_package(tmp_path: Path) -> None:
    ids = {item["id"]: item for item in json_of("list", "levers")["items"]}
    assert ids["native_decoding"]["class"] == "exact"

    (tmp_path / "__init__.py").touch()
    assert json_of("list", "levers", STOKER_PACKAGE=str(tmp_path))["items"] == []
    folder = tmp_path / "levers/zoom"
    folder.mkdir(parents=True)
    (folder / "lever.toml").write_text(
        'id = "zoom"\nclass = "recipe"\ntitle = "Smaller images"\nhelp = "a\\nb"\n'
        'when_not = "never"\nsource = "x"\n'
    )
    assert stoker("list", "levers", STOKER_PACKAGE=str(tmp_path)).stdout == (
        "zoom  recipe  Smaller images\n"
    )


def test_list_of_a_kind_without_items() -> None:
    assert json_of("list", "checks")["items"] == []
    done = stoker("list", "checks")
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == "stoker: no checks are built in yet\n"


def test_no_python_package_is_said() -> None:
    done = stoker("list", "levers", STOKER_PACKAGE="/nowhere")
    assert done.returncode == 1
    assert "tried /nowhere" in done.stderr


def test_synth_makes_an_image_folder(tmp_path: Path) -> None:
    from PIL import Image

    folder = tmp_path / "set"
    args = ["data", "synth", str(folder), "--images", "6", "--classes", "3", "--size", "80x60"]
    document = json_of(*args, "--seed", "4")
    assert document["schema"] == "stoker.data.synth/1"
    assert (document["images"], document["files"], document["seed"]) == (6, 6, 4)
    files = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.jpg"))
    assert files == [f"c{i % 3:03}/{i:05}.jpg" for i in sorted(range(6), key=lambda i: (i % 3, i))]
    assert document["bytes"] == sum((folder / name).stat().st_size for name in files)
    with Image.open(folder / files[0]) as image:
        assert (image.format, image.size, image.mode) == ("JPEG", (80, 60), "RGB")
        assert image.layer[0][1:3] == (2, 2)  # 4:2:0

    assert_usage(stoker(*args), f"the folder '{folder}' is not empty")
    assert stoker(*args, "--seed", "4", "--force", "--threads", "1").returncode == 0


@pytest.mark.parametrize("kind", ["png", "webp"])
def test_synth_formats_open_with_pillow(tmp_path: Path, kind: str) -> None:
    from PIL import Image

    args = ["--images", "1", "--classes", "1", "--size", "33x21", "--format", kind]
    assert stoker("data", "synth", str(tmp_path), *args).returncode == 0
    with Image.open(tmp_path / f"c000/00000.{kind}") as image:
        image.load()
        assert (image.format, image.size) == (kind.upper(), (33, 21))


def test_synth_tar_opens_with_tarfile(tmp_path: Path) -> None:
    import tarfile

    args = ["--images", "3", "--classes", "2", "--size", "20x20", "--tar"]
    assert stoker("data", "synth", str(tmp_path), *args).returncode == 0
    with tarfile.open(tmp_path / "000000.tar") as tar:
        names = tar.getnames()
        labels = [tar.extractfile(name).read() for name in names[1::2]]  # type: ignore[union-attr]
    assert names == [f"{i:05}.{ext}" for i in range(3) for ext in ("jpg", "cls")]
    assert labels == [b"0", b"1", b"0"]


def make_photos(folder: Path) -> str:
    args = ["--images", "4", "--classes", "2", "--size", "120x90"]
    assert stoker("data", "synth", str(folder), *args).returncode == 0
    return str(folder)


def test_bench_compares_with_torchvision(tmp_path: Path) -> None:
    pytest.importorskip("torchvision")
    photos = make_photos(tmp_path)
    document = json_of("data", "bench", photos, "--seconds", "1", "--threads", "1", "--size", "64")
    assert document["schema"] == "stoker.data.bench/1"
    assert document["machine"]["usable_cpus"] >= 1
    assert (document["threads"], document["files"], document["skipped"]) == (1, 4, 0)
    assert document["per_thread"] == document["samples_per_s"] > 0
    stages = {stage["name"]: stage["share"] for stage in document["stages"]}
    assert list(stages) == ["read", "decode", "transform", "to_tensor"]
    assert sum(stages.values()) == pytest.approx(1)
    assert re.match(r"Pillow \d.*\+ torchvision \d", document["baseline"]["name"])
    low, ratio, high = document["ratio"]
    assert 0 < low <= ratio <= high
    rates = document["samples_per_s"] / document["baseline"]["samples_per_s"]
    assert ratio == pytest.approx(rates, rel=0.8)


def test_bench_without_python(tmp_path: Path) -> None:
    photos = make_photos(tmp_path)
    args = ["data", "bench", photos, "--seconds", "0.2", "--size", "32"]
    document = json_of(*args, STOKER_PYTHON="/no/python")
    assert document["baseline"] is None
    assert document["ratio"] is None
    assert "tried /no/python" in document["no_baseline_reason"]
    assert json_of(*args, "--no-baseline")["no_baseline_reason"] == "not asked for"


def test_bench_of_other_transforms(tmp_path: Path) -> None:
    pytest.importorskip("torchvision")
    photos = make_photos(tmp_path)
    text = "Resize([40, 30], interpolation=InterpolationMode.BICUBIC) | ToTensor"
    args = ["data", "bench", photos, "--seconds", "0.5", "--threads", "1", "--transforms", text]
    document = json_of(*args)
    assert document["transforms"] == "Resize(interpolation=bicubic, size=(40,30)), ToTensor()"
    assert (document["size"], document["indexed_share"]) == (30, 0)
    assert document["baseline"]["samples_per_s"] > 0
    assert_usage(stoker(*args, "--size", "64"), "--size and --transforms are both given")


def test_bench_of_a_folder_without_images(tmp_path: Path) -> None:
    assert_usage(
        stoker("data", "bench", str(tmp_path)), f"Couldn't find any class folder in {tmp_path}."
    )


def test_bench_of_files_that_nobody_decodes(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a/text.jpg").write_text("no image")
    assert_usage(
        stoker("data", "bench", str(tmp_path), "--no-baseline"),
        f"the native decoders take none of these files: {tmp_path}/a/text.jpg: "
        "no decoder knows these data",
    )


def test_list_of_transforms_has_their_parameters() -> None:
    items = {item["name"]: item for item in json_of("list", "transforms")["items"]}
    crop = items["RandomResizedCrop"]
    assert crop["id"] == "random_resized_crop"
    params = {param["name"]: param for param in crop["parameters"]}
    assert list(params) == ["size", "scale", "ratio", "interpolation"]
    assert params["size"]["required"]
    assert "default" not in params["size"]
    assert params["scale"]["default"] == "0.08,1.0"
    assert params["interpolation"]["choices"][0] == "nearest"
    flip = "RandomHorizontalFlip(p=0.5)"
    assert flip in stoker("list", "transforms").stdout


def test_list_of_sources() -> None:
    ids = [item["id"] for item in json_of("list", "sources")["items"]]
    assert ids == ["folder", "tar"]


def test_full_disk_on_stdout_is_a_failure() -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [str(BINARY), "list", "decoders"], stdout=full, stderr=subprocess.PIPE, text=True
        )
    assert done.returncode == 1
    assert "cannot write to stdout" in done.stderr
