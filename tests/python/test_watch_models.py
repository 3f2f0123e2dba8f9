# SPDX-License-Identifier: Apache-2.0
"""What a script can see of its model and of torch's functions is as it would be unwatched."""

from __future__ import annotations

from pathlib import Path

import pytest
from watched_script import alone, watched

COMMON = """
    import torch

    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.ReLU())
            self.head = torch.nn.Linear(4, 1)
        def forward(self, x):
            return self.head(self.layers(x))

    def train(call, parameters, steps=12):
        optimizer = torch.optim.SGD(parameters, lr=0.1)
        for step in range(steps):
            loss = call(torch.ones(2, 4)).sum()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()

    torch.manual_seed(0)
    model = Model()
"""

LOOKING = (
    COMMON
    + """
    import copy, gc, inspect, io, pickle, weakref

    train(model, model.parameters())
    alive = weakref.ref(model)
    del model
    gc.collect()
    print("freed:", alive() is None)
    model = Model()
    train(model, model.parameters())
    print(type(model) is Model, list(model.state_dict()), [n for n, _ in model.named_modules()])
    for other in (copy.deepcopy(model), copy.copy(model), pickle.loads(pickle.dumps(model))):
        print(type(other), sorted(vars(other)), torch.equal(other(torch.ones(1, 4)),
                                                            model(torch.ones(1, 4))))
    file = io.BytesIO()
    torch.save(model, file)
    print(len(file.getvalue()))
    print(torch.jit.trace(model, torch.ones(1, 4)).code)
    print(torch.fx.symbolic_trace(model).code)
    print(torch.jit.script(model).code)
    for function in (torch.autograd.backward, torch.utils.data.DataLoader.__iter__,
                     torch.optim.Optimizer.__init__, torch.nn.Module.compile):
        print(function.__name__, function.__qualname__, function.__module__,
              inspect.signature(function), len(function.__doc__ or ""))
    print(pickle.loads(pickle.dumps(torch.autograd.backward)) is torch.autograd.backward)
"""
)


def test_a_model_looks_and_behaves_the_same(tmp_path: Path) -> None:
    expected = alone(tmp_path, LOOKING)
    outcome = watched(tmp_path, LOOKING)
    assert expected.status == 0, expected.stderr
    assert outcome.stdout == expected.stdout
    assert outcome.stderr == expected.stderr
    assert outcome.stdout.startswith("freed: True\n")
    assert outcome.faults == []


COMPILED = (
    COMMON
    + """
    from torch._dynamo.utils import counters

    def report():
        print({k: dict(v) for k, v in counters.items() if k in ("graph_break", "stats", "frames")})
        torch._dynamo.reset()
        counters.clear()

    def compiled_module():
        compiled = torch.compile(model, backend="eager", fullgraph=True)
        train(compiled, model.parameters())

    def compiled_later():
        train(model, model.parameters(), steps=3)
        compiled_module()

    def compiled_in_place():
        model.compile(backend="eager", fullgraph=True)
        train(model, model.parameters())

    def compiled_in_place_later():
        train(model, model.parameters(), steps=3)
        compiled_in_place()

    def compiled_parts():
        model.layers = torch.compile(model.layers, backend="eager", fullgraph=True)
        model.head.compile(backend="eager", fullgraph=True)
        train(model, model.parameters())

    def compiled_with_hooks():
        train(model, model.parameters(), steps=3)
        for part in model.modules():
            part.register_forward_hook(lambda module, args, output: output * 1)
        function = torch.compile(lambda x: model(x), backend="eager", fullgraph=True)
        train(function, model.parameters())

    def compiled_function():
        function = torch.compile(lambda x: model(x), backend="eager", fullgraph=True)
        train(function, model.parameters())

    import sys
    globals()[sys.argv[1]]()
    report()
    print(sum(p.double().sum().item() for p in model.parameters()), list(model.state_dict()))
"""
)


@pytest.mark.parametrize(
    ("way", "forward_is_seen"),
    [
        ("compiled_module", True),
        ("compiled_later", True),
        ("compiled_in_place", True),
        ("compiled_in_place_later", True),
        ("compiled_parts", True),
        ("compiled_with_hooks", False),
        ("compiled_function", False),
    ],
)
def test_compiling_gives_the_same_graphs(tmp_path: Path, way: str, forward_is_seen: bool) -> None:
    expected = alone(tmp_path, COMPILED, way)
    outcome = watched(tmp_path, COMPILED, way)
    assert expected.status == 0, expected.stderr
    assert outcome.stdout == expected.stdout
    assert outcome.stderr == expected.stderr
    assert outcome.faults == []
    assert (outcome.main["recent"][-1]["forward"] > 0) == forward_is_seen
    assert outcome.main["recent"][-1]["backward"] > 0


DISTRIBUTED = (
    COMMON
    + """
    import os, copy
    import torch.distributed as dist
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT="0")
    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    ddp = torch.nn.parallel.DistributedDataParallel(model)
    train(ddp, ddp.parameters())
    print(list(ddp.state_dict()), type(ddp), "_compiled_call_impl" in vars(model))
    print(sum(p.double().sum().item() for p in model.parameters()))
    dist.destroy_process_group()
"""
)


def test_data_parallel_training(tmp_path: Path) -> None:
    expected = alone(tmp_path, DISTRIBUTED)
    outcome = watched(tmp_path, DISTRIBUTED)
    assert expected.status == 0, expected.stderr
    assert (outcome.status, outcome.stdout) == (0, expected.stdout)
    assert outcome.faults == []
    assert outcome.main["step_count"] == 11  # from border to border
    assert outcome.main["recent"][-1]["forward"] > 0


WRONG_FIRST = (
    COMMON
    + """
    probe = Model()
    optimizer = torch.optim.SGD(probe.parameters(), lr=0.1)
    probe(torch.ones(1, 4))
    train(model, model.parameters(), steps=20)
"""
)


def test_a_module_that_is_not_trained_is_let_go(tmp_path: Path) -> None:
    outcome = watched(tmp_path, WRONG_FIRST)
    assert outcome.faults == []
    seen = [step["forward"] > 0 for step in outcome.main["recent"]]
    assert seen[-10:] == [True] * 10
