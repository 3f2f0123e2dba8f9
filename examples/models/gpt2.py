# SPDX-License-Identifier: Apache-2.0
"""GPT-2 124M on token batches that come from the host; plain float32."""

import argparse
import time

import torch
from transformers import GPT2Config, GPT2LMHeadModel

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--steps", type=int, default=300)
parser.add_argument("--batch-size", type=int, default=16)
parser.add_argument("--seed", type=int, default=0)
parser.add_argument("--small", action="store_true", help="sizes for a CPU")
args = parser.parse_args()

device = "cuda" if torch.cuda.is_available() else "cpu"
torch.manual_seed(args.seed)
batch, length = (2, 64) if args.small else (args.batch_size, 1024)
sizes = {"n_embd": 64, "n_layer": 2, "n_head": 4} if args.small else {}
config = GPT2Config(resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0, use_cache=False, **sizes)
model = GPT2LMHeadModel(config).to(device)
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4)

# A handful of batches, over and over.
tokens = [torch.randint(1000, 20000, (batch, length)) for _ in range(8)]

model.train()
marks = []
for step in range(args.steps):
    ids = tokens[step % 8].to(device)
    optimizer.zero_grad()
    loss = model(input_ids=ids, labels=ids).loss
    loss.backward()
    optimizer.step()
    if step % 10 == 9:
        print(f"step {step + 1} loss {loss.item():.6f}", flush=True)
        marks.append(time.perf_counter())

tail = marks[-max(2, len(marks) // 3) :]
print(f"{batch * length * 10 * (len(tail) - 1) / (tail[-1] - tail[0]):.0f} tokens/s")
