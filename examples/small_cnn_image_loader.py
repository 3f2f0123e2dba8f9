# SPDX-License-Identifier: Apache-2.0
"""small_cnn.py with its data from stoker.ImageLoader: four lines are new."""

import argparse
import time

import torch
from torch import Tensor, nn

import stoker
import stoker.transforms as transforms


def make_model(classes: int) -> nn.Sequential:
    """A small CNN: patches of 8 x 8 pixels, then three convolutions of stride 2."""

    def block(inputs: int, outputs: int, kernel: int, stride: int, padding: int) -> nn.Sequential:
        return nn.Sequential(
            nn.Conv2d(inputs, outputs, kernel, stride, padding, bias=False),
            nn.BatchNorm2d(outputs),
            nn.ReLU(inplace=True),
        )

    return nn.Sequential(
        block(3, 16, kernel=8, stride=8, padding=0),
        block(16, 24, kernel=3, stride=2, padding=1),
        block(24, 48, kernel=3, stride=2, padding=1),
        block(48, 96, kernel=3, stride=2, padding=1),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(96, classes),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", required=True, help="folder with one sub-folder for each class")
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--lr", type=float, default=0.05)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--steps", type=int, default=0, help="stop after this many steps")
    parser.add_argument("--print-every", type=int, default=10)
    parser.add_argument("--save", help="write the trained weights to this file")
    args = parser.parse_args()
    torch.manual_seed(args.seed)

    train_transform = transforms.Compose(
        [
            transforms.RandomResizedCrop(224),
            transforms.RandomHorizontalFlip(),
            transforms.ToTensor(),
            transforms.Normalize(mean=[0.485, 0.456, 0.406], std=[0.229, 0.224, 0.225]),
        ]
    )
    loader = stoker.ImageLoader(
        args.data, args.batch_size, train_transform, seed=args.seed, drop_last=True
    )
    model = make_model(len(loader.classes))
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(model.parameters(), lr=args.lr, momentum=0.9)

    step = 0
    loss: Tensor | None = None
    start = time.perf_counter()
    for epoch in range(args.epochs):
        for images, labels in loader:
            optimizer.zero_grad()
            loss = criterion(model(images), labels)
            loss.backward()
            optimizer.step()
            step += 1
            if step % args.print_every == 0:
                print(f"epoch {epoch} step {step} loss {loss.item():.4f}", flush=True)
            if step == args.steps:
                break
        if step == args.steps:
            break
    seconds = time.perf_counter() - start

    if loss is None:
        raise SystemExit("fewer images than one batch")
    rate = step * args.batch_size / seconds
    print(f"trained {step} steps in {seconds:.3f} s, {rate:.0f} images/s")
    print("final loss", loss.item())
    if args.save:
        torch.save(model.state_dict(), args.save)


if __name__ == "__main__":
    main()
