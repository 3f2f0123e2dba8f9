# SPDX-License-Identifier: Apache-2.0
"""Time is found in the phase where it was spent."""

from __future__ import annotations

import json
import statistics
from pathlib import Path
from typing import Any

import pytest
from watched_script import Outcome, watched

pytestmark = pytest.mark.alone

WARMUP = 5  # steps that the recorder's statistics leave out

SLEEPS = """
    import json, time
    import torch
    from torch.utils.data import DataLoader, Dataset

    slept = {}

    def sleep(phase, ms):
        start = time.monotonic_ns()
        time.sleep(ms / 1000)
        slept.setdefault(phase, []).append(time.monotonic_ns() - start)

    class Data(Dataset):
        def __len__(self):
            return 60
        def __getitem__(self, i):
            sleep("data_wait", 12)
            return torch.ones(4), 1.0

    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = torch.nn.Linear(4, 1)
        def forward(self, x):
            y = self.layer(x)
            sleep("forward", 14)
            y.register_hook(lambda grad: sleep("backward", 16))
            return y

    model = Model()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    original = torch.optim.SGD._init_group

    def slow_group(self, *args, **kwargs):
        sleep("optimizer", 18)
        return original(self, *args, **kwargs)

    torch.optim.SGD._init_group = slow_group
    for x, y in DataLoader(Data(), batch_size=1):
        loss = (model(x).squeeze(1) - y).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        sleep("residual", 20)
    print(json.dumps(slept))
"""


@pytest.fixture(scope="module")
def sleeps(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    outcome = watched(tmp_path_factory.mktemp("sleeps"), SLEEPS)
    assert outcome.status == 0, outcome.stderr
    return outcome


def median_ms(values: list[int]) -> float:
    return statistics.median(values[WARMUP:]) / 1e6


@pytest.mark.parametrize("phase", ["data_wait", "forward", "backward", "optimizer", "residual"])
def test_sleeps_are_found_in_their_phase(sleeps: Outcome, phase: str) -> None:
    slept = json.loads(sleeps.stdout)[phase]
    found = [step[phase] for step in sleeps.main["recent"]]
    assert median_ms(found) == pytest.approx(median_ms(slept), rel=0.05)


def test_every_step_and_sample_is_counted(sleeps: Outcome) -> None:
    assert sleeps.main["step_count"] == 60
    assert sleeps.main["samples"] == 60 - WARMUP
    assert sleeps.main["batches"] == sleeps.main["batch_samples"] == 60
    assert sleeps.faults == []
    assert sleeps.stderr == ""


PLAIN = """
    import sys
    import torch
    from torch.utils.data import DataLoader, TensorDataset

    workers, method, persistent = int(sys.argv[1]), sys.argv[2], sys.argv[3] == "persistent"

    def main():
        torch.manual_seed(0)
        data = TensorDataset(torch.randn(96, 3, 32, 32), torch.randint(5, (96,)))
        more = {}
        if workers:
            more = dict(multiprocessing_context=method, persistent_workers=persistent)
        loader = DataLoader(data, batch_size=8, shuffle=True, num_workers=workers, **more)
        held_out = DataLoader(data, batch_size=16)
        model = torch.nn.Sequential(
            torch.nn.Conv2d(3, 32, 3), torch.nn.ReLU(), torch.nn.Conv2d(32, 32, 3),
            torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.LazyLinear(5),
        )
        model(data[0][0][None])
        optimizer = torch.optim.Adam(model.parameters())
        for epoch in range(3):
            model.train()
            for x, y in loader:
                loss = torch.nn.functional.cross_entropy(model(x), y)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            model.eval()
            with torch.no_grad():
                for x, y in held_out:
                    model(x)
        print(sum(p.double().sum().item() for p in model.parameters()))

    if __name__ == "__main__":
        main()
"""


PHASES = ["data_wait", "transfer", "forward", "backward", "optimizer", "sync", "residual"]


def residual_share(step: dict[str, Any]) -> float:
    share: float = step["residual"] / sum(step[phase] for phase in PHASES)
    return share


def test_a_plain_loop_leaves_little_unexplained(tmp_path: Path) -> None:
    outcome = watched(tmp_path, PLAIN, "0", "none", "no")
    main = outcome.main
    assert outcome.faults == []
    assert main["step_count"] == 3 * 12
    assert main["pause_count"] == 3  # the start, and the validation passes between epochs
    assert statistics.median(map(residual_share, main["recent"][WARMUP:])) < 0.05
    assert main["samples"] == (3 * 12 - WARMUP) * 8
    assert 0 < main["overhead_us"] < 100  # 30 is the budget of a machine with nothing else to do


@pytest.mark.parametrize(
    ("method", "persistent", "processes"),
    [("fork", "no", 6), ("fork", "persistent", 2), ("spawn", "no", 6), ("spawn", "persistent", 2)],
)
def test_workers_write_what_they_made(
    tmp_path: Path, method: str, persistent: str, processes: int
) -> None:
    outcome = watched(tmp_path, PLAIN, "2", method, persistent)
    assert outcome.status == 0, outcome.stderr
    assert outcome.faults == []
    assert len(outcome.workers) == processes
    assert sum(worker["batches"] for worker in outcome.workers) == 3 * 12
    assert sum(worker["batch_samples"] for worker in outcome.workers) == 3 * 96
    assert all(worker["stages"]["collate"] > 0 for worker in outcome.workers)
    assert outcome.main["step_count"] == 3 * 12
    assert outcome.main["batches"] == 3 * 6  # of the validation passes


LOADING = """
    import io, json, time
    import torch
    from PIL import Image, ImageFile
    from torch.utils.data import DataLoader, Dataset

    out = io.BytesIO()
    Image.effect_noise((500, 375), 80).convert("RGB").save(out, "PNG")
    data = out.getvalue()
    spent = {"decode": 0, "transform": 0, "collate": 0}

    def timed(stage, call):
        start = time.monotonic_ns()
        result = call()
        spent[stage] += time.monotonic_ns() - start
        return result

    class Data(Dataset):
        def __len__(self):
            return 24
        def __getitem__(self, i):
            image = Image.open(io.BytesIO(data))
            timed("decode", image.load)
            timed("transform", lambda: time.sleep(0.02))
            return torch.zeros(2)

    def collate(samples):
        return timed("collate", lambda: (time.sleep(0.04), torch.stack(samples))[1])

    for batch in DataLoader(Data(), batch_size=4, collate_fn=collate):
        pass
    print(json.dumps(spent))
"""


def test_stages_of_making_a_batch(tmp_path: Path) -> None:
    outcome = watched(tmp_path, LOADING)
    assert outcome.faults == []
    spent = json.loads(outcome.stdout)
    for stage, ns in spent.items():
        assert outcome.main["stages"][stage] == pytest.approx(ns, rel=0.05)
    assert outcome.main["batch_samples"] == 24
