# SPDX-License-Identifier: Apache-2.0
"""ImageLoader with a GPU: page-locked batches, and copies on a stream of their own."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
if not torch.cuda.is_available():
    pytest.skip("no CUDA device", allow_module_level=True)

import stoker  # noqa: E402
import stoker.transforms as T  # noqa: E402

CHAIN = [T.RandomResizedCrop(224), T.RandomHorizontalFlip(), T.ToTensor()]


@pytest.fixture(scope="module")
def photos(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("photos")
    command = ["stoker", "data", "synth", folder, "--images", "400", "--classes", "4", "--force"]
    subprocess.run(command, check=True, capture_output=True)
    return folder


def test_batches_are_page_locked(photos: Path) -> None:
    images, labels = next(iter(stoker.ImageLoader(photos, 32, CHAIN)))
    assert images.is_pinned() and labels.is_pinned()


@pytest.mark.parametrize("layout", ["nchw", "nhwc"])
@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_batches_on_the_device_are_those_on_the_host(photos: Path, dtype: str, layout: str) -> None:
    options = {"dtype": dtype, "layout": layout, "seed": 3}
    host = stoker.ImageLoader(photos, 32, CHAIN, **options)
    device = stoker.ImageLoader(photos, 32, CHAIN, device="cuda", **options)
    count = 0
    for (expected, numbers), (images, labels) in zip(host, device, strict=True):
        assert images.is_cuda and images.stride() == expected.stride()
        # Work on the consumer's stream that outlasts the hand-over of the next batches.
        product = images.float().flatten(1) @ images.float().flatten(1).T
        assert torch.equal(images.cpu(), expected) and torch.equal(labels.cpu(), numbers)
        assert bool(torch.isfinite(product).all())
        count += len(labels)
    assert count == 400


def test_kept_batches_stay_as_they_were(photos: Path) -> None:
    loader = stoker.ImageLoader(photos, 32, CHAIN, device="cuda", seed=1)
    kept = [images for images, _ in loader]
    again = stoker.ImageLoader(photos, 32, CHAIN, seed=1)
    for images, (expected, _) in zip(kept, again, strict=True):
        assert torch.equal(images.cpu(), expected)
