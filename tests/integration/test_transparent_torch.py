# SPDX-License-Identifier: Apache-2.0
"""Training scripts below `stoker run` compute, print and fail as they do alone."""

from __future__ import annotations

import sys
from pathlib import Path

from side_by_side import PYTHON, both, environment, write

TORCHRUN = str(Path(sys.executable).parent / "torchrun")

# Whatever goes wrong in a training loop, with the traceback that a person would read.
FAILURES = """
    import gc, sys, traceback, warnings
    import torch
    from torch.utils.data import DataLoader, Dataset

    class Data(Dataset):
        def __init__(self, error=None): self.error = error
        def __len__(self): return 8
        def __getitem__(self, i):
            global deepest
            deepest = depth()
            if self.error is not None and i == 5:
                raise self.error
            return torch.full((3,), float(i))

    deepest = 0

    def depth():
        try:
            return 1 + depth()
        except RecursionError:
            return 1

    def bad_collate(items):
        raise KeyError("collate")

    def train(loader, loss=lambda y: y.sum(), closure=None):
        model = torch.nn.Linear(3, 1)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        seen = 0
        for x in loader:
            loss(model(x)).backward()
            optimizer.step(closure)
            optimizer.zero_grad()
            seen += len(x)
        return seen, deepest

    def fails(x):
        raise RuntimeError("in here")

    def attempt(name, *args, **kwargs):
        try:
            print(name, train(*args, **kwargs))
        except BaseException:
            text = traceback.format_exc()
            print(name, text, file=sys.stderr)
        gc.collect()  # or a worker does, at a moment that is never the same

    if __name__ == "__main__":
        torch.manual_seed(0)
        for workers in (0, 1):
            load = dict(batch_size=2, num_workers=workers)
            attempt("plain", DataLoader(Data(), **load))
            attempt("shuffled", DataLoader(Data(), shuffle=True, **load))
            for error in (ValueError("v"), StopIteration(), KeyboardInterrupt("k"), SystemExit(3)):
                if workers == 0 or isinstance(error, Exception):
                    attempt("data", DataLoader(Data(error), **load))
            attempt("collate", DataLoader(Data(), collate_fn=bad_collate, **load))
        loader = DataLoader(Data(), batch_size=4)
        attempt("forward", loader, loss=fails)
        attempt("backward", loader, loss=lambda y: y)
        attempt("no gradient", loader, loss=lambda y: y.detach().sum())
        attempt("closure", loader, closure=lambda: fails(1))
        attempt("size", DataLoader([torch.ones(4)]))
        attempt("nothing", DataLoader([]))
        next(iter(loader)).sum()
        try:
            next(iter(DataLoader([])))
        except StopIteration as end:
            print("end", repr(end))
        print(sys.getrecursionlimit(), warnings.filters[:3], sys.excepthook is sys.__excepthook__)
        print(torch.random.initial_seed(), torch.rand(2), torch.get_num_threads())
        train(DataLoader(Data(OSError("last")), batch_size=3))
    """


def test_tracebacks_and_numbers(tmp_path: Path) -> None:
    script = write(tmp_path, "failures.py", FAILURES)
    pair = both([PYTHON, "-W", "always", script], tmp_path)
    assert pair.alone.status == 1
    assert pair.alone.stderr.count(b"Traceback") == 14
    run = pair.check().run_json()
    assert run["errors"] == []
    assert run["attached"]


WORKERS = """
    import copy, inspect, io, os, pickle, sys, threading, atexit, multiprocessing
    import torch
    from torch import nn
    from torch.utils.data import DataLoader, Dataset, IterableDataset

    class Data(Dataset):
        def __len__(self): return 12
        def __getitem__(self, i):
            info = torch.utils.data.get_worker_info()
            return i, info.id if info else -1, torch.rand(1).item(), sys.argv[1:] == ["a"]

    class Stream(IterableDataset):
        def __iter__(self):
            yield from range(10)

    def worker(q):
        q.put([t.tolist() for t in DataLoader(Stream(), batch_size=5)])

    def main():
        torch.manual_seed(1)
        for method, count in (("fork", 2), ("spawn", 1), ("forkserver", 1)):
            load = dict(num_workers=count, multiprocessing_context=method, batch_size=3)
            print(method, list(DataLoader(Data(), **load)))
        print(list(DataLoader(Stream(), num_workers=2, batch_size=None)))
        context = multiprocessing.get_context("fork")
        q = context.SimpleQueue()
        process = context.Process(target=worker, args=(q,))
        process.start(); print(q.get()); process.join()
        thread = threading.Thread(target=lambda: print(list(DataLoader(Stream(), batch_size=4))))
        thread.start(); thread.join()
        model = nn.Sequential(nn.Linear(1, 4), nn.ReLU(), nn.Linear(4, 1))
        optimizer = torch.optim.AdamW(model.parameters())
        for i in range(8):
            model(torch.ones(1, 1)).sum().backward()
            optimizer.step()
        print(model, sorted(vars(model)), list(model.state_dict()), optimizer.state_dict().keys())
        twin = pickle.loads(pickle.dumps(copy.deepcopy(model)))
        file = io.BytesIO()
        torch.save(model, file); file.seek(0)
        loaded = torch.load(file, weights_only=False)
        print([torch.equal(a, b) for a, b in zip(twin.parameters(), loaded.parameters())])
        print(torch.jit.script(model).graph is not None, isinstance(model, nn.Sequential))
        for function in (DataLoader.__iter__, torch.autograd.backward, nn.Module.compile):
            print(inspect.signature(function), function.__name__, function.__qualname__,
                  function.__module__, function.__doc__ and len(function.__doc__),
                  pickle.loads(pickle.dumps(function)) is function)
        print(type(model).__call__, sorted(m for m in sys.modules if m.startswith("torchvision")))
        atexit.register(print, "at exit 1")
        atexit.register(print, "at exit 2")
        print([t.name for t in threading.enumerate()])

    if __name__ == "__main__":
        main()
    """


