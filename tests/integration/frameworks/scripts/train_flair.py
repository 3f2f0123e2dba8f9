# SPDX-License-Identifier: Apache-2.0
"""flair's sequence tagger on sentences made here, with embeddings that need no download."""

from __future__ import annotations

import logging
import random
from pathlib import Path

import flair
import torch
from flair.data import Corpus, Sentence
from flair.datasets import FlairDatapointDataset
from flair.embeddings import OneHotEmbeddings
from flair.models import SequenceTagger
from flair.trainers import ModelTrainer
from flair.trainers.plugins.base import TrainerPlugin

NAMES = ["Anna", "Bert", "Clara", "David"]
WORDS = ["sees", "the", "old", "house", "of", "and", "likes", "a", "red", "tree"]


class Print(TrainerPlugin):
    @TrainerPlugin.hook
    def metric_recorded(self, record) -> None:  # type: ignore[no-untyped-def]
        if record.name.parts == ("train", "batch_loss"):
            print("loss", float(record.value))


def sentences(count: int) -> FlairDatapointDataset:
    made = []
    for _ in range(count):
        tokens = random.choices(NAMES + WORDS, k=random.randint(4, 9))
        sentence = Sentence(tokens)
        for token in sentence:
            if token.text in NAMES:
                token.add_label("ner", "PER")
        made.append(sentence)
    return FlairDatapointDataset(made)


logging.getLogger("flair").setLevel(logging.ERROR)
flair.set_seed(1)
flair.device = torch.device("cpu")
corpus: Corpus = Corpus(train=sentences(96), dev=sentences(16), test=sentences(16))
labels = corpus.make_label_dictionary("ner", add_unk=False)
tagger = SequenceTagger(
    embeddings=OneHotEmbeddings.from_corpus(corpus, min_freq=1, embedding_length=16),
    tag_dictionary=labels,
    tag_type="ner",
    hidden_size=16,
    tag_format="BIO",
)
trainer = ModelTrainer(tagger, corpus)
trainer.train(
    "tagger",
    optimizer=torch.optim.AdamW,
    learning_rate=0.01,
    mini_batch_size=8,
    max_epochs=3,
    plugins=[Print()],
)
print("saved", sorted(path.name for path in Path("tagger").glob("*.pt")))
