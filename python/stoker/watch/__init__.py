# SPDX-License-Identifier: Apache-2.0
"""Watching a training script from inside its process, without a change to it.

`attach()` is called by the import hook once the script has imported torch. It hangs probes on the
few places that every training loop goes through; they write to this process's recorder. Whatever
fails in here is reported and left out, and the script goes on.
"""

from __future__ import annotations

from collections.abc import Callable

OLDEST_TORCH = (2, 6)
_attached = False

WhenImported = Callable[[str, Callable[[], None]], None]


def attach(when_imported: WhenImported) -> None:
    """Hang all hooks, each for itself. `when_imported(name, callback)` calls back after module
    `name` has run. Requires: torch is imported. A second call does nothing."""
    global _attached
    if _attached:
        return
    _attached = True
    import torch

    from . import faults

    if tuple(int(part) for part in torch.__version__.split(".")[:2]) < OLDEST_TORCH:
        oldest = ".".join(map(str, OLDEST_TORCH))
        too_old = f"torch {torch.__version__} is older than {oldest}: the script runs unwatched"
        faults.report("torch", too_old)
        return

    from . import forward, levers, loaders, stages, training

    parts: dict[str, Callable[[], None]] = {
        "loaders": loaders.watch_loaders,
        "image loader": lambda: when_imported(
            "stoker.loader.iteration", loaders.watch_image_loader
        ),
        "stages": stages.watch_fetchers,
        "backward": training.watch_backward,
        "optimizers": training.watch_optimizers,
        "forward": lambda: forward.finder.watch(when_imported),
        "Pillow": lambda: when_imported("PIL.ImageFile", stages.watch_pillow),
        "levers": levers.torch_imported,
        "native decoding": lambda: when_imported("PIL.Image", levers.pillow_imported),
    }
    for name, watch in parts.items():
        try:
            watch()
        except Exception as error:
            faults.report(name, error)
