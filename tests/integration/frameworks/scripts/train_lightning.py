# SPDX-License-Identifier: Apache-2.0
"""A module, a loader, a Trainer of Lightning. Arguments: more of the Trainer's own, as JSON."""

from __future__ import annotations

import json
import sys
import warnings

import lightning
import torch
from lightning.pytorch.utilities import rank_zero_only
from torch.utils.data import DataLoader, TensorDataset


class Classifier(lightning.LightningModule):
    def __init__(self) -> None:
        super().__init__()
        self.net = torch.nn.Sequential(
            torch.nn.Conv2d(3, 8, 3, padding=1, bias=False),
            torch.nn.BatchNorm2d(8),
            torch.nn.ReLU(),
            torch.nn.AdaptiveAvgPool2d(1),
            torch.nn.Flatten(),
            torch.nn.Linear(8, 4),
        )

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        return self.net(images)

    def training_step(self, batch: list[torch.Tensor], index: int) -> torch.Tensor:
        images, labels = batch
        loss = torch.nn.functional.cross_entropy(self(images), labels)
        rank_zero_print("loss", loss.item())
        return loss

    def validation_step(self, batch: list[torch.Tensor], index: int) -> None:
        images, labels = batch
        loss = torch.nn.functional.cross_entropy(self(images), labels)
        rank_zero_print("validation", loss.item())

    def configure_optimizers(self) -> torch.optim.Optimizer:
        return torch.optim.AdamW(self.parameters(), lr=0.01)


@rank_zero_only
def rank_zero_print(*words: object) -> None:
    print(*words, flush=True)


warnings.simplefilter("ignore")
lightning.seed_everything(1, verbose=False)
images = torch.randn(64, 3, 12, 12)
labels = (images.mean((1, 2, 3)) > 0).long() + 2 * (images[:, 0].std((1, 2)) > 1).long()
data = TensorDataset(images, labels)
trainer = lightning.Trainer(
    accelerator="cpu",
    gradient_clip_val=1.0,
    logger=False,
    enable_checkpointing=False,
    enable_progress_bar=False,
    enable_model_summary=False,
    **{"max_epochs": 4, **json.loads(sys.argv[1])},
)
model = Classifier()
trainer.fit(model, DataLoader(data, batch_size=8, shuffle=True), DataLoader(data, batch_size=32))
trainer.save_checkpoint("lightning.ckpt")
