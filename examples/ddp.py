# SPDX-License-Identifier: Apache-2.0
"""Train on several processes: torchrun --nproc-per-node 2 examples/ddp.py --data DIR"""

import argparse
import time

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader
from torch.utils.data.distributed import DistributedSampler
from torchvision import transforms
from torchvision.datasets import ImageFolder


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", required=True, help="folder with one sub-folder for each class")
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--batch-size", type=int, default=16, help="for each process")
    parser.add_argument("--workers", type=int, default=1, help="for each process")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--steps", type=int, default=0, help="stop after this many steps")
    parser.add_argument("--print-every", type=int, default=10)
    args = parser.parse_args()

    dist.init_process_group("gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    torch.manual_seed(args.seed + rank)

    dataset = ImageFolder(
        args.data,
        transforms.Compose(
            [
                transforms.RandomResizedCrop(128),
                transforms.RandomHorizontalFlip(),
                transforms.ToTensor(),
                transforms.Normalize(mean=[0.485, 0.456, 0.406], std=[0.229, 0.224, 0.225]),
            ]
        ),
    )
    sampler = DistributedSampler(dataset, world, rank, shuffle=True, seed=args.seed, drop_last=True)
    loader = DataLoader(
        dataset, args.batch_size, sampler=sampler, num_workers=args.workers, drop_last=True
    )
    model = DistributedDataParallel(
        nn.Sequential(
            nn.Conv2d(3, 16, 7, stride=4, padding=3),
            nn.ReLU(),
            nn.Conv2d(16, 32, 3, stride=2, padding=1),
            nn.ReLU(),
            nn.AdaptiveAvgPool2d(4),
            nn.Flatten(),
            nn.Linear(32 * 4 * 4, len(dataset.classes)),
        )
    )
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)

    step, loss_value = 0, float("nan")
    start = time.perf_counter()
    for epoch in range(args.epochs):
        sampler.set_epoch(epoch)
        for images, labels in loader:
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(images), labels)
            loss.backward()
            optimizer.step()
            loss_value = loss.item()
            step += 1
            if rank == 0 and step % args.print_every == 0:
                print(f"epoch {epoch} step {step} loss {loss_value:.4f}", flush=True)
            if step == args.steps:
                break
        if step == args.steps:
            break
    seconds = time.perf_counter() - start

    mean_loss = torch.tensor(loss_value, dtype=torch.float64)
    dist.all_reduce(mean_loss)
    if rank == 0:
        rate = step * args.batch_size * world / seconds
        print(f"trained {step} steps in {seconds:.3f} s, {rate:.0f} images/s")
        print("final loss", mean_loss.item() / world)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
