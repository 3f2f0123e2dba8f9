# SPDX-License-Identifier: Apache-2.0
"""A few training steps on the folder that is given: what test_schemas runs under `stoker run`."""

import sys

import torch
from torch.utils.data import DataLoader
from torchvision import transforms
from torchvision.datasets import ImageFolder

transform = transforms.Compose([transforms.RandomResizedCrop(32), transforms.ToTensor()])
loader = DataLoader(ImageFolder(sys.argv[1], transform), batch_size=2, shuffle=True)
model = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(3 * 32 * 32, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for images, labels in loader:
    optimizer.zero_grad()
    torch.nn.functional.cross_entropy(model(images), labels).backward()
    optimizer.step()
