# SPDX-License-Identifier: Apache-2.0
"""The photo sets: windows of real photographs, and the same in other formats.

The photographs are those that scikit-image and scikit-learn ship. 600 windows of 500 x 375 or
375 x 500 as JPEG, quality 96, 4:2:0, of about 85 kB each; the same bytes for the same Pillow.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
from PIL import Image
from workloads import FIRST_COPY, Photos

SKIMAGE = (
    "coffee.png",
    "astronaut.png",
    "rocket.jpg",
    "chelsea.png",
    "motorcycle_left.png",
    "motorcycle_right.png",
    "ihc.png",
    "hubble_deep_field.jpg",
)
SKLEARN = ("china.jpg", "flower.jpg")
EPOCH = 12_000  # samples at least, so that a block of measuring rarely crosses the end of an epoch
FEW = 64

Save = Callable[[Image.Image, Path], None]
SETS: dict[str, tuple[str, Save | None]] = {
    "jpeg": (".jpg", None),
    "progressive": (".jpg", lambda i, path: i.save(path, quality="keep", progressive=True)),
    "png": (".png", lambda image, path: image.save(path)),
    "webp": (".webp", lambda image, path: image.save(path, quality=90)),
}


def make_photos(out: Path, count: int = 600) -> Path:
    """Photos in out/c0 to out/c9, unless they are there."""
    if out.exists():
        return out
    import skimage.data
    import sklearn  # type: ignore[import-untyped]

    folders = (
        (Path(skimage.data.__file__).parent, SKIMAGE),
        (Path(sklearn.__file__).parent / "datasets/images", SKLEARN),
    )
    photos = [Image.open(place / name).convert("RGB") for place, names in folders for name in names]
    rng = np.random.default_rng(0)
    part = out.with_name(out.name + ".part")
    for i in range(count):
        photo = photos[i % len(photos)]
        folder = part / f"c{i % len(photos)}"
        folder.mkdir(parents=True, exist_ok=True)
        window = _window(photo, rng)
        window.save(folder / f"{i:05d}.jpg", quality=96, subsampling="4:2:0")
    part.rename(out)
    return out


def _window(photo: Image.Image, rng: np.random.Generator) -> Image.Image:
    width, height = (500, 375) if rng.random() < 0.7 else (375, 500)
    scale = max(width / photo.width, height / photo.height) * rng.uniform(1.0, 1.3)
    size = max(width, round(photo.width * scale)), max(height, round(photo.height * scale))
    scaled = photo.resize(size, Image.Resampling.LANCZOS)
    x = int(rng.integers(0, scaled.width - width + 1))
    y = int(rng.integers(0, scaled.height - height + 1))
    return scaled.crop((x, y, x + width, y + height))


def photo_set(photos: Path, name: str, root: Path, few: bool = False) -> Photos:
    """The set `name` of these photos below `root`, made when it is not there. Every photo stands
    in it several times by hard links, for an epoch of some length; `few`: one batch, no copies."""
    files = sorted(path for path in photos.glob("[!.]*/*") if path.suffix.lower() in _JPEG)
    if not files:
        raise SystemExit(f"{photos} has no folders of JPEG files")
    known = "".join(f"{path} {path.stat().st_size} {path.stat().st_mtime_ns}\n" for path in files)
    place = (
        root / hashlib.sha256(known.encode()).hexdigest()[:12] / (f"{name}-few" if few else name)
    )
    made = Photos(place / "photos", place / "made")
    if place.exists():
        return made
    part = place.with_name(place.name + ".part")
    shutil.rmtree(part, ignore_errors=True)
    (part / "made").mkdir(parents=True)
    if few:
        files = files[:: max(1, len(files) // FEW)][:FEW]
    copies = 1 if few else -(-EPOCH // len(files))
    suffix, save = SETS[name]
    for path in files:
        _put(path, part / "photos" / path.parent.name, suffix, save, copies)
    part.rename(place)
    return made


_JPEG = (".jpg", ".jpeg")


def _put(path: Path, folder: Path, suffix: str, save: Save | None, copies: int) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    first = folder / f"{FIRST_COPY}{path.stem}{suffix}"
    if save is None:
        _link(path, first)
    else:
        with Image.open(path) as image:
            save(image, first)
    for copy in range(1, copies):
        _link(first, folder / f"{copy:02d}_{path.stem}{suffix}")


def _link(path: Path, other: Path) -> None:
    try:
        os.link(path, other)
    except OSError:  # another file system
        shutil.copyfile(path, other)
