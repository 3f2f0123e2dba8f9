# SPDX-License-Identifier: Apache-2.0
"""One contender in a process of its own.

usage: serve.py CONTENDER.py FOLDER MADE WORKLOAD BATCH CORES     (CORES: 0,1)

Answers in lines of JSON on stdout: first {"ready"} or {"error"}, then to each line on stdin:
    block SECONDS   batches until SECONDS have passed: {"samples", "seconds"}
    first FILE      the first batch, before any block, as .npy: {"saved"}
"""

from __future__ import annotations

import ctypes
import importlib.util
import json
import os
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

PR_SET_PDEATHSIG = 1


def load(file: Path) -> ModuleType:
    """The module in `file`, under a name that hides no package."""
    spec = importlib.util.spec_from_file_location(f"contender_{file.stem}", file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


class Server:
    def __init__(self, batches: Iterator[Any], first: Any, answers: Any) -> None:
        self.batches = batches
        self.first = first
        self.answers = answers

    def answer(self, **values: object) -> None:
        print(json.dumps(values), file=self.answers, flush=True)

    def block(self, seconds: str) -> None:
        samples = 0
        begin = now = time.perf_counter()
        while now < begin + float(seconds):
            samples += len(next(self.batches))
            now = time.perf_counter()
        self.answer(samples=samples, seconds=now - begin)

    def save_first(self, file: str) -> None:
        import numpy as np

        np.save(file, self.first.numpy())
        self.answer(saved=True)

    def run(self) -> None:
        self.answer(ready=True)
        for line in sys.stdin:
            verb, value = line.split()
            if verb == "first":
                self.save_first(value)
            else:
                self.first = None
                self.block(value)


def main() -> None:
    file, folder, made, workload, batch, cores = sys.argv[1:]
    pinned = {int(core) for core in cores.split(",")}
    os.sched_setaffinity(0, pinned)
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what libraries print is no answer
    try:
        import torch
        from workloads import Photos

        torch.set_num_threads(1)
        torch.manual_seed(0)
        photos = Photos(Path(folder), Path(made))
        batches = iter(load(Path(file)).make(photos, int(batch), len(pinned), workload))
        first = next(batches).clone()
    except Exception as error:
        print(json.dumps({"error": f"{type(error).__name__}: {error}"}), file=answers, flush=True)
        raise
    Server(batches, first, answers).run()


if __name__ == "__main__":
    main()
