# SPDX-License-Identifier: Apache-2.0
"""`memory_script.py`: ten epochs over 600 images; prints resident bytes after each epoch."""

from __future__ import annotations

import gc
import io
import json
import random
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "data"))

import jpeg_cases
import torch
from PIL import Image
from torchvision import transforms

import stoker.pil


def resident_bytes() -> int:
    gc.collect()
    fields = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return int(fields["VmRSS"].split()[0]) * 1024


def main() -> None:
    rng = random.Random(1)
    files = []
    for _ in range(600):
        pixels = jpeg_cases.draw_pixels(rng, rng.randint(40, 160), rng.randint(40, 160))
        files.append(jpeg_cases.encode(pixels, quality=75))
    torch.set_num_threads(1)
    transform = transforms.Compose(
        [
            transforms.RandomResizedCrop(64),
            transforms.RandomHorizontalFlip(),
            transforms.ToTensor(),
            transforms.Normalize((0.5, 0.5, 0.5), (0.2, 0.2, 0.2)),
        ]
    )
    stoker.pil.install()
    resident = []
    for _ in range(10):
        for first in range(0, len(files), 32):
            batch = [
                transform(Image.open(io.BytesIO(data)).convert("RGB"))
                for data in files[first : first + 32]
            ]
            torch.stack(batch)
        resident.append(resident_bytes())
    print(json.dumps({"resident": resident, **stoker.pil.stats()}))


if __name__ == "__main__":
    main()
