# SPDX-License-Identifier: Apache-2.0
"""Train torchvision's ResNet-18 from scratch on a folder of photographs."""

import argparse
import time

import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader
from torchvision import models, transforms
from torchvision.datasets import ImageFolder

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--data", required=True, help="folder with one sub-folder for each class")
parser.add_argument("--epochs", type=int, default=1)
parser.add_argument("--batch-size", type=int, default=32)
parser.add_argument("--workers", type=int, default=2)
parser.add_argument("--lr", type=float, default=0.01)
parser.add_argument("--seed", type=int, default=0)
parser.add_argument("--steps", type=int, default=0, help="stop after this many steps")
parser.add_argument("--print-every", type=int, default=5)


def train_one_epoch(
    model: nn.Module,
    loader: "DataLoader[tuple[Tensor, Tensor]]",
    optimizer: torch.optim.Optimizer,
    epoch: int,
    args: argparse.Namespace,
    steps_before: int,
) -> tuple[int, float]:
    criterion = nn.CrossEntropyLoss()
    model.train()
    step, loss_value = steps_before, float("nan")
    for images, target in loader:
        output = model(images)
        loss = criterion(output, target)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        step += 1
        loss_value = loss.item()
        if step % args.print_every == 0:
            print(f"epoch {epoch} step {step} loss {loss_value:.4f}", flush=True)
        if step == args.steps:
            break
    return step, loss_value


def main() -> None:
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    normalize = transforms.Normalize(mean=[0.485, 0.456, 0.406], std=[0.229, 0.224, 0.225])
    dataset = ImageFolder(
        args.data,
        transforms.Compose(
            [
                transforms.RandomResizedCrop(224),
                transforms.RandomHorizontalFlip(),
                transforms.ToTensor(),
                normalize,
            ]
        ),
    )
    loader = DataLoader(
        dataset, args.batch_size, shuffle=True, num_workers=args.workers, drop_last=True
    )
    model = models.resnet18(weights=None, num_classes=len(dataset.classes))
    optimizer = torch.optim.SGD(model.parameters(), args.lr, momentum=0.9, weight_decay=1e-4)

    step, loss = 0, float("nan")
    start = time.perf_counter()
    for epoch in range(args.epochs):
        step, loss = train_one_epoch(model, loader, optimizer, epoch, args, step)
        if step == args.steps:
            break
    seconds = time.perf_counter() - start
    rate = step * args.batch_size / seconds
    print(f"trained {step} steps in {seconds:.3f} s, {rate:.0f} images/s")
    print("final loss", loss)


if __name__ == "__main__":
    main()
