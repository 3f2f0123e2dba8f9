# SPDX-License-Identifier: Apache-2.0
"""DistributedDataParallel under torchrun, on the CPU. Rank 0 prints the losses and saves."""

from __future__ import annotations

import argparse

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler

parser = argparse.ArgumentParser()
parser.add_argument("--hook-on-rank", type=int)
args = parser.parse_args()
dist.init_process_group("gloo")
rank = dist.get_rank()
torch.manual_seed(1)
inputs = torch.randn(128, 16)
labels = (inputs.sum(1) > 0).long()
data = TensorDataset(inputs, labels)
sampler: DistributedSampler[object] = DistributedSampler(data, shuffle=True, seed=1)
loader = DataLoader(data, batch_size=8, sampler=sampler)
net = torch.nn.Sequential(torch.nn.Linear(16, 64), torch.nn.GELU(), torch.nn.Linear(64, 2))
if args.hook_on_rank == rank:
    net[1].register_forward_hook(lambda module, inputs, output: None)
model = DistributedDataParallel(net)
optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
for epoch in range(6):
    sampler.set_epoch(epoch)
    for batch, wanted in loader:
        loss = torch.nn.functional.cross_entropy(model(batch), wanted)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        mean = loss.detach().clone()
        dist.all_reduce(mean)
        if rank == 0:
            print("loss", mean.item() / 2)
everywhere = [torch.empty_like(net[0].weight) for _ in range(2)]
dist.all_gather(everywhere, net[0].weight.detach())
assert torch.equal(everywhere[0], everywhere[1]), "the ranks have come apart"
if rank == 0:
    torch.save(net.state_dict(), "model.pt")
dist.barrier()
dist.destroy_process_group()
