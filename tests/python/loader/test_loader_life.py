# SPDX-License-Identifier: Apache-2.0
"""Bad samples, consumers that stop, fork, raise or keep everything, and memory."""

from __future__ import annotations

import gc
import os
import random
import signal
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path
from typing import Any

import pytest
import torch
from images import make_folder

import stoker
import stoker.transforms as T

CHAIN = [T.RandomResizedCrop(16), T.ToTensor()]
FULL = os.environ.get("STOKER_TEST_FULL") == "1"


@pytest.fixture(scope="module")
def photos(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_folder(tmp_path_factory.mktemp("photos"), 40, ["jpeg 420", "jpeg grey"])


@pytest.fixture
def damaged(tmp_path: Path) -> Path:
    """40 files; sample 5 is empty, 17 is text, 30 is cut in half."""
    root = make_folder(tmp_path / "damaged", 40, ["jpeg 420"])
    paths = sorted(root.rglob("*.jpg"))
    paths[5].write_bytes(b"")
    paths[17].write_text("no picture at all")
    paths[30].write_bytes(paths[30].read_bytes()[:-400])
    return root


def loader_of(source: Any, **options: Any) -> stoker.ImageLoader:
    return stoker.ImageLoader(source, 8, CHAIN, **{"threads": 2, **options})


def test_a_bad_sample_is_raised_with_file_reason_and_remedy(damaged: Path) -> None:
    loader = loader_of(damaged, shuffle=False)
    with pytest.raises(stoker.SampleError) as caught:
        list(loader)
    assert caught.value.sample == 5
    assert caught.value.name == str(sorted(damaged.rglob("*.jpg"))[5])
    assert "cannot identify it as an image" in str(caught.value)
    assert 'on_error="skip" or "replace"' in str(caught.value)


def test_skip_makes_batches_smaller_and_counts(damaged: Path) -> None:
    loader = loader_of(damaged, shuffle=False, on_error="skip")
    with pytest.warns(UserWarning, match=r"loader\.stats\(\) counts such files"):
        sizes = [len(labels) for _, labels in loader]
    assert sizes == [7, 8, 7, 7, 8]
    stats = loader.stats()
    assert stats["errors"] == 3
    reasons = {bad["sample"]: bad["reason"] for bad in stats["bad_samples"]}
    assert sorted(reasons) == [5, 17, 30]
    assert "image file is truncated" in reasons[30]


@pytest.mark.filterwarnings("ignore:stoker")
def test_replace_takes_the_next_good_sample_whatever_the_threads(damaged: Path) -> None:
    def run(threads: int) -> tuple[list[int], bytes]:
        loader = loader_of(damaged, shuffle=True, on_error="replace", threads=threads)
        batches = list(loader.batches())
        samples = [int(n) for batch in batches for n in batch.samples]
        return samples, b"".join(batch.images.numpy().tobytes() for batch in batches)

    first = run(1)
    assert len(first[0]) == 40 and not {5, 17, 30} & set(first[0])
    assert len(set(first[0])) == 37
    assert run(4) == first


def test_a_file_that_vanishes_is_one_bad_sample(tmp_path: Path) -> None:
    root = make_folder(tmp_path / "v", 20, ["jpeg 420"])
    loader = loader_of(root, shuffle=False)
    sorted(root.rglob("*.jpg"))[12].unlink()
    iterator = iter(loader)
    next(iterator)
    with pytest.raises(stoker.SampleError, match="No such file"):
        next(iterator)


@pytest.mark.filterwarnings("ignore:stoker")
def test_when_no_sample_is_good_it_says_so(tmp_path: Path) -> None:
    root = tmp_path / "bad" / "a"
    root.mkdir(parents=True)
    for number in range(4):
        (root / f"{number}.jpg").write_text("text")
    for policy in ("skip", "replace"):
        with pytest.raises(stoker.SampleError, match="no sample of its batch is good"):
            list(loader_of(root.parent, on_error=policy))


def test_every_batch_may_be_kept(photos: Path) -> None:
    loader = loader_of(photos)
    kept = list(loader)
    copies = [images.clone() for images, _ in kept]
    for _ in range(3):
        list(loader)
    assert all(torch.equal(a, b) for (a, _), b in zip(kept, copies, strict=True))


def test_memory_of_batches_that_nobody_has_is_used_again(photos: Path) -> None:
    loader = loader_of(photos, prefetch=2)
    places = set()
    for _ in range(5):
        for images, _ in loader:
            places.add(images.data_ptr())
            part = images[3:5]
            del images
            part += 1  # a view keeps the memory
    assert len(places) <= 5


def test_breaking_off_and_beginning_again(photos: Path) -> None:
    loader = loader_of(photos)
    for images, _ in loader:
        assert images.shape == (8, 3, 16, 16)
        break
    assert len(list(loader)) == 5
    old = iter(loader)
    next(old)
    assert len(list(loader)) == 5
    with pytest.raises(RuntimeError, match="a newer iteration of this loader has begun"):
        next(old)


def test_a_consumer_that_raises_leaves_nothing_behind(photos: Path) -> None:
    before = threading.active_count()
    loader = loader_of(photos)
    with pytest.raises(ZeroDivisionError):
        for _ in loader:
            raise ZeroDivisionError
    loader.close()
    deadline = time.monotonic() + 10
    while threading.active_count() > before and time.monotonic() < deadline:
        time.sleep(0.01)
    assert threading.active_count() == before
    with pytest.raises(ValueError, match="the loader is closed"):
        list(loader)


def test_random_starts_and_stops(photos: Path) -> None:
    rng = random.Random(3)
    for _ in range(1000 if FULL else 100):
        loader = loader_of(photos, threads=rng.randrange(1, 4), prefetch=rng.randrange(1, 4))
        for _, _ in zip(loader, range(rng.randrange(0, 6)), strict=False):
            pass
        if rng.random() < 0.5:
            loader.close()
        del loader


def test_a_forked_child_makes_threads_of_its_own(photos: Path) -> None:
    loader = loader_of(photos)
    iterator = loader.batches()
    first = next(iterator).samples.tolist()
    pid = os.fork()
    if pid == 0:
        try:
            loader.set_epoch(0)
            mine = next(loader.batches()).samples.tolist()
            os._exit(0 if mine == first else 1)
        finally:
            os._exit(2)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    assert sum(len(batch.labels) for batch in iterator) == 32  # the parent goes on


SCRIPT = """
    import os, sys, time, stoker
    import stoker.transforms as T
    loader = stoker.ImageLoader(sys.argv[1], 4, [T.RandomResizedCrop(16), T.ToTensor()], threads=2)
    if sys.argv[2] == "hung":
        loader._engine.begin_epoch(0, 0)
        print("ready", flush=True)
        loader._engine.next()  # of which none was lent: waits for ever
    while True:
        for batch in loader:
            print("ready", flush=True)
            time.sleep(0.01)
    """


@pytest.mark.parametrize("how", ["hung", "busy"])
def test_ctrl_c_ends_it_at_once(photos: Path, tmp_path: Path, how: str) -> None:
    script = tmp_path / "script.py"
    script.write_text(textwrap.dedent(SCRIPT))
    process = subprocess.Popen(
        [sys.executable, str(script), str(photos), how],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    _, stderr = process.communicate(timeout=30)
    assert process.returncode in (-signal.SIGINT, 130, 1)
    assert b"KeyboardInterrupt" in stderr and b"Fatal" not in stderr


def test_the_interpreter_ends_with_a_loader_in_use(photos: Path) -> None:
    code = (
        "import sys, stoker; import stoker.transforms as T\n"
        "loader = stoker.ImageLoader(sys.argv[1], 4, [T.RandomResizedCrop(16), T.ToTensor()])\n"
        "it = iter(loader); images, labels = next(it)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(photos)], capture_output=True, timeout=60
    )
    assert (done.returncode, done.stderr) == (0, b"")


def test_memory_stays_flat(photos: Path) -> None:
    def resident() -> int:
        gc.collect()
        return int(Path("/proc/self/statm").read_text().split()[1]) * 4096

    loader = loader_of(photos)
    for _ in range(10):
        list(loader)
    before = resident()
    for _ in range(60 if FULL else 20):
        for _ in loader:
            pass
    assert resident() - before < 8 << 20


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"on_error": "ignore"}, "on_error is 'ignore'; it can be raise, skip, replace"),
        ({"dtype": "int8"}, "dtype is 'int8'; it can be float32"),
        ({"layout": "hwc"}, "layout is 'hwc'; it can be nchw, nhwc"),
        ({"threads": 0}, 'threads is 0; it can be "auto" or at least 1'),
        ({"rank": 1}, "give rank and world_size together"),
        ({"rank": 2, "world_size": 2}, "rank 2 of world_size 2; ranks go from 0"),
        ({"seed": -1}, "seed is -1; it can be 0 to"),
    ],
)
def test_wrong_set_up_says_what_to_do(photos: Path, options: dict[str, Any], text: str) -> None:
    with pytest.raises(ValueError) as caught:
        loader_of(photos, **options)
    assert text in str(caught.value)


def test_wrong_sources_and_transforms_say_what_to_do(photos: Path, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="is not there; give a folder"):
        loader_of(tmp_path / "nowhere")
    with pytest.raises(TypeError, match="give a folder, a tar file"):
        loader_of(5)
    with pytest.raises(TypeError, match=r"holds \(path, label\) pairs"):
        loader_of([("a.jpg", "cat")])
    with pytest.raises(ValueError, match="samples would have different sizes; end with"):
        stoker.ImageLoader(photos, 8, [T.Resize(16), T.ToTensor()])
    with pytest.raises(AttributeError, match=r"stoker\.transforms has no 'Blur'; it has"):
        _ = T.Blur
    with pytest.raises(TypeError, match="Resize has no parameter 'sice'"):
        T.Resize(sice=3)
    with pytest.raises(TypeError, match=r"is no transform of stoker\.transforms"):
        stoker.ImageLoader(photos, 8, [print])
