# SPDX-License-Identifier: Apache-2.0
"""Goes on with an epoch: writes each batch and then the state, as a training with checkpoints does.

usage: resume_script.py PHOTOS LOG STATE THREADS
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from pathlib import Path

import stoker
import stoker.transforms as T

photos, log, state, threads = sys.argv[1:5]
chain = [T.RandomResizedCrop(16), T.RandomHorizontalFlip(), T.ToTensor()]
loader = stoker.ImageLoader(photos, 4, chain, seed=5, threads=int(threads), prefetch=int(threads))
done = 0
if Path(state).exists():
    saved = json.loads(Path(state).read_text())
    loader.load_state_dict(saved["loader"])
    done = saved["lines"]
kept = Path(log).read_text().splitlines(keepends=True)[:done]  # lines that no state covers are lost
Path(log).write_text("".join(kept))
for batch in loader.batches():
    hashes = [hashlib.sha256(image.numpy().tobytes()).hexdigest() for image in batch.images]
    with open(log, "a") as file:
        file.write(json.dumps({"samples": batch.samples.tolist(), "hashes": hashes}) + "\n")
    done += 1
    with open(state + ".new", "w") as file:
        json.dump({"loader": loader.state_dict(), "lines": done}, file)
    os.replace(state + ".new", state)
    print(done, flush=True)
