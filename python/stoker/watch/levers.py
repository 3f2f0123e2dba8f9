# SPDX-License-Identifier: Apache-2.0
"""Applying the levers that the user's classes allow, and saying what became of each."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from typing import Any

from . import faults, stages
from .forward import finder
from .recording import watcher


def allowed(lever_class: str) -> bool:
    """`exact` is always allowed, unless nothing is."""
    names = [name.strip() for name in os.environ.get("STOKER_ALLOW", "none").split(",")]
    return "none" not in names and (lever_class == "exact" or lever_class in names)


def left_out(lever: str) -> str:
    """The reason if the user named this lever in --without, or ""."""
    names = [name.strip() for name in os.environ.get("STOKER_WITHOUT", "").split(",")]
    return "left out by --without" if lever in names else ""


def dry_run() -> bool:
    return os.environ.get("STOKER_DRY_RUN") == "1"


def torch_imported() -> None:
    """Levers of the process, the model and the optimizer."""
    if not allowed("exact"):
        return
    from stoker.levers import cards, outcome, start

    outcome.on_outcome = _note_outcome
    asked = [card for card in cards.cards().values() if allowed(card.change_class)]
    for card in asked:
        if left_out(card.id) and card.id != "native_decoding":
            outcome.say(card.id, False, left_out(card.id))
    wanted = {card.id for card in asked if not left_out(card.id)}
    start.start(wanted.__contains__, finder.slot_filled, _outside_steps, faults.report, dry_run())


@contextlib.contextmanager
def _outside_steps() -> Iterator[None]:
    """What happens in here is no part of a step: compiling is no training."""
    watcher.lever_work_begin()
    try:
        yield
    finally:
        watcher.lever_work_end()


def _note_outcome(outcome: Any) -> None:
    _note(
        outcome.id,
        outcome.change_class,
        outcome.reason,
        outcome.applied,
        outcome.detail,
        outcome.planned,
    )


def pillow_imported() -> None:
    """Native decoding belongs to the moment at which the script has imported Pillow."""
    if not allowed("exact"):
        return
    pil: Any = sys.modules.get("stoker.pil")
    if pil is not None and not hasattr(pil, "stats"):  # it is importing Pillow at this moment
        pil._waiting.append(pillow_imported)
        return
    reason = left_out("native_decoding")
    if not reason:
        reason = _install_decoding()
    works = not reason
    _note(
        "native_decoding",
        "exact",
        reason,
        applied=works and not dry_run(),
        planned=works and dry_run(),
    )


def _install_decoding() -> str:
    """Why not, or ""."""
    try:
        from PIL import Image

        Image.preinit()  # as the first Image.open would: the order of formats stays the same
        from stoker import pil
        from stoker.pil import counters

        counters.on_count = stages.count
        counters.on_time = stages.add
        counters.on_fault = faults.report
        try:
            pil.install()
            if dry_run():
                pil.uninstall()
        except pil.NotInstalled as error:
            return str(error)
    except Exception as error:
        faults.report("native_decoding", error)
        return "an error in stoker's own code"
    return ""


def _note(
    lever: str,
    lever_class: str,
    reason: str,
    applied: bool,
    detail: str = "",
    planned: bool = False,
) -> None:
    faults.append(
        "levers.jsonl",
        {
            "id": lever,
            "class": lever_class,
            "applied": applied,
            "reason": reason,
            "detail": detail,
            "planned": planned,
            "pid": os.getpid(),
        },
    )
