# SPDX-License-Identifier: Apache-2.0
"""Train torchvision's ResNet-50 on a folder of photographs on one GPU, in bfloat16."""

import argparse
import time

import torch
from torch import nn
from torch.utils.data import DataLoader
from torchvision import models, transforms
from torchvision.datasets import ImageFolder


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", required=True, help="folder with one sub-folder for each class")
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--batch-size", type=int, default=128)
    parser.add_argument("--workers", type=int, default=8)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()

    torch.manual_seed(args.seed)
    torch.backends.cudnn.benchmark = True
    normalize = transforms.Normalize(mean=[0.485, 0.456, 0.406], std=[0.229, 0.224, 0.225])
    train_transform = transforms.Compose(
        [
            transforms.RandomResizedCrop(224),
            transforms.RandomHorizontalFlip(),
            transforms.ToTensor(),
            normalize,
        ]
    )
    dataset = ImageFolder(args.data, train_transform)
    loader = DataLoader(
        dataset,
        args.batch_size,
        shuffle=True,
        num_workers=args.workers,
        pin_memory=True,
        drop_last=True,
        persistent_workers=args.workers > 0,
    )
    model = models.resnet50(weights=None, num_classes=len(dataset.classes))
    model = model.cuda().to(memory_format=torch.channels_last)
    optimizer = torch.optim.SGD(model.parameters(), 0.1, momentum=0.9, weight_decay=1e-4)
    criterion = nn.CrossEntropyLoss()

    # The first epoch warms up: workers start, cuDNN searches, files come into the page cache.
    steps, start = 0, 0.0
    for epoch in range(args.epochs):
        if epoch == 1:
            torch.cuda.synchronize()
            start = time.perf_counter()
        for images, target in loader:
            images = images.cuda(non_blocking=True).to(memory_format=torch.channels_last)
            target = target.cuda(non_blocking=True)
            with torch.autocast("cuda", dtype=torch.bfloat16):
                loss = criterion(model(images), target)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            steps += epoch > 0
    torch.cuda.synchronize()
    seconds = time.perf_counter() - start
    rate = steps * args.batch_size / seconds
    print(f"trained {steps} steps in {seconds:.3f} s, {rate:.0f} images/s")
    print("final loss", loss.item())


if __name__ == "__main__":
    main()
