# SPDX-License-Identifier: Apache-2.0
"""Train on small crops, CIFAR-like, with an own Dataset class that survives unreadable files."""

import argparse
import random
import time
from pathlib import Path

import torch
from PIL import Image
from torch import Tensor, nn
from torch.utils.data import DataLoader, Dataset
from torchvision.transforms import v2


class Photos(Dataset[tuple[Tensor, int]]):
    def __init__(self, root: str, size: int) -> None:
        files = sorted(p for p in Path(root).rglob("*") if p.suffix.lower() in (".jpg", ".png"))
        self.classes = sorted({p.parent.name for p in files})
        self.samples = [(p, self.classes.index(p.parent.name)) for p in files]
        self.blank = Image.new("RGB", (size, size))
        self.transform = v2.Compose(
            [
                v2.RandomResizedCrop(size, scale=(0.25, 1.0)),
                v2.RandomHorizontalFlip(),
                v2.PILToTensor(),
                v2.ToDtype(torch.float32, scale=True),
                v2.Normalize(mean=[0.5, 0.5, 0.5], std=[0.25, 0.25, 0.25]),
            ]
        )

    def __len__(self) -> int:
        return len(self.samples)

    def __getitem__(self, index: int) -> tuple[Tensor, int]:
        path, label = self.samples[index]
        try:
            with Image.open(path) as file:
                image = file.convert("RGB")
        except OSError:
            image = self.blank
        if random.random() < 0.1:
            image = image.rotate(90)
        return self.transform(image), label


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", required=True, help="folder with one sub-folder for each class")
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--batch-size", type=int, default=64)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--steps", type=int, default=0, help="stop after this many steps")
    parser.add_argument("--print-every", type=int, default=10)
    args = parser.parse_args()
    random.seed(args.seed)
    torch.manual_seed(args.seed)

    dataset = Photos(args.data, size=32)
    loader = DataLoader(
        dataset, args.batch_size, shuffle=True, num_workers=args.workers, drop_last=True
    )
    model = nn.Sequential(
        nn.Conv2d(3, 32, 3, stride=2, padding=1),
        nn.ReLU(),
        nn.Conv2d(32, 64, 3, stride=2, padding=1),
        nn.ReLU(),
        nn.Flatten(),
        nn.Linear(64 * 8 * 8, len(dataset.classes)),
    )
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)

    step, loss_value = 0, float("nan")
    start = time.perf_counter()
    for epoch in range(args.epochs):
        for images, labels in loader:
            loss = nn.functional.cross_entropy(model(images), labels)
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
            loss_value = loss.item()
            step += 1
            if step % args.print_every == 0:
                print(f"epoch {epoch} step {step} loss {loss_value:.4f}", flush=True)
            if step == args.steps:
                break
        if step == args.steps:
            break
    seconds = time.perf_counter() - start
    rate = step * args.batch_size / seconds
    print(f"trained {step} steps in {seconds:.3f} s, {rate:.0f} images/s")
    print("final loss", loss_value)


if __name__ == "__main__":
    main()
