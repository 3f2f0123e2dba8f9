# SPDX-License-Identifier: Apache-2.0
"""A script that trains on pictures, and copies of the stoker package with a fault in them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PIL import Image
from side_by_side import PACKAGE, PYTHON, Ended, Pair, Watched, environment, under_stoker, write

# At "start", "middle" and "end" it runs what the variable of that name holds, but never alone.
TRAINS = """
    import os, sys
    def sabotage(moment):
        if "STOKER_RUN_DIR" in os.environ:
            exec(os.environ.get(moment, ""), globals())
    sabotage("START")
    import numpy, torch
    from PIL import Image
    from torch.utils.data import DataLoader, Dataset

    class Pictures(Dataset):
        def __init__(self, folder):
            self.files = sorted(os.path.join(folder, name) for name in os.listdir(folder))
        def __len__(self):
            return len(self.files)
        def __getitem__(self, i):
            x = int(torch.randint(0, 20, (1,)))
            image = Image.open(self.files[i]).convert("RGB").crop((x, 5, x + 40, 45))
            image = image.resize((16, 16), Image.Resampling.BILINEAR)
            return torch.from_numpy(numpy.array(image)).permute(2, 0, 1) / 255, i % 2

    torch.manual_seed(0)
    workers = int(sys.argv[1]) if len(sys.argv) > 1 else 0
    loader = DataLoader(Pictures("pictures"), batch_size=2, shuffle=True, num_workers=workers)
    model = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(768, 2))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    for epoch in range(2):
        for images, labels in loader:
            loss = torch.nn.functional.cross_entropy(model(images), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            print(epoch, loss.item(), float(images.double().sum()))
        sabotage("MIDDLE" if epoch == 0 else "END")
    print([p.double().sum().item() for p in model.parameters()])
    print("last words", file=sys.stderr)
    sys.exit(7)
    """


def lay_out_training(folder: Path) -> None:
    """`train.py`, which ends with status 7 after 12 steps, and its pictures."""
    write(folder, "train.py", TRAINS)
    (folder / "pictures").mkdir()
    for i in range(12):
        image = Image.linear_gradient("L").resize((64 + i, 48)).rotate(30 * i)
        image.convert("RGB").save(folder / "pictures" / f"{i:02}.jpg", quality=90)


def copy_package(folder: Path) -> Path:
    """Links to the files of the package; replace what a test changes."""
    package = folder / "stoker"
    for source in PACKAGE.rglob("*"):
        if source.is_file() and "__pycache__" not in source.parts:
            target = package / source.relative_to(PACKAGE)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.symlink_to(source)
    return package


def append(package: Path, module: str, source: str) -> None:
    """Adds lines to the end of a module of the copy."""
    _rewrite(package / module, lambda text: f"{text}\n{source}\n")


def insert(package: Path, module: str, after: str, source: str) -> None:
    """Adds a line after the only line that begins with `after`, one step further in."""

    def change(text: str) -> str:
        lines = text.splitlines(keepends=True)
        (at,) = [i for i, line in enumerate(lines) if line.lstrip().startswith(after)]
        end = next(i for i in range(at, len(lines)) if lines[i].rstrip().endswith(":"))
        step = " " * (len(lines[at]) - len(lines[at].lstrip()) + 4)
        return "".join([*lines[: end + 1], f"{step}{source}\n", *lines[end + 1 :]])

    _rewrite(package / module, change)


def _rewrite(path: Path, change: Callable[[str], str]) -> None:
    text = path.read_text()
    path.unlink()
    path.write_text(change(text))


def extension(package: Path) -> Path:
    (path,) = package.glob("_core.*.so")
    return path


def truncated(source: Path) -> bytes:
    data = source.read_bytes()
    return data[: len(data) // 2]


def train(training: tuple[Path, Ended], **env: str) -> Watched:
    """train.py under stoker, checked against train.py alone."""
    folder, alone = training
    command = [PYTHON, "train.py"]
    return Pair(alone, under_stoker(command, folder, environment(**env))).check()


def check_said_once(watched: Watched, text: str) -> None:
    assert text in watched.errors(), watched.summary()
    said = [line for line in watched.summary().splitlines() if text in line]
    assert len(said) == 1, watched.summary()
    assert "in stoker, not in your script" in said[0]
