# SPDX-License-Identifier: Apache-2.0
"""Are two samples of the same distribution? The two-sample Kolmogorov-Smirnov test."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

# Of the statistic, at level 0.001.
CRITICAL = np.sqrt(-np.log(0.001 / 2) / 2)


def statistic(a: NDArray[np.float64], b: NDArray[np.float64]) -> float:
    """Greatest distance of the two empirical distributions, scaled to its limit distribution."""
    a, b = np.sort(a), np.sort(b)
    both = np.concatenate([a, b])
    distance = np.abs(
        np.searchsorted(a, both, "right") / len(a) - np.searchsorted(b, both, "right") / len(b)
    ).max()
    return float(distance * np.sqrt(len(a) * len(b) / (len(a) + len(b))))


def assert_alike(ours: Iterable[float], theirs: Iterable[float]) -> None:
    a, b = np.asarray(list(ours), float), np.asarray(list(theirs), float)
    assert statistic(a, b) < CRITICAL
