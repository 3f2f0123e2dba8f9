# SPDX-License-Identifier: Apache-2.0
"""BERT-base token classification on batches that come from the host; plain float32."""

import argparse
import time

import torch
from transformers import BertConfig, BertForTokenClassification

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--steps", type=int, default=300)
parser.add_argument("--batch-size", type=int, default=32)
parser.add_argument("--seed", type=int, default=0)
parser.add_argument("--small", action="store_true", help="sizes for a CPU")
args = parser.parse_args()

device = "cuda" if torch.cuda.is_available() else "cpu"
torch.manual_seed(args.seed)
batch, length = (4, 32) if args.small else (args.batch_size, 128)
sizes = (
    {"hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 128}
    if args.small
    else {}
)
config = BertConfig(num_labels=9, **sizes)
model = BertForTokenClassification(config).to(device)
optimizer = torch.optim.AdamW(model.parameters(), lr=5e-5)

# A handful of batches with something to learn, over and over: a token's label is its id modulo 9.
tokens = [torch.randint(1000, 20000, (batch, length)) for _ in range(8)]

model.train()
marks = []
for step in range(args.steps):
    ids = tokens[step % 8].to(device)
    labels = (tokens[step % 8] % 9).to(device)
    optimizer.zero_grad()
    loss = model(input_ids=ids, attention_mask=torch.ones_like(ids), labels=labels).loss
    loss.backward()
    optimizer.step()
    if step % 10 == 9:
        print(f"step {step + 1} loss {loss.item():.6f}", flush=True)
        marks.append(time.perf_counter())

tail = marks[-max(2, len(marks) // 3) :]
print(f"{batch * 10 * (len(tail) - 1) / (tail[-1] - tail[0]):.0f} sequences/s")
