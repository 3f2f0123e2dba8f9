# SPDX-License-Identifier: Apache-2.0
"""What is raised for a sample that cannot be read or decoded."""

from __future__ import annotations


class SampleError(ValueError):
    """`name` is the file, `sample` its number in the source, `reason` what was wrong with it."""

    def __init__(self, name: str, sample: int, reason: str) -> None:
        super().__init__(
            f"{name} (sample {sample}): {reason}; "
            'on_error="skip" or "replace" goes on without it, `stoker data scan` finds all of them'
        )
        self.name = name
        self.sample = sample
        self.reason = reason
