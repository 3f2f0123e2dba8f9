# SPDX-License-Identifier: Apache-2.0
"""Interleaved pairs (A-B-B-A) and what they show, with a bootstrap interval."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Interval(NamedTuple):
    """A 95 % interval with its estimate, in the order of every gain in stoker's JSON."""

    low: float
    estimate: float
    high: float


def abba(pairs: int) -> list[str]:
    """The order of 2 x `pairs` runs, so that a slow drift of the machine cancels out."""
    return [side for pair in range(pairs) for side in ("AB" if pair % 2 == 0 else "BA")]


def ratio(a: Sequence[float], b: Sequence[float], seed: int = 0) -> Interval:
    """Median of a[i] / b[i] over the pairs; the interval resamples whole pairs."""
    return _median_interval(np.asarray(a, float) / np.asarray(b, float), seed)


def difference(a: Sequence[float], b: Sequence[float], seed: int = 0) -> Interval:
    """Median of a[i] - b[i] over the pairs; the interval resamples whole pairs."""
    return _median_interval(np.asarray(a, float) - np.asarray(b, float), seed)


def _median_interval(values: NDArray[np.float64], seed: int, resamples: int = 10_000) -> Interval:
    picks = np.random.default_rng(seed).integers(0, len(values), (resamples, len(values)))
    medians = np.median(values[picks], axis=1)
    low, high = np.percentile(medians, [2.5, 97.5])
    return Interval(float(low), float(np.median(values)), float(high))
