# SPDX-License-Identifier: Apache-2.0
"""Training scripts for the tests of levers on a GPU."""

from __future__ import annotations

# Under stoker, levers stay on whatever they bring, so that what they do is seen.
KEEP_ALL = """
import os
import torch
if "STOKER_RUN_DIR" in os.environ:
    from stoker.levers import sequence
    sequence.KEEP_FROM, sequence.KEEP_EXACT_FROM = 0.0, 0.0
    sequence.WINDOW, sequence.SETTLE = 3, 1
"""

SETUP = """
import hashlib, sys
import torch
from torch import nn
torch.manual_seed(0)
device = "cuda"
def mlp(inside, out):
    return nn.Sequential(nn.Linear(inside, 64), nn.Tanh(), nn.Linear(64, out)).to(device)
def weights(*models):
    digest = hashlib.sha256()
    for model in models:
        for value in model.state_dict().values():
            digest.update(value.cpu().numpy().tobytes())
    print("weights", digest.hexdigest())
"""

# Every way in which a batch comes to the GPU, with deterministic algorithms: bit for bit.
EXACT = (
    """
import os
os.environ["CUBLAS_WORKSPACE_CONFIG"] = ":4096:8"
"""
    + SETUP
    + """
torch.use_deterministic_algorithms(True)
model = nn.Sequential(
    nn.Conv2d(3, 16, 3, stride=8), nn.BatchNorm2d(16), nn.ReLU(), nn.Flatten(),
    nn.LazyLinear(10)).to(device)
model(torch.zeros(2, 3, 96, 96, device=device))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
images = torch.randn(256, 3, 96, 96)
labels = torch.randint(10, (256,))
data = torch.utils.data.TensorDataset(images, labels)
loader = torch.utils.data.DataLoader(data, 32, shuffle=True, num_workers=2)
buffer = torch.empty(32, 3, 96, 96)
pinned = torch.empty(32, 3, 96, 96).pin_memory()
small = torch.empty(32, dtype=torch.long)
def train(x, y):
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(x), y)
    loss.backward()
    optimizer.step()
    return loss.detach()
losses = []
for epoch in range(6):
    for step, (x, y) in enumerate(loader):
        way = step % 6
        if way == 0:
            there, target = x.to(device), y.to(device)
        elif way == 1:  # a buffer that is written again at once
            buffer.copy_(x); small.copy_(y)
            there, target = buffer.to(device), small.to(device)
            buffer.fill_(7.0); small.fill_(0)
        elif way == 2:
            pinned.copy_(x)
            there, target = pinned.cuda(), y.cuda()
            pinned.fill_(7.0)
        elif way == 3:
            there = x.contiguous(memory_format=torch.channels_last).to(device)
            target = y.to(torch.device("cuda", 0))
        elif way == 4:
            there, target = x.transpose(2, 3).to(device), y.to(0)
        else:
            there, target = x.to(device=device, non_blocking=True), y.to(device, torch.long)
            x.fill_(7.0)
        losses.append(train(there, target))
for loss in torch.stack(losses).tolist():
    print(repr(loss))
weights(model)
print("pinned", loader.pin_memory)
"""
)

# BatchNorm, a schedule, weight decay, clipping, evaluation, a smaller last batch, kept outputs.
LOOP = (
    SETUP
    + """
model = nn.Sequential(
    nn.Conv2d(3, 16, 3), nn.BatchNorm2d(16), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(),
    nn.Linear(16, 4)).to(device)
torch.backends.cudnn.allow_tf32 = False
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, weight_decay=0.01)
schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 60)
images, labels = torch.randn(40, 3, 24, 24), torch.arange(40) % 4
kept = []
for step in range(60):
    part = slice(32, 40) if step % 7 == 6 else slice(0, 32)
    out = model(images[part].to(device))
    loss = nn.functional.cross_entropy(out, labels[part].to(device))
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 0.5)
    optimizer.step()
    schedule.step()
    if step % 20 < 3:
        kept.append((out.detach(), out.detach().clone()))
    if step % 10 == 9:
        model.eval()
        with torch.no_grad():
            print(model(images.to(device)).square().mean().item())
        model.train()
    print(loss.item())
for out, copy in kept:
    assert torch.equal(out, copy), "an output was overwritten"
print(model[1].running_mean.sum().item(), int(model[1].num_batches_tracked))
torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict()}, "saved.pt")
"""
)

