# SPDX-License-Identifier: Apache-2.0
"""ResNet-50 on images that come from the host; plain float32, nothing tuned."""

import argparse
import time

import torch
from torch import nn
from torchvision import models

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--steps", type=int, default=300)
parser.add_argument("--batch-size", type=int, default=256)
parser.add_argument("--seed", type=int, default=0)
parser.add_argument("--small", action="store_true", help="sizes for a CPU")
args = parser.parse_args()

device = "cuda" if torch.cuda.is_available() else "cpu"
torch.manual_seed(args.seed)
size, classes = (64, 10) if args.small else (224, 1000)
batch = 8 if args.small else args.batch_size

make = models.resnet18 if args.small else models.resnet50
model = make(num_classes=classes).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9, weight_decay=1e-4)
criterion = nn.CrossEntropyLoss()

# A handful of batches with something to learn, over and over.
targets = [torch.randint(classes, (batch,)) for _ in range(8)]
images = [
    torch.randn(batch, 3, size, size) + target.view(-1, 1, 1, 1) / classes for target in targets
]

marks = []
for step in range(args.steps):
    x, y = images[step % 8].to(device), targets[step % 8].to(device)
    optimizer.zero_grad()
    loss = criterion(model(x), y)
    loss.backward()
    optimizer.step()
    if step % 10 == 9:
        print(f"step {step + 1} loss {loss.item():.6f}", flush=True)
        marks.append(time.perf_counter())

tail = marks[-max(2, len(marks) // 3) :]
print(f"{batch * 10 * (len(tail) - 1) / (tail[-1] - tail[0]):.0f} images/s")