def test_workers_processes_threads_and_copies(tmp_path: Path) -> None:
    script = write(tmp_path, "workers.py", WORKERS)
    pair = both([PYTHON, script, "a"], tmp_path)
    assert pair.alone.status == 0, pair.alone.stderr.decode()
    pair.alone.stdout = b"\n".join(_plain(pair.alone.stdout))
    pair.watched.stdout = b"\n".join(_plain(pair.watched.stdout))
    assert pair.check().run_json()["errors"] == []


def _plain(output: bytes) -> list[bytes]:
    """Without addresses of functions."""
    return [line.partition(b" at 0x")[0] for line in output.splitlines()]


DISTRIBUTED = """
    import os, sys
    import torch
    import torch.distributed as dist
    from torch.nn.parallel import DistributedDataParallel
    from torch.utils.data import DataLoader, DistributedSampler

    dist.init_process_group("gloo")
    torch.manual_seed(0)
    data = torch.randn(32, 4)
    model = DistributedDataParallel(torch.nn.Linear(4, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loader = DataLoader(data, batch_size=2, sampler=DistributedSampler(data, shuffle=True))
    for epoch in range(2):
        for x in loader:
            loss = model(x).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        if dist.get_rank() == 0:
            print(epoch, loss.item(), flush=True)
    gathered = [None, None]
    dist.all_gather_object(gathered, (sys.argv, os.environ["LOCAL_RANK"], loss.item()))
    if dist.get_rank() == 0:
        print(gathered)
    dist.destroy_process_group()
    sys.exit(0)
    """


def test_torchrun_with_two_ranks(tmp_path: Path) -> None:
    script = write(tmp_path, "ddp.py", DISTRIBUTED)
    command = [TORCHRUN, "--nproc-per-node", "2", "--standalone", script, "--lr", "1"]
    for _ in range(3):  # torchrun chooses a port that another program may take before it does
        pair = both(command, tmp_path)
        if pair.alone.status == pair.watched.status == 0:
            break
    assert (pair.watched.status, pair.alone.status) == (0, 0), pair.watched.stderr.decode()
    assert pair.watched.stdout == pair.alone.stdout
    assert b"('1', " in pair.alone.stdout or b"'1'" in pair.alone.stdout
    run = pair.watched.run_json()
    assert [(rank["rank"], rank["steps"]) for rank in run["ranks"]] == [(0, 16), (1, 16)]
    assert run["errors"] == []


def test_torchrun_with_a_rank_that_fails(tmp_path: Path) -> None:
    write(tmp_path, "bad.py", "import os, sys; sys.exit(int(os.environ['RANK']) * 3)")
    command = [TORCHRUN, "--nproc-per-node", "2", "--standalone", "bad.py"]
    pair = both(command, tmp_path, environment(TORCHELASTIC_ERROR_FILE=""))
    assert pair.watched.status == pair.alone.status == 1
    assert b"exitcode  : 3" in pair.watched.stderr


KILLED = """
    import os, signal, sys, time
    import torch
    from torch.utils.data import DataLoader, Dataset
    class Data(Dataset):
        def __len__(self): return 8
        def __getitem__(self, i):
            if i == 5:
                time.sleep(1)  # until what it made has arrived
                os.kill(os.getpid(), signal.SIGKILL)
            return float(i)
    try:
        for x in DataLoader(Data(), batch_size=1, num_workers=1):
            print(x)
    except RuntimeError as error:
        print(str(error).split("(")[0])
        sys.exit(11)
    """


def test_a_worker_that_is_killed(tmp_path: Path) -> None:
    pair = both([PYTHON, write(tmp_path, "killed.py", KILLED)], tmp_path)
    assert (pair.alone.status, pair.watched.status) == (11, 11)
    assert pair.watched.stdout == pair.alone.stdout
    assert b"DataLoader worker" in pair.alone.stdout
    assert pair.watched.run_json()["errors"] == []


def test_no_warning_of_its_own(tmp_path: Path) -> None:
    write(
        tmp_path,
        "quiet.py",
        """
        import warnings, torch
        warnings.simplefilter("error")
        from PIL import Image
        torch.manual_seed(0)
        model = torch.nn.Linear(1, 1)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        for x in torch.utils.data.DataLoader(torch.ones(20, 1)):
            model(x).sum().backward()
            optimizer.step()
        print(model.weight)
        """,
    )
    assert both([PYTHON, "quiet.py"], tmp_path).check().run_json()["errors"] == []