# The argument says in how many parts a batch of 32 comes.
ACCUMULATION = (
    SETUP
    + """
parts = int(sys.argv[1])
model = mlp(8, 3)
optimizer = torch.optim.SGD(model.parameters(), lr=0.3, momentum=0.9)
data, target = torch.randn(32, 8, device=device), torch.randn(32, 3, device=device)
for step in range(60):
    optimizer.zero_grad()
    total = 0.0
    for x, y in zip(data.chunk(parts), target.chunk(parts)):
        loss = (model(x) - y).square().sum() / 96
        loss.backward()
        total += loss.item()
    optimizer.step()
    print(total)
"""
)

GAN = (
    SETUP
    + """
maker, judge = mlp(4, 6), mlp(6, 1)
first = torch.optim.Adam(judge.parameters(), lr=0.01)
second = torch.optim.Adam(maker.parameters(), lr=0.01)
loss = nn.BCEWithLogitsLoss()
real = torch.randn(8, 6, device=device)
ones, zeros = torch.ones(8, 1, device=device), torch.zeros(8, 1, device=device)
noise = torch.randn(60, 8, 4, device=device)
for step in range(60):
    made = maker(noise[step])
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

# Each step draws another mask, half of it is zero.
DROPOUT = (
    SETUP
    + """
model = nn.Sequential(mlp(6, 512), nn.Dropout(0.5))
optimizer = torch.optim.SGD(model.parameters(), lr=0.0)
data = torch.ones(1, 6, device=device)
masks, zeros = set(), 0
for step in range(60):
    out = model(data)
    optimizer.zero_grad()
    out.sum().backward()
    optimizer.step()
    mask = (out[0] == 0).tolist()
    zeros += sum(mask)
    masks.add(tuple(mask))
print(len(masks))
assert 0.45 < zeros / (60 * 512) < 0.55
"""
)

# The argument says what the script does itself.
REFUSALS = (
    SETUP
    + """
case = sys.argv[1]
model = nn.Sequential(
    nn.Conv2d(3, 8, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 2))
model = model.to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scaler = torch.amp.GradScaler("cuda", enabled=case == "grad_scaler")
if case == "tf32":
    torch.set_float32_matmul_precision("high")
elif case == "cudnn":
    torch.backends.cudnn.benchmark = True
elif case == "deterministic":
    torch.backends.cudnn.deterministic = True
elif case == "stream":
    side = torch.cuda.Stream()
elif case == "half":
    model.half()
autocast = torch.autocast("cuda", torch.bfloat16, enabled=case == "autocast")
images, labels = torch.randn(8, 3, 16, 16), torch.arange(8) % 2
for step in range(8):
    x = images.to(device)
    with autocast:
        out = model(x.half() if case == "half" else x)
    loss = nn.functional.cross_entropy(out.float(), labels.to(device))
    optimizer.zero_grad()
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
    print(repr(loss.item()))
"""
)

# Under torchrun, one GPU a rank. The argument says on which rank the model has a hook.
DDP = (
    SETUP
    + """
import os
import torch.distributed as dist
rank = int(os.environ["LOCAL_RANK"])
torch.cuda.set_device(rank)
dist.init_process_group("nccl")
net = mlp(8, 3)
if sys.argv[1:] == [str(rank)]:
    net[1].register_forward_hook(lambda *_: None)
model = nn.parallel.DistributedDataParallel(net, device_ids=[rank])
optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
data = torch.randn(64, 8)[rank::2]
for step in range(60):
    loss = model(data.to(rank)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    mean = loss.detach().clone()
    dist.all_reduce(mean)
    if rank == 0:
        print(mean.item() / 2)
there = [torch.empty_like(net[0].weight) for _ in range(2)]
dist.all_gather(there, net[0].weight.detach())
assert torch.equal(*there), "the ranks have come apart"
dist.barrier()
dist.destroy_process_group()
"""
)
