# SPDX-License-Identifier: Apache-2.0
"""Accelerate with gradient accumulation. Arguments: mixed precision, dynamo back end."""

from __future__ import annotations

import sys

import torch
from accelerate import Accelerator
from accelerate.utils import TorchDynamoPlugin
from torch.utils.data import DataLoader, TensorDataset

mixed_precision, dynamo_backend = sys.argv[1:]
accelerator = Accelerator(
    cpu=True,
    mixed_precision=mixed_precision,
    dynamo_plugin=TorchDynamoPlugin(backend=dynamo_backend, fullgraph=True),
    gradient_accumulation_steps=2,
)
torch.manual_seed(1)
inputs = torch.randn(96, 16)
labels = (inputs.sum(1) > 0).long()
model = torch.nn.Sequential(torch.nn.Linear(16, 64), torch.nn.GELU(), torch.nn.Linear(64, 2))
optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 48)
loader = DataLoader(TensorDataset(inputs, labels), batch_size=8, shuffle=True)
model, optimizer, loader, schedule = accelerator.prepare(model, optimizer, loader, schedule)
for _epoch in range(5):
    for batch, wanted in loader:
        with accelerator.accumulate(model):
            loss = torch.nn.functional.cross_entropy(model(batch), wanted)
            accelerator.backward(loss)
            if accelerator.sync_gradients:
                accelerator.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            optimizer.zero_grad()
        print("loss", loss.item())
accelerator.save_state("state")
accelerator.save(accelerator.get_state_dict(model), "model.pt")
