# SPDX-License-Identifier: Apache-2.0
"""Files that the engine does not decode itself are decoded by Pillow, in threads of their own."""

from __future__ import annotations

import io
import os
import threading

from .. import _core

FOREVER_MS = 24 * 3600 * 1000
JOIN_SECONDS = 10  # a picture that takes longer than that to decode


class Servers:
    """Threads that serve `engine` until it is closed: one, and up to `most` while files wait."""

    def __init__(self, engine: _core.Loader, most: int) -> None:
        self.engine = engine
        self.most = most
        self.threads: list[threading.Thread] = []
        self.lock = threading.Lock()
        self.add()

    def add(self) -> None:
        with self.lock:
            if len(self.threads) >= self.most:
                return
            name = f"stoker-pillow-{len(self.threads) + 1}"
            thread = threading.Thread(target=self.serve, name=name, daemon=True)
            self.threads.append(thread)
            thread.start()

    def join(self) -> None:
        """Wait for their end, after the engine was closed. A thread that still came back from the
        engine while the interpreter ends would take the process with it."""
        for thread in self.threads:
            if thread is not threading.current_thread():
                thread.join(JOIN_SECONDS)

    def serve(self) -> None:
        while not self.engine.closed():
            item = self.engine.wait_handover(FOREVER_MS)
            if item is None:
                continue
            number, _, data, waiting = item
            if waiting > 0:
                self.add()
            try:
                rgb, width, height = decode(data)
            except Exception as error:
                self.engine.fail_handover(number, reason_of(error))
            else:
                self.engine.finish_handover(number, rgb, width, height)


def decode(data: bytes) -> tuple[bytes, int, int]:
    """RGB bytes, width and height, as torchvision's image folder reads a file."""
    from PIL import Image

    with Image.open(io.BytesIO(data)) as opened:
        image = opened.convert("RGB")
    return image.tobytes(), image.width, image.height


def reason_of(error: Exception) -> str:
    text = str(error).strip() or type(error).__name__
    if "cannot identify image file" in text:  # it names a BytesIO, which nobody knows
        return "Pillow cannot identify it as an image"
    return f"{type(error).__name__}: {text}"


def name_of(raw: bytes) -> str:
    return os.fsdecode(raw)
