# SPDX-License-Identifier: Apache-2.0
"""Training loops that levers could spoil: they end where they end alone."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from test_lever_plan import FAST, SCRIPT, last_words, losses
from watched_script import alone, watched

MODEL = """
import torch
torch.manual_seed(0)
torch.set_num_threads(1)
def net(inside, out):
    return torch.nn.Sequential(
        torch.nn.Linear(inside, 16), torch.nn.Tanh(), torch.nn.Linear(16, out))
"""

# Accumulation, a smaller last batch, clipping, a schedule, evaluation, outputs that are kept.
ACCUMULATING = (
    MODEL
    + """
model = net(6, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.5, momentum=0.9, weight_decay=0.01)
schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 30)
data, target = torch.randn(30, 6), torch.randn(30, 2)
kept = []
for step in range(30):
    optimizer.zero_grad()
    for part in torch.arange(30).split(8):
        out = model(data[part])
        ((out - target[part]) ** 2).sum().div(60).backward()
        if step % 10 == 0:
            kept.append(out.detach())
    torch.nn.utils.clip_grad_norm_(model.parameters(), 0.5)
    optimizer.step()
    schedule.step()
    model.eval()
    with torch.no_grad():
        print(((model(data) - target) ** 2).mean().item())
    model.train()
for out in kept:
    print(out.sum().item())
torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict()}, "saved.pt")
"""
)

GAN = (
    MODEL
    + """
maker, judge = net(4, 6), net(6, 1)
first = torch.optim.Adam(judge.parameters(), lr=0.01)
second = torch.optim.Adam(maker.parameters(), lr=0.01)
loss = torch.nn.BCEWithLogitsLoss()
real, ones, zeros = torch.randn(8, 6), torch.ones(8, 1), torch.zeros(8, 1)
for step in range(30):
    made = maker(torch.randn(8, 4))
    first.zero_grad()
    right = loss(judge(real), ones) + loss(judge(made.detach()), zeros)
    right.backward()
    first.step()
    second.zero_grad()
    wrong = loss(judge(made), ones)
    wrong.backward()
    second.step()
    print(right.item())
    print(wrong.item())
"""
)

# Each call draws other numbers.
DROPOUT = (
    MODEL
    + """
model = torch.nn.Sequential(net(6, 64), torch.nn.Dropout(0.5))
optimizer = torch.optim.SGD(model.parameters(), lr=0.0)
data = torch.ones(1, 6)
masks = set()
for step in range(30):
    out = model(data)
    optimizer.zero_grad()
    out.sum().backward()
    optimizer.step()
    masks.add(tuple((out[0] == 0).tolist()))
print(len(masks))
"""
)


@pytest.mark.parametrize("script", [ACCUMULATING, GAN, DROPOUT], ids=["accumulate", "gan", "drop"])
def test_ends_as_alone(script: str, tmp_path: Path) -> None:
    plain_folder, lever_folder = tmp_path / "alone", tmp_path / "levers"
    plain_folder.mkdir()
    lever_folder.mkdir()
    plain = alone(plain_folder, script)
    outcome = watched(lever_folder, FAST + script, STOKER_ALLOW="exact,rounding")
    assert outcome.status == 0 and outcome.stderr == ""
    assert losses(outcome) == pytest.approx(losses(plain), rel=1e-3, abs=1e-5)
    levers = last_words(outcome)
    assert levers["compile"]["applied"], levers["compile"]
    assert levers["fused_optimizer"]["applied"]
    assert outcome.faults == []


def test_a_checkpoint_goes_on_without_stoker(tmp_path: Path) -> None:
    outcome = watched(tmp_path, FAST + ACCUMULATING, STOKER_ALLOW="exact,rounding")
    assert outcome.status == 0
    saved = torch.load(tmp_path / "saved.pt")
    model = torch.nn.Sequential(torch.nn.Linear(6, 16), torch.nn.Tanh(), torch.nn.Linear(16, 2))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5, momentum=0.9)
    model.load_state_dict(saved["model"])
    optimizer.load_state_dict(saved["optimizer"])
    momentum = optimizer.state_dict()["state"][0]["momentum_buffer"]
    assert torch.equal(momentum, saved["optimizer"]["state"][0]["momentum_buffer"])
    optimizer.param_groups[0]["lr"] = 0.1
    model(torch.ones(2, 6)).sum().backward()
    optimizer.step()
    assert not torch.equal(model[0].weight, saved["model"]["0.weight"])


@pytest.mark.slow
def test_compiled_to_machine_code(tmp_path: Path) -> None:
    outcome = watched(tmp_path, SCRIPT, STOKER_ALLOW="exact,rounding")
    (tmp_path / "alone").mkdir()
    plain = alone(tmp_path / "alone", SCRIPT)
    assert outcome.status == 0 and outcome.faults == []
    assert losses(outcome) == pytest.approx(losses(plain), rel=1e-3)
    compile = last_words(outcome)["compile"]
    kept = compile["applied"] and "of compiling pay after" in compile["detail"]
    assert kept or compile["reason"].startswith("brought nothing"), compile
