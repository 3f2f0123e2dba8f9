# SPDX-License-Identifier: Apache-2.0
"""Copies, pickles, comparisons; several threads, forks, and taking stoker.pil away again."""

from __future__ import annotations

import copy
import io
import multiprocessing
import os
import pickle
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from compare import both
from PIL import Image, JpegImagePlugin

import stoker.pil
from stoker.pil import render


def _open(data: bytes) -> Image.Image:
    return Image.open(io.BytesIO(data))


def _stages(data: bytes) -> list[Image.Image]:
    image = _open(data)
    loaded = _open(data)
    loaded.load()
    return [image, loaded, loaded.convert("RGB"), loaded.crop((0, 1, 30, 31)).resize((9, 9))]


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_pickles_are_pillows_own(protocol: int, jpeg: bytes) -> None:
    def program() -> list[bytes]:
        return [pickle.dumps(image, protocol) for image in _stages(jpeg)]

    both(program)


def test_a_pickle_loads_where_stoker_is_not(jpeg: bytes, native: None, tmp_path: Path) -> None:
    images = _stages(jpeg)
    (tmp_path / "images").write_bytes(pickle.dumps(images))
    program = (
        "import pickle, sys; sys.modules['stoker'] = None\n"
        "images = pickle.load(open('images', 'rb'))\n"
        "print([(i.mode, i.size, hash(i.tobytes()) is not None) for i in images])\n"
        "open('pixels', 'wb').write(b''.join(i.tobytes() for i in images))"
    )
    subprocess.run([sys.executable, "-c", program], cwd=tmp_path, check=True)
    assert (tmp_path / "pixels").read_bytes() == b"".join(i.tobytes() for i in images)


def test_copies(jpeg: bytes) -> None:
    def program() -> Any:
        seen = []
        for duplicate in (copy.copy, copy.deepcopy, Image.Image.copy):
            for image in _stages(jpeg):
                other = duplicate(image)
                other.putpixel((1, 1), (3, 3, 3))
                seen.append((type(other).__name__, other.format, other.tobytes(), image.tobytes()))
        return seen

    both(program)


def test_comparisons(jpeg: bytes) -> None:
    def program() -> Any:
        first, second = _stages(jpeg), _stages(jpeg)
        plain = Image.frombytes("RGB", (61, 43), _open(jpeg).tobytes())
        plain.info = dict(first[2].info)
        table = [[a == b for b in (*second, plain, 7, None)] for a in (*first, plain)]
        return table, [first[2] != plain, plain != first[2]], hash_error(first[2])

    def hash_error(image: Image.Image) -> str:
        try:
            return str(hash(image))
        except TypeError:
            return "unhashable"

    table, different, unhashable = both(program)
    assert table[2][4] and table[4][2]
    assert different == [False, False]
    assert unhashable == "unhashable"


def test_two_threads_on_one_image(jpeg: bytes, native: None) -> None:
    wanted = JpegImagePlugin.JpegImageFile(io.BytesIO(jpeg)).convert("RGB").tobytes()
    uses = [
        lambda image: image.tobytes(),
        lambda image: image.convert("L") and image.tobytes(),
        lambda image: image.rotate(90) and image.tobytes(),
        lambda image: image.crop((0, 0, 61, 43)).tobytes(),
        lambda image: image.load()[0, 0] and image.tobytes(),
        lambda image: b"" if image.im is None else image.tobytes(),
    ]
    for round_number in range(60):
        image = _open(jpeg)
        if round_number % 2:
            image = image.convert("RGB")
        else:
            image.load()
        start = threading.Barrier(4)
        results: list[Any] = []

        def run(
            number: int, image: Any = image, start: Any = start, results: Any = results
        ) -> None:
            start.wait()
            try:
                results.append(uses[number % len(uses)](image))
            except Exception as error:
                results.append(error)

        threads = [threading.Thread(target=run, args=(round_number + i,)) for i in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert results == [wanted] * 4


def test_many_threads_on_their_own_images(jpeg: bytes, native: None) -> None:
    wanted = both(
        lambda: _open(jpeg).convert("RGB").crop((3, 3, 50, 40)).resize((20, 20)).tobytes()
    )
    stoker.pil.install()
    results: list[bytes] = []

    def run() -> None:
        for _ in range(30):
            image = _open(jpeg).convert("RGB").crop((3, 3, 50, 40)).resize((20, 20))
            results.append(image.tobytes())

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [wanted] * 120


def test_fork_while_lazy(jpeg: bytes, native: None) -> None:
    wanted = JpegImagePlugin.JpegImageFile(io.BytesIO(jpeg)).tobytes()
    _open(jpeg).tobytes()  # the parent has decoded before it forks
    lazy = _open(jpeg).convert("RGB")
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writing, lazy.tobytes())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        assert pipe.read() == wanted
    assert os.waitpid(child, 0)[1] == 0
    assert lazy.tobytes() == wanted


def _to_parent(data: bytes, queue: Any) -> None:
    stoker.pil.install()
    queue.put(_open(data).convert("RGB").resize((20, 10)))


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_a_lazy_image_through_a_queue(method: str, jpeg: bytes) -> None:
    context = multiprocessing.get_context(method)
    queue = context.Queue()
    process = context.Process(target=_to_parent, args=(jpeg, queue))
    process.start()
    image = queue.get(timeout=60)
    process.join()
    assert type(image) is Image.Image
    assert image.tobytes() == _open(jpeg).resize((20, 10)).tobytes()


def test_uninstall_gives_everything_back(jpeg: bytes) -> None:
    torchvision = pytest.importorskip("torchvision")
    functional = torchvision.transforms.functional
    normalize = torchvision.transforms.Normalize

    def state() -> Any:
        names = (Image.OPEN["JPEG"], Image.open, Image.ID, Image.MIME, Image.EXTENSION)
        classes = (Image.Image, JpegImagePlugin.JpegImageFile, normalize)
        members = [dict(vars(cls)) for cls in classes]
        return [*map(repr, names), functional.to_tensor, normalize.__call__, members]

    before = state()
    stoker.pil.install()
    stoker.pil.install()
    lazy = _open(jpeg).convert("RGB")
    assert type(lazy) is not Image.Image
    stoker.pil.uninstall()
    assert state() == before
    stoker.pil.uninstall()
    assert type(_open(jpeg)) is JpegImagePlugin.JpegImageFile
    # What was lazy already stays usable.
    assert lazy.resize((8, 8)).tobytes() == _open(jpeg).resize((8, 8)).tobytes()


def test_a_difference_is_counted_and_ends_the_native_path(
    jpeg: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = JpegImagePlugin.JpegImageFile(io.BytesIO(jpeg)).tobytes()
    stoker.pil.counters.reset()
    stoker.pil.install()
    monkeypatch.setattr(render, "_is_compared", lambda: True)
    monkeypatch.setattr(render, "disabled", "")
    changed = bytes([wanted[0] ^ 1]) + wanted[1:]
    monkeypatch.setattr(render._core, "render", lambda data, plan: (changed, 0, 0))
    assert _open(jpeg).tobytes() == wanted
    assert _open(jpeg).convert("RGB").tobytes() == wanted
    stats = stoker.pil.stats()
    assert (stats["images_differ"], stats["bytes_differ"]) == (1, 1)
    assert stats["reasons"] == {"an earlier image differed from Pillow's": 1}
