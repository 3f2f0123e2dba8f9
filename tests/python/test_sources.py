# SPDX-License-Identifier: Apache-2.0
"""Sources of samples against what users know: torchvision's ImageFolder, Python's tarfile."""

from __future__ import annotations

import io
import os
import random
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest
import torchvision.datasets

from stoker import _core

NAMES = [
    b"a",
    b"A",
    b"b-1",
    b"b",
    b"b 1",
    b".hidden",
    b"n\xc3\xa9",
    b"\xff",
    b"\xc3",
    b"\xee\x80\x80",
]
NAMES += [
    b"\xf0\x9f\x98\x80",
    b"\xed\x95\x9c",
    b"10",
    b"9",
    b"x.jpg",
    b"line\nbreak",
    b"\x80\xc3\xa9",
]
SUFFIXES = [b".jpg", b".JPG", b".jPeG", b".png", b".ppm", b".bmp", b".pgm", b".tif", b".tiff"]
SUFFIXES += [b".webp", b".gif", b".txt", b"", b".jpg.txt", b".t\xc4\xb0f"]


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "cache"
    monkeypatch.setenv("STOKER_CACHE", str(folder))
    return folder


def open_source(path: Path | str) -> _core.Source:
    return _core.open_source(os.fsencode(path), b"auto")


def samples(source: _core.Source) -> list[tuple[str, int]]:
    return [
        (os.fsdecode(source.name(sample)), source.label(sample)) for sample in range(source.count())
    ]


def make_tree(root: bytes, rng: random.Random, depth: int = 0) -> None:
    """A folder of odd names, with at least one image."""
    os.makedirs(root, exist_ok=True)
    for name in rng.sample(NAMES, rng.randint(1, 6)):
        suffix = rng.choice(SUFFIXES)
        with open(os.path.join(root, name + suffix), "wb") as file:
            file.write(b"x" * rng.randint(0, 3))
    with open(os.path.join(root, rng.choice(NAMES) + b".png"), "wb"):
        pass
    for name in rng.sample(NAMES, rng.randint(0, 3)) if depth < 3 else []:
        if not os.path.exists(os.path.join(root, name)):
            make_tree(os.path.join(root, name), rng, depth + 1)


def assert_is_image_folder(root: Path | str) -> None:
    expected = torchvision.datasets.ImageFolder(root)
    source = open_source(root)
    assert samples(source) == expected.samples
    assert [os.fsdecode(name) for name in source.classes()] == expected.classes


@pytest.mark.parametrize("seed", range(12))
def test_folder_is_image_folder(tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    root = tmp_path / "set"
    for name in rng.sample(NAMES, rng.randint(1, 8)):
        make_tree(os.path.join(os.fsencode(root), name), rng)
    assert_is_image_folder(root)
    assert_is_image_folder(str(root) + "/")


def test_cached_folder_is_image_folder(tmp_path: Path, cache: Path) -> None:
    root = tmp_path / "set"
    for name in NAMES[:6]:
        make_tree(os.path.join(os.fsencode(root), name), random.Random(5))
    for folder, _, _ in os.walk(os.fsencode(root)):
        os.utime(folder, (1e9, 1e9))
    assert_is_image_folder(root)
    assert len(list((cache / "lists").iterdir())) == 1
    assert_is_image_folder(root)


def test_links_are_followed_as_by_image_folder(tmp_path: Path) -> None:
    root = tmp_path / "set"
    outside = tmp_path / "outside"
    make_tree(os.fsencode(root / "real"), random.Random(1))
    make_tree(os.fsencode(outside / "deep"), random.Random(2))
    (outside / "one.jpg").write_bytes(b"1")
    (root / "linked").symlink_to(outside)  # a class
    (root / "real" / "more").symlink_to(outside / "deep")
    (root / "real" / "file.jpg").symlink_to(outside / "one.jpg")
    (root / "real" / "broken.jpg").symlink_to("nowhere")
    (root / "real" / "folder.png").mkdir()
    (root / "real" / "to_folder.png").symlink_to(outside)
    (root / "real" / "circle").symlink_to(".")
    (root / "broken_class").symlink_to("nowhere")
    os.mkfifo(root / "real" / "pipe.jpg")
    assert_is_image_folder(root)


def test_relative_root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_tree(os.fsencode(tmp_path / "set" / "cat"), random.Random(3))
    monkeypatch.chdir(tmp_path)
    assert_is_image_folder("set")
    assert_is_image_folder("./set//")


def no_class(root: Path) -> None:
    (root / "1.jpg").write_bytes(b"")


def two_empty_classes(root: Path) -> None:
    for name in ("b", "a", "c"):
        (root / name).mkdir()
    (root / "a" / "1.jpg").write_bytes(b"")
    (root / "c" / "1.gif").write_bytes(b"")


def nothing(root: Path) -> None:
    root.rmdir()


@pytest.mark.parametrize("make", [no_class, two_empty_classes, nothing])
def test_errors_are_those_of_image_folder(tmp_path: Path, make: Callable[[Path], None]) -> None:
    root = tmp_path / "set"
    root.mkdir()
    make(root)
    with pytest.raises(FileNotFoundError) as expected:
        torchvision.datasets.ImageFolder(root)
    with pytest.raises(FileNotFoundError) as raised:
        open_source(root)
    if make is not nothing:
        assert str(raised.value).startswith(str(expected.value))
    assert "; " in str(raised.value)  # and what to do


def write_tar(path: Path, members: dict[str, bytes], tar_format: int) -> None:
    with tarfile.open(path, "w", format=tar_format) as tar:
        for name, data in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))


