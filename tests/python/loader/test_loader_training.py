# SPDX-License-Identifier: Apache-2.0
"""A script ported to ImageLoader trains to the same accuracy; a tiny /dev/shm does not matter."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from images import make_folder
from torchvision import transforms as V
from torchvision.datasets import ImageFolder

ROOT = Path(__file__).resolve().parents[3]
STOKER = os.environ.get("STOKER_EXECUTABLE", str(Path(sys.executable).parent / "stoker"))
ENVIRONMENT = {**os.environ, "OMP_NUM_THREADS": "1"}


def accuracy(script: str, photos: Path, saved: Path) -> float:
    """Over all images, uncropped, after a training by an example."""
    command = [sys.executable, str(ROOT / "examples" / script), "--data", str(photos)]
    command += ["--epochs", "3", "--batch-size", "16", "--save", str(saved)]
    subprocess.run(command, check=True, capture_output=True, env=ENVIRONMENT, timeout=280)
    sys.path.insert(0, str(ROOT / "examples"))
    from small_cnn import make_model

    normalize = V.Normalize(mean=[0.485, 0.456, 0.406], std=[0.229, 0.224, 0.225])
    files = ImageFolder(
        str(photos), V.Compose([V.Resize(240), V.CenterCrop(224), V.ToTensor(), normalize])
    )
    model = make_model(len(files.classes))
    model.load_state_dict(torch.load(saved, weights_only=True))
    model.eval()
    with torch.no_grad():
        right = sum(int(model(image[None]).argmax()) == label for image, label in files)
    return right / len(files)


@pytest.mark.ci
def test_the_ported_example_learns_as_much(tmp_path: Path) -> None:
    photos = tmp_path / "photos"
    command = [STOKER, "data", "synth", photos, "--images", "240", "--classes", "4"]
    subprocess.run([*command, "--size", "256x192"], check=True, capture_output=True)
    plain = accuracy("small_cnn.py", photos, tmp_path / "plain.pt")
    ported = accuracy("small_cnn_image_loader.py", photos, tmp_path / "ported.pt")
    assert plain > 0.8 and ported > 0.8  # of four classes, so 0.25 is chance
    assert abs(plain - ported) < 0.15


SMALL_SHM = """
set -e
mount -t tmpfs -o size=1M tmpfs /dev/shm
exec "$@"
"""


def test_a_shared_memory_of_1_mb_is_enough(tmp_path: Path) -> None:
    photos = make_folder(tmp_path / "photos", 24, ["jpeg 420"])
    code = (
        "import sys, stoker, stoker.transforms as T\n"
        "loader = stoker.ImageLoader(sys.argv[1], 8, [T.RandomResizedCrop(224), T.ToTensor()])\n"
        "print(sum(len(y) for _, y in loader))\n"
    )
    shell = ["unshare", "--mount", "bash", "-c", SMALL_SHM, "bash"]
    if subprocess.run([*shell, "true"], capture_output=True).returncode != 0:
        pytest.skip("another /dev/shm cannot be mounted here")
    done = subprocess.run(
        [*shell, sys.executable, "-c", code, str(photos)], capture_output=True, timeout=120
    )
    assert done.stdout == b"24\n", done.stderr
