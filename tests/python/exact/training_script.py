# SPDX-License-Identifier: Apache-2.0
"""A training script as people write them: `training_script.py DATA OUT METHOD:SEED..`.

METHOD is none (no workers), fork or spawn. With WITH_STOKER=1 it installs stoker.pil first. OUT
gets every batch and the weights after an epoch of each METHOD:SEED.
"""

import os
import sys
from io import BytesIO
from pathlib import Path

if os.environ.get("WITH_STOKER") == "1":  # workers that are spawned come through here too
    import stoker.pil
    from stoker.pil import render

    render._is_compared = lambda: False  # what the native path gives is what shall be compared
    stoker.pil.install()

import torch
from PIL import Image
from torch import nn
from torch.utils.data import ConcatDataset, DataLoader, Dataset
from torchvision import transforms as v1
from torchvision.datasets import ImageFolder
from torchvision.transforms import v2

SIZE = 32
MEAN, STD = [0.485, 0.456, 0.406], [0.229, 0.224, 0.225]

TRAIN_V1 = v1.Compose(
    [v1.RandomResizedCrop(SIZE), v1.RandomHorizontalFlip(), v1.ToTensor(), v1.Normalize(MEAN, STD)]
)
JITTER_V1 = v1.Compose(
    [v1.Resize(40), v1.RandomCrop(SIZE), v1.ColorJitter(0.4, 0.4, 0.4, 0.1), v1.ToTensor()]
)
TRAIN_V2 = v2.Compose(
    [
        v2.RandomResizedCrop(SIZE),
        v2.RandomHorizontalFlip(),
        v2.ToImage(),
        v2.ToDtype(torch.float32, scale=True),
        v2.Normalize(MEAN, STD),
    ]
)
EVAL_V2 = v2.Compose(
    [v2.Resize(40), v2.CenterCrop(SIZE), v2.PILToTensor(), v2.ToDtype(torch.float32, scale=True)]
)


class Own(Dataset):
    """Files listed by hand, a placeholder for those that cannot be read."""

    def __init__(self, root, transform):
        self.files = sorted(Path(root).rglob("*.jpg"))
        self.transform = transform

    def __len__(self):
        return len(self.files)

    def __getitem__(self, index):
        try:
            image = Image.open(self.files[index]).convert("RGB")
        except OSError:
            image = Image.new("RGB", (50, 50), (index, 0, 0))
        return self.transform(image), index


class LoadedAtOnce(Own):
    """As Hugging Face's `datasets` decodes: from bytes, `load()` at once, converted later."""

    def __getitem__(self, index):
        image = Image.open(BytesIO(self.files[index].read_bytes()))
        try:
            image.load()
        except OSError:
            return torch.zeros(3, SIZE, SIZE), index
        return self.transform(image.convert("RGB")), index


class TimmLike(Own):
    """As timm reads: a file object, and uint8 tensors that are scaled later."""

    def __getitem__(self, index):
        with open(self.files[index], "rb") as file:
            image = Image.open(file)
            try:
                image = image.convert("RGB")
            except OSError:
                return torch.ones(3, SIZE, SIZE), index
        box = v1.RandomResizedCrop.get_params(image, (0.2, 1.0), (0.75, 1.33))
        image = v1.functional.resized_crop(image, *box, (SIZE, SIZE), v1.InterpolationMode.BICUBIC)
        return v1.functional.pil_to_tensor(image).float() / 128 - 1, index


class Counted(Dataset):
    """Adds the number of images that were decoded natively for this sample."""

    def __init__(self, dataset):
        self.dataset = dataset

    def __len__(self):
        return len(self.dataset)

    def __getitem__(self, index):
        before = _native()
        sample, label = self.dataset[index]
        return sample, label, _native() - before


def _native():
    pil = sys.modules.get("stoker.pil")
    return pil.stats()["images_native"] if pil else 0


def _loader_of_folder(path):
    try:
        with open(path, "rb") as file:
            return Image.open(file).convert("RGB")
    except OSError:
        return Image.new("RGB", (40, 40))


def make_dataset(root):
    parts = []
    for transform in (TRAIN_V1, JITTER_V1, TRAIN_V2, EVAL_V2):
        parts.append(ImageFolder(root, transform, loader=_loader_of_folder))
        parts.append(Own(root, transform))
        parts.append(LoadedAtOnce(root, transform))
    return Counted(ConcatDataset([*parts, TimmLike(root, None)]))


def train(root, method, seed):
    torch.manual_seed(seed)
    workers = 0 if method == "none" else 2
    context = None if method == "none" else method
    loader = DataLoader(
        make_dataset(root), 16, True, num_workers=workers, multiprocessing_context=context
    )
    model = nn.Sequential(
        nn.Conv2d(3, 8, 3, 2), nn.ReLU(), nn.Dropout(0.1), nn.Flatten(), nn.Linear(1800, 50)
    )
    optimizer = torch.optim.SGD(model.parameters(), 0.05, momentum=0.9)
    batches, native = [], 0
    for images, labels, counts in loader:
        loss = nn.functional.cross_entropy(model(images), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        batches.append((images.clone(), labels.clone()))
        native += int(counts.sum())
    random = torch.get_rng_state()
    return {"batches": batches, "weights": model.state_dict(), "native": native, "random": random}


def main():
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    root, out, *runs = sys.argv[1:]
    found = {}
    for run in runs:
        method, seed = run.split(":")
        found[run] = train(root, method, int(seed))
    torch.save(found, out)


if __name__ == "__main__":
    main()
