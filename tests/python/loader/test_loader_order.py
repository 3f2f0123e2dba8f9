# SPDX-License-Identifier: Apache-2.0
"""Order, ranks and resuming: what is delivered depends on the plan alone."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from images import make_folder

import stoker
import stoker.transforms as T

CHAIN = [T.RandomResizedCrop(16), T.RandomHorizontalFlip(), T.ToTensor()]
FULL = os.environ.get("STOKER_TEST_FULL") == "1"
RESUME = Path(__file__).with_name("resume_script.py")


@pytest.fixture(scope="module")
def photos(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_folder(tmp_path_factory.mktemp("photos"), 53, ["jpeg 420", "png"])


def loader_of(photos: Path, batch_size: int = 4, **options: Any) -> stoker.ImageLoader:
    return stoker.ImageLoader(photos, batch_size, CHAIN, **{"seed": 5, "threads": 2, **options})


def delivered(loader: stoker.ImageLoader) -> tuple[list[int], list[bytes]]:
    samples: list[int] = []
    images: list[bytes] = []
    for batch in loader.batches():
        samples += batch.samples.tolist()
        images += [image.numpy().tobytes() for image in batch.images]
    return samples, images


def test_threads_and_prefetch_change_nothing(photos: Path) -> None:
    expected = delivered(loader_of(photos, threads=1, prefetch=1))
    assert sorted(expected[0]) == list(range(53))
    for threads, prefetch in ((2, 1), (7, 9), ("auto", "auto"), (1, 20)):
        assert delivered(loader_of(photos, threads=threads, prefetch=prefetch)) == expected


def test_epochs_have_orders_of_their_own_and_come_again(photos: Path) -> None:
    loader = loader_of(photos)
    first, second = delivered(loader), delivered(loader)
    assert first[0] != second[0] and sorted(first[0]) == sorted(second[0])
    loader.set_epoch(0)
    assert delivered(loader) == first
    loader.set_epoch(1)
    assert delivered(loader) == second
    assert delivered(loader_of(photos, seed=6))[0] != first[0]


def test_without_shuffling_the_order_is_image_folders(photos: Path) -> None:
    loader = loader_of(photos, shuffle=False)
    assert delivered(loader)[0] == list(range(53))
    assert delivered(loader)[0] == list(range(53))


@pytest.mark.parametrize("ranks", [2, 3, 5])
def test_ranks_together_deliver_each_sample_once(photos: Path, ranks: int) -> None:
    alone = dict(zip(*delivered(loader_of(photos)), strict=True))
    parts = [loader_of(photos, rank=rank, world_size=ranks) for rank in range(ranks)]
    assert len({len(part) for part in parts}) == 1
    together = [delivered(part) for part in parts]
    samples = [sample for part, _ in together for sample in part]
    repeated = parts[0].stats()["repeated"]
    assert len(samples) == 53 + repeated and set(samples) == set(range(53))
    for part, images in together:
        for sample, image in zip(part, images, strict=True):
            assert alone[sample] == image
    dropping = [
        delivered(loader_of(photos, rank=rank, world_size=ranks, uneven="drop"))[0]
        for rank in range(ranks)
    ]
    assert len({len(part) for part in dropping}) == 1
    flat = [sample for part in dropping for sample in part]
    assert len(flat) == len(set(flat)) == 53 - 53 % ranks


def test_drop_last_gives_whole_batches_alone(photos: Path) -> None:
    loader = loader_of(photos, drop_last=True)
    assert len(loader) == 13 == len(list(loader))
    assert loader.stats()["dropped"] == 1


@pytest.mark.parametrize("stop", [1, 5, 13, 14])
def test_resume_in_the_middle_of_an_epoch(photos: Path, stop: int) -> None:
    whole = loader_of(photos)
    expected = [delivered(whole), delivered(whole)]
    loader = loader_of(photos)
    taken: list[int] = []
    iterator = loader.batches()
    for _ in range(stop):
        taken += next(iterator).samples.tolist()
    state = json.loads(json.dumps(loader.state_dict()))
    assert len(json.dumps(state)) < 1024
    resumed = loader_of(photos, threads=1, prefetch=5, batch_size=3)
    resumed.load_state_dict(state)
    resumed.set_epoch(0)  # what a training loop calls for the epoch that it goes on with
    rest = delivered(resumed)
    assert taken + rest[0] == expected[0][0]
    assert rest[1] == expected[0][1][len(taken) :]
    assert delivered(resumed) == expected[1]


def test_state_after_an_epoch_is_the_next_one(photos: Path) -> None:
    loader = loader_of(photos)
    assert loader.state_dict()["position"] == 0 and loader.state_dict()["epoch"] == 0
    list(loader)
    state = loader.state_dict()
    assert (state["epoch"], state["position"]) == (1, 0)
    resumed = loader_of(photos)
    resumed.load_state_dict(state)
    assert delivered(resumed) == delivered(loader)


def test_batches_made_ahead_are_not_counted_as_delivered(photos: Path) -> None:
    loader = loader_of(photos, prefetch=10)
    iterator = iter(loader)
    next(iterator)
    assert loader.state_dict()["position"] == 4


def test_another_number_of_ranks_goes_on(photos: Path) -> None:
    samples: list[int] = []
    state: dict[str, Any] | None = None
    for ranks, steps in ((1, 3), (3, 2), (2, 100)):
        states = []
        for rank in range(ranks):
            loader = loader_of(photos, rank=rank, world_size=ranks)
            if state is not None:
                loader.load_state_dict(state)
            for _, batch in zip(range(steps), loader.batches(), strict=False):
                samples += batch.samples.tolist()
            states.append(loader.state_dict())
        assert all(s == states[0] for s in states)
        state = states[0]
    assert sorted(set(samples)) == list(range(53))
    assert len(samples) == 54  # 12 + 24, and 17 left for two ranks, one of them repeated


@pytest.mark.parametrize(
    "change",
    [{"seed": 6}, {"shuffle": False}, {"samples": 1}, {"fingerprint": "0"}, {"schema": ""}],
)
def test_a_state_of_something_else_is_refused(photos: Path, change: dict[str, Any]) -> None:
    loader = loader_of(photos)
    state = {**loader.state_dict(), **change}
    with pytest.raises(ValueError, match=f"this state has {next(iter(change))}"):
        loader.load_state_dict(state)


@pytest.mark.ci
def test_kill_and_resume_joins_to_the_unbroken_epoch(tmp_path: Path) -> None:
    """Killed at random batches, resumed each time by another process with other threads."""
    photos = make_folder(tmp_path / "photos", 280 if FULL else 112, ["jpeg 420", "png"])
    expected = delivered(loader_of(photos))
    rng = random.Random(1)
    log = tmp_path / "log"
    log.touch()
    command = [sys.executable, str(RESUME), str(photos), str(log), str(tmp_path / "state.json")]
    kills = 0
    while True:
        threads = str(rng.choice([1, 2, 4]))
        process = subprocess.Popen([*command, threads], stdout=subprocess.PIPE)
        assert process.stdout is not None
        batches = rng.randrange(1, 3)  # of 4 samples
        for _ in range(batches):
            if not process.stdout.readline():
                break
        else:
            process.send_signal(signal.SIGKILL)
        process.stdout.close()
        if process.wait() == 0:
            break
        kills += 1
    assert kills >= (50 if FULL else 20) - 8
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    assert [sample for line in lines for sample in line["samples"]] == expected[0]
    assert [h for line in lines for h in line["hashes"]] == [hash_of(i) for i in expected[1]]


def hash_of(image: bytes) -> str:
    import hashlib

    return hashlib.sha256(image).hexdigest()


def test_torch_checkpoint_sees_a_stateful_object(photos: Path) -> None:
    from torch.distributed.checkpoint.stateful import Stateful

    assert isinstance(loader_of(photos), Stateful)


def test_labels_and_images_belong_together(photos: Path) -> None:
    loader = loader_of(photos, shuffle=True)
    for batch in loader.batches():
        source = loader._source
        assert batch.labels.tolist() == [source.label(int(n)) for n in batch.samples]
        assert batch.images.dtype == torch.float32
