# SPDX-License-Identifier: Apache-2.0
"""`damaged_script.py COUNT SEED`: damaged files by plain Pillow and by stoker.pil.

A process of its own, so that a crash is seen as one. Prints a line for each difference, then one
JSON object.
"""

from __future__ import annotations

import io
import json
import random
import sys
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "data"))

import jpeg_cases
from PIL import Image

import stoker.pil
from stoker.pil import render


def flip_bits(rng: random.Random, data: bytearray) -> None:
    start = rng.choice((0, 0, jpeg_cases.segments(bytes(data))[-1][2]))
    for _ in range(rng.choice((1, 1, 2, 8))):
        data[rng.randrange(start, len(data))] ^= 1 << rng.randrange(8)


def cut(rng: random.Random, data: bytearray) -> None:
    del data[rng.randrange(len(data)) :]


def replace_bytes(rng: random.Random, data: bytearray) -> None:
    at = rng.randrange(len(data))
    length = rng.randint(1, 12)
    data[at : at + length] = rng.randbytes(length)


def remove_bytes(rng: random.Random, data: bytearray) -> None:
    at = rng.randrange(len(data))
    del data[at : at + rng.randint(1, 40)]


def insert_marker(rng: random.Random, data: bytearray) -> None:
    at = rng.randrange(jpeg_cases.segments(bytes(data))[-1][2], len(data))
    data[at:at] = bytes([0xFF, rng.randrange(256)])


def repeat_part(rng: random.Random, data: bytearray) -> None:
    at = rng.randrange(len(data))
    data[at:at] = data[at : at + rng.randint(1, 200)]


def change_header(rng: random.Random, data: bytearray) -> None:
    """Sizes, factors, table numbers, lengths: one byte of a segment that decoding depends on."""
    wanted = [s for s in jpeg_cases.segments(bytes(data)) if s[0] not in (0xE0, 0xE1, 0xE2, 0xFE)]
    _, start, end = rng.choice(wanted)
    data[rng.randrange(start + 2, min(end, start + 24))] = rng.choice(
        (0, 1, 255, rng.randrange(256))
    )


def drop_segment(rng: random.Random, data: bytearray) -> None:
    _, start, end = rng.choice(jpeg_cases.segments(bytes(data)))
    del data[start:end]


def swap_for_another_kind(rng: random.Random, data: bytearray) -> None:
    """The wrong extension: bytes of another format, or none at all."""
    out = io.BytesIO()
    Image.new("RGB", (9, 7), (1, 2, 3)).save(out, rng.choice(("PNG", "GIF", "BMP", "PPM", "TIFF")))
    data[:] = rng.choice((out.getvalue(), out.getvalue()[:20], b"", b"\xff\xd8", b"text" * 9))


def claim_a_bomb(rng: random.Random, data: bytearray) -> None:
    """A frame of up to 65,535 x 65,535 pixels; Pillow refuses the largest."""
    frame = next((s for s in jpeg_cases.segments(bytes(data)) if s[0] in (0xC0, 0xC1, 0xC2)), None)
    if frame is not None:
        at = frame[1] + 5
        size = rng.choice(((65_535, 65_535), (20_000, 20_000), (30_000, 1), (1, 30_000)))
        data[at : at + 4] = b"".join(side.to_bytes(2, "big") for side in size)


DAMAGE = [
    flip_bits,
    flip_bits,
    cut,
    replace_bytes,
    remove_bytes,
    insert_marker,
    repeat_part,
    change_header,
    change_header,
    drop_segment,
    swap_for_another_kind,
    claim_a_bomb,
]


def draw(rng: random.Random) -> tuple[str, bytes]:
    kinds = [kind for kind in jpeg_cases.KINDS if kind not in ("cmyk", "ycck")]
    kind = rng.choice(("4:2:0", "4:2:0", "4:4:4", "grey", *kinds))
    size = rng.randint(1, 90), rng.randint(1, 90)
    data = bytearray(jpeg_cases.KINDS[kind][2](rng, jpeg_cases.draw_pixels(rng, *size)))
    damage = rng.choice(DAMAGE)
    damage(rng, data)
    return f"{kind} {size} {damage.__name__}", bytes(data)


def outcome(data: bytes) -> Any:
    """How far a program comes, and what it sees."""
    seen: list[Any] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            with Image.open(io.BytesIO(data), formats=("JPEG", "PNG", "GIF", "BMP")) as image:
                seen.append((image.size, image.mode, image.format))
                if image.size[0] * image.size[1] > 1 << 24:
                    return seen  # pixels of this many are asked for nowhere here
                rgb = image.convert("RGB")
            seen.append("converted")
            width, height = rgb.size
            part = rgb.crop((width // 4, height // 3, width // 4 + (width + 1) // 2, height))
            seen.append(part.resize((13, 11), Image.Resampling.BILINEAR).tobytes())
            seen.append(rgb.tobytes())
        except Exception as error:
            seen.append((type(error).__name__, str(error).split(" at 0x")[0]))
        seen.append(sorted({f"{w.category.__name__}: {w.message}" for w in caught}))
    return seen


def main() -> int:
    count, seed = int(sys.argv[1]), int(sys.argv[2])
    render._is_compared = lambda: False
    files = [draw(random.Random(f"{seed}/{number}")) for number in range(count)]
    wanted = [outcome(data) for _, data in files]
    stoker.pil.install()
    differ = 0
    ends: Counter[str] = Counter()
    for number, (name, data) in enumerate(files):
        got = outcome(data)
        ends["pixels" if "converted" in got else "exception"] += 1
        if got != wanted[number]:
            differ += 1
            print(
                f"case {number} of seed {seed}, {name}: {got!r:.300} Pillow {wanted[number]!r:.300}"
            )
    print(json.dumps({"cases": count, "differ": differ, **ends, **stoker.pil.stats()}))
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
