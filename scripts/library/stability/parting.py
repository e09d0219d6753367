"""How fast nearby runs of a closed loop part, or come together: a rate per second, with an interval.

From several states along a run, displacements too small to matter are followed until they are no longer small. Their
growth, summed over all and divided by the time it took, is the largest Lyapunov exponent for as long as they are small.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats

TINY = 1e-5  # displacement, in typical values: above the noise of observations in single precision
SMALL = 1e-2  # in typical values; a larger one is not followed
RUNS = 8
CONFIDENCE = 0.9  # of the interval
TRANSIENT = 0.1  # of a run: its beginning, in which stiff directions decay


@dataclass(frozen=True)
class Parting:
    """A rate [1/s] and its interval; negative where runs come together."""

    rate: float
    low: float
    high: float

    @property
    def parts(self) -> bool:
        """Whether nearby runs part."""
        return self.low > 0.0

    @property
    def meets(self) -> bool:
        """Whether nearby runs come together."""
        return self.high < 0.0

    def __str__(self) -> str:
        how, sign = ("part", 1.0) if self.rate > 0 else ("come together", -1.0)
        between = " to ".join(f"{abs(end) if end * sign > 0 else -abs(end):.2g}" for end in (self.low, self.high))
        return f"nearby runs {how} by {abs(self.rate):.2g} e-folds a second ({between})"


def growth(sizes: np.ndarray) -> tuple[float, int]:
    """Return the logarithm by which a displacement grew, and over how many steps, of sizes of shape (m,).

    Its transient is left out, unless it is no longer small by then.
    """
    large = ~(np.isfinite(sizes) & (sizes < SMALL))
    last = int(np.argmax(large)) if large.any() else len(sizes) - 1
    first = round(TRANSIENT * len(sizes))
    first = first if last > 2 * first else 0
    end = sizes[last] if np.isfinite(sizes[last]) else SMALL
    return float(np.log(max(end, 1e-300) / sizes[first])), last - first


def pooled(grown: Sequence[tuple[float, int]], dt: float) -> Parting:
    """Return the rate of several runs: all growth over all time, with the interval of a ratio of means.

    Args:
        grown: As `growth` returns it, of each run.
        dt: Duration of a step [s].
    """
    logs, times = np.array(grown, float).T
    times = times * dt
    rate, n = logs.sum() / times.sum(), len(logs)
    error = np.sqrt(n / (n - 1) * np.sum((logs - rate * times) ** 2)) / times.sum()
    reach = stats.t.ppf(0.5 + 0.5 * CONFIDENCE, n - 1) * error
    return Parting(float(rate), float(rate - reach), float(rate + reach))


def measured(run: Callable[[int], np.ndarray], dt: float) -> Parting:
    """Return the rate of `RUNS` runs.

    Args:
        run: Returns the sizes of a displacement that begins at `TINY`, in typical values, shape (m,), by its number.
        dt: Duration of a step [s].
    """
    return pooled([growth(run(k)) for k in range(RUNS)], dt)
