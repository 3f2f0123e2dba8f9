# SPDX-License-Identifier: Apache-2.0
"""`stoker.setup`: seeds and levers from a line in the script or a cell of a notebook."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterable

from . import outcome
from .cards import CLASSES, cards
from .outcome import Outcome


def setup(seed: int | None = None, allow: str | Iterable[str] = ()) -> None:
    """Seed everything, and put on the levers of `exact` and of the classes in `allow`.

    To be called before models, optimizers and loaders are made. `seed` goes to random, NumPy and
    torch, all devices included; None seeds nothing. `allow` is what `stoker run --allow` takes:
    ("rounding", "precision"), or "none" for no levers at all. What became of each lever is printed
    to stderr, with its class and the reason, as soon as it is known; some are tried in the first
    steps. Under `stoker run` that command decides about levers, and only seeds are set. A second
    call sets seeds again and changes nothing else.

    Raises ValueError for a class that there is none of, TypeError for a seed that is no integer.
    """
    classes = _classes(allow)
    if seed is not None:
        _seed(seed)
    if not classes:
        return
    import torch  # noqa: F401  (before its levers: a hook of `stoker run` waits for this import)

    from . import start

    if outcome.on_outcome is not None:
        _print("levers are on already; only seeds were set")
        return
    outcome.on_outcome = _tell
    wanted = {card.id for card in cards().values() if card.change_class in classes}
    start.start(wanted.__contains__, fault=_tell_fault)
    if "native_decoding" in wanted:
        _decode_natively()


def _classes(allow: str | Iterable[str]) -> set[str]:
    names = allow.split(",") if isinstance(allow, str) else list(allow)
    names = [name.strip() for name in names if name.strip()]
    unknown = [name for name in names if name not in (*CLASSES, "none")]
    if unknown:
        raise ValueError(
            f"allow={unknown[0]!r}: no such class; expected none, or some of {', '.join(CLASSES)}"
        )
    if "none" in names:
        if len(names) > 1:
            raise ValueError('allow="none" excludes every other class; leave out none, or the rest')
        return set()
    return {"exact", *names}


def _seed(seed: int) -> None:
    if not isinstance(seed, int) or isinstance(seed, bool):
        raise TypeError(f"seed={seed!r}: expected an integer, or None to seed nothing")
    import numpy
    import torch

    random.seed(seed)
    numpy.random.seed(seed % 2**32)
    torch.manual_seed(seed)
    _print(f"seed {seed} for random, NumPy and torch")


def _decode_natively() -> None:
    from importlib.util import find_spec

    reason = ""
    if find_spec("PIL") is None:
        reason = "Pillow is not installed"
    else:
        from stoker import pil

        try:
            pil.install()
        except pil.NotInstalled as error:
            reason = str(error)
    outcome.say("native_decoding", not reason, reason)


def _tell(found: Outcome) -> None:
    if found.provisional:
        return
    title = f"{found.id} [{found.change_class}]"
    words = found.detail if found.applied else found.reason
    _print(f"{'done' if found.applied else 'left out'}  {title}" + (f": {words}" if words else ""))


def _tell_fault(where: str, error: BaseException) -> None:
    _print(f"fault in stoker, not in your script: {where}: {type(error).__name__}: {error}")


def _print(text: str) -> None:
    print(f"stoker  {text}", file=sys.stderr, flush=True)