@pytest.mark.parametrize("tar_format", [tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
def test_tar_of_pythons_tarfile(tmp_path: Path, tar_format: int) -> None:
    keys = ["1", "d/2", "e/" + "long" * 60, "d/é☃", "d.d/3", f"{'p' * 120}/{'q' * 98}"]
    members = {}
    for number, key in enumerate(keys):
        members[f"{key}.JPG"] = b"x" * number
        members[f"{key}.cls"] = str(number * 10).encode()
        members[f"{key}.json"] = b"{}"
    path = tmp_path / "a.tar"
    write_tar(path, members, tar_format)
    assert samples(open_source(path)) == [
        (f"a.tar: {key}.JPG", number * 10) for number, key in enumerate(keys)
    ]


def test_list_of_tars(tmp_path: Path) -> None:
    paths = [tmp_path / "b.tar", tmp_path / os.fsdecode(b"\xff.tar")]
    write_tar(paths[0], {"cat/1.jpg": b"", "cat/2.txt": b""}, tarfile.USTAR_FORMAT)
    write_tar(paths[1], {"bird/1.jpg": b"", "bird/2.txt": b""}, tarfile.USTAR_FORMAT)
    source = _core.open_tars([os.fsencode(path) for path in paths], b"auto")
    assert samples(source) == [("b.tar: cat/1.jpg", 1), (f"{paths[1].name}: bird/1.jpg", 0)]
    assert source.warnings() == [
        f"'{path}' has 1 keys without an image, which are left out; the first is '{key}'"
        for path, key in zip(paths, ["cat/2", "bird/2"], strict=True)
    ]


def test_errors_of_tars_say_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "a.tar"
    write_tar(path, {"d/1.jpg": b"", "d/2.jpg": b"", "d/1.cls": b"1"}, tarfile.USTAR_FORMAT)
    with pytest.raises(ValueError, match=r"'d/1\.\*' in '.*a\.tar' do not lie .*--sort=name"):
        open_source(path)


def test_warnings_of_a_damaged_tar(tmp_path: Path) -> None:
    path = tmp_path / "a.tar"
    write_tar(path, {f"d/{i}.jpg": b"x" * 600 for i in range(5)}, tarfile.USTAR_FORMAT)
    path.write_bytes(path.read_bytes()[: 3 * 1536 + 700])
    source = open_source(path)
    assert source.count() == 3
    assert source.warnings() == [
        f"'{path}' is damaged at byte 4608: it ends inside a member; the 3 samples before are used"
    ]
