"""Scores of many tosses or impacts: means and medians with intervals, and what two models differ by.

Intervals are of the bootstrap over tosses; models are compared by differences of the same toss, which are much more
certain than either score.
"""

from typing import NamedTuple

import numpy as np

SAMPLES = 1000
LEVEL = 0.95


class ConfidenceInterval(NamedTuple):
    """A statistic with the interval that the bootstrap gives."""

    value: float
    low: float
    high: float


def estimate(values: np.ndarray, statistic=np.mean, seed: int = 0) -> ConfidenceInterval:
    """Return a statistic of two or more values (n,), NaN left out, with its 95 % interval; ValueError for fewer."""
    values = np.asarray(values, float)
    values = values[~np.isnan(values)]
    if len(values) < 2:
        raise ValueError(f"an interval needs two values, got {len(values)}")
    chosen = np.random.default_rng(seed).integers(len(values), size=(SAMPLES, len(values)))
    low, high = np.quantile(statistic(values[chosen], axis=1), [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return ConfidenceInterval(float(statistic(values)), float(low), float(high))
