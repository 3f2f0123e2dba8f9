# SPDX-License-Identifier: Apache-2.0
"""Applying the levers that the user's classes allow, and saying what became of each."""

from __future__ import annotations

import os

from . import faults, stages


def allowed(lever_class: str) -> bool:
    """`exact` is always allowed, unless nothing is."""
    names = [name.strip() for name in os.environ.get("STOKER_ALLOW", "none").split(",")]
    return "none" not in names and (lever_class == "exact" or lever_class in names)


def pillow_imported() -> None:
    """Native decoding belongs to the moment at which the script has imported Pillow."""
    if not allowed("exact"):
        return
    reason = ""
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
        except pil.NotInstalled as error:
            reason = str(error)
    except Exception as error:
        faults.report("native_decoding", error)
        reason = "an error in stoker's own code"
    _note("native_decoding", "exact", reason)


def _note(lever: str, lever_class: str, reason: str) -> None:
    faults.append(
        "levers.jsonl",
        {
            "id": lever,
            "class": lever_class,
            "applied": not reason,
            "reason": reason,
            "pid": os.getpid(),
        },
    )
