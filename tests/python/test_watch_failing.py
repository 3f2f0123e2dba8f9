# SPDX-License-Identifier: Apache-2.0
"""Errors of the script pass through as they are; errors of stoker stay inside."""

from __future__ import annotations

from pathlib import Path

import pytest
from watched_script import alone, watched

from stoker import _core

ERRORS = """
    import sys, traceback, warnings
    import torch
    from torch.utils.data import DataLoader, Dataset, IterableDataset

    class Data(Dataset):
        def __len__(self):
            return 8
        def __getitem__(self, i):
            if i == 2:
                raise ValueError("no such sample")
            return torch.ones(2)

    class Stream(IterableDataset):
        def __iter__(self):
            yield torch.ones(2)
            raise OSError("stream broke")

    class Broken(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = torch.nn.Linear(2, 1)
            self.calls = 0
        def forward(self, x):
            self.calls += 1
            if self.calls % 2 == 0:
                raise RuntimeError("no forward")
            return self.layer(x)

    def collate(samples):
        raise KeyError("collate")

    def backward():
        y = torch.ones(2, requires_grad=True) * 2
        y.register_hook(lambda grad: 1 / 0)
        y.sum().backward()

    model = Broken()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    def step():
        optimizer.step(lambda: {}["closure"])

    def main():
        for attempt in (
            lambda: list(DataLoader(Data(), batch_size=2)),
            lambda: list(DataLoader(Data(), batch_size=2, num_workers=1)),
            lambda: list(DataLoader(Stream(), batch_size=1)),
            lambda: list(DataLoader([1, 2], collate_fn=collate)),
            lambda: (model(torch.ones(1, 2)), model(torch.ones(1, 2))),
            lambda: (model(torch.ones(1, 2)), model(torch.ones(1, 2))),
            backward,
            step,
            lambda: torch.autograd.backward(),
            lambda: next(iter(DataLoader([]))),
        ):
            try:
                attempt()
            except BaseException:
                print(traceback.format_exc())

    if __name__ == "__main__":
        main()
        DataLoader(Data(), num_workers=500).__iter__
        raise SystemExit("the end")
"""


def test_tracebacks_are_the_same(tmp_path: Path) -> None:
    expected = alone(tmp_path, ERRORS)
    outcome = watched(tmp_path, ERRORS)
    assert expected.stdout.count("Traceback") >= 10
    assert outcome.stdout == expected.stdout
    assert outcome.stderr == expected.stderr
    assert outcome.status == expected.status == 1
    assert outcome.faults == []


TRAINING = """
    import sys
    import torch
    import stoker.watch
    exec(sys.argv[1] if len(sys.argv) > 1 else "")
    torch.manual_seed(0)
    model = torch.nn.Linear(3, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x, in torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.randn(20, 3))):
        optimizer.zero_grad()
        model(x).sum().backward()
        optimizer.step()
    print(model.weight.tolist())
"""

FAULTS = {
    "recorder": "stoker._core.Recorder.create = None",
    "loader start": "import stoker.watch.loaders as m; m._numbers = None",
    "forward": "import stoker.watch.forward as m; m._ModelCall = None",
    "fetcher": "import stoker.watch.stages as m; m._core = None",
}


@pytest.mark.parametrize("where", FAULTS)
def test_a_hook_that_raises_switches_itself_off(tmp_path: Path, where: str) -> None:
    good = alone(tmp_path, TRAINING.replace("import stoker.watch", ""))
    bad = watched(tmp_path, TRAINING, f"import stoker; {FAULTS[where]}")
    assert (bad.status, bad.stdout, bad.stderr) == (0, good.stdout, "")
    assert [fault["where"] for fault in bad.faults] == [where]


def test_a_run_folder_that_cannot_be_written(tmp_path: Path) -> None:
    good = alone(tmp_path, TRAINING.replace("import stoker.watch", ""))
    bad = watched(tmp_path, TRAINING, STOKER_RUN_DIR="/dev/null/run")
    assert (bad.status, bad.stdout, bad.stderr) == (0, good.stdout, "")


IDLE = """
    import os, sys
    import torch
    model = torch.nn.Linear(3, 1)
    model(torch.ones(1, 3))
    if os.fork() == 0:
        os._exit(0)
    os.wait()
"""


def test_a_process_that_trains_nothing_leaves_no_file(tmp_path: Path) -> None:
    outcome = watched(tmp_path, IDLE)
    assert (outcome.status, outcome.stderr) == (0, "")
    assert outcome.processes == []
    assert list(outcome.run_dir.iterdir()) == []


CRASH = TRAINING + "    import os, signal; os.kill(os.getpid(), signal.SIGSEGV)\n"


def test_a_crash_loses_nothing(tmp_path: Path) -> None:
    outcome = watched(tmp_path, CRASH)
    assert outcome.status == -11
    assert outcome.main["step_count"] == 20


FORK = (
    TRAINING
    + """
    if os.fork() == 0:
        model(x).sum().backward()
        optimizer.step()
        optimizer.step()
        os._exit(0)
    os.wait()
"""
)


def test_a_forked_child_writes_a_file_of_its_own(tmp_path: Path) -> None:
    outcome = watched(tmp_path, FORK.replace("import sys", "import os, sys", 1))
    assert sorted(process["step_count"] for process in outcome.processes) == [1, 20]
    assert len({process["pid"] for process in outcome.processes}) == 2


class Calls(list[object]):
    def fault(self, error: BaseException) -> None:
        self.append(repr(error))


def test_a_probe_drops_hooks_that_raise_and_keeps_the_call() -> None:
    calls = Calls()

    def enter(first: object) -> None:
        calls.append(("enter", first))
        raise ValueError("enter")

    probe = _core.probe(lambda *args: args, enter, lambda *_: calls.append("leave"), calls.fault)
    assert probe(1, 2) == (1, 2)
    assert probe(3) == (3,)
    assert calls == [("enter", 1), "ValueError('enter')"]


def test_a_probe_passes_the_callers_error_on() -> None:
    calls = Calls()
    probe = _core.probe(
        lambda: 1 / 0, None, lambda first, result, error: calls.append((result, error)), calls.fault
    )
    with pytest.raises(ZeroDivisionError) as caught:
        probe()
    assert calls == [(None, ZeroDivisionError)]
    assert len(caught.traceback) == 2  # this function and the lambda


def test_an_interrupt_in_a_hook_is_the_scripts() -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    calls = Calls()
    for probe in (
        _core.probe(len, interrupted, None, calls.fault),
        _core.probe(len, None, interrupted, calls.fault),
    ):
        with pytest.raises(KeyboardInterrupt):
            probe("abc")
    assert calls == []
