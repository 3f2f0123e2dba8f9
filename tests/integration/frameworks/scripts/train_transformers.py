# SPDX-License-Identifier: Apache-2.0
"""The Trainer of transformers on a small BERT with random weights. Arguments: its own, as JSON."""

from __future__ import annotations

import json
import sys

import torch
from transformers import (
    BertConfig,
    BertForSequenceClassification,
    PrinterCallback,
    Trainer,
    TrainerCallback,
    TrainingArguments,
    set_seed,
)
from transformers.utils import logging

logging.disable_progress_bar()
set_seed(1)
config = BertConfig(
    vocab_size=100,
    hidden_size=32,
    num_hidden_layers=1,
    num_attention_heads=2,
    intermediate_size=64,
    max_position_embeddings=16,
    hidden_dropout_prob=0.0,
    attention_probs_dropout_prob=0.0,
)
tokens = torch.randint(0, 100, (64, 12))
data = [{"input_ids": row, "labels": (row[0] > 50).long()} for row in tokens]


class Print(TrainerCallback):
    def on_log(self, args, state, control, logs=None, **kwargs):  # type: ignore[no-untyped-def]
        if "loss" in logs:
            print("loss", logs["loss"])


trainer = Trainer(
    BertForSequenceClassification(config),
    TrainingArguments(
        "out",
        use_cpu=True,
        per_device_train_batch_size=8,
        max_steps=30,
        logging_steps=1,
        learning_rate=1e-3,
        save_strategy="no",
        report_to=[],
        disable_tqdm=True,
        **json.loads(sys.argv[1]),
    ),
    train_dataset=data,
    callbacks=[Print()],
)
trainer.remove_callback(PrinterCallback)
trainer.train()
trainer.save_model("saved")
