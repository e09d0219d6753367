"""How fast nearby runs of a closed loop part, or come together: a rate per second, with an interval.

From several states along a run, displacements too small to matter are followed, and made tiny again before they are
large. Their growth, summed over all and divided by the time it took, is the largest Lyapunov exponent (Benettin 1980).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats

TINY = 1e-5  # displacement, in typical values: above the noise of observations in single precision
SMALL = 1e-2  # in typical values; a larger one is not followed
LEAST = 0.1  # rate [1/s] that is none: over ten seconds less than e-fold
RUNS = 8
CONFIDENCE = 0.9  # of the interval
LINK = 0.05  # of a run, after which a displacement is made tiny again
TRANSIENT = 0.2  # of a run's links: its beginning


@dataclass(frozen=True)
class Parting:
    """A rate [1/s] and its interval; negative where runs come together."""

    rate: float
    low: float
    high: float

    @property
    def parts(self) -> bool:
        """Whether nearby runs part."""
        return self.low > LEAST

    @property
    def meets(self) -> bool:
        """Whether nearby runs come together."""
        return self.high < -LEAST

    def __str__(self) -> str:
        how, sign = ("part", 1.0) if self.rate > 0 else ("come together", -1.0)
        between = " to ".join(f"{abs(end) if end * sign > 0 else -abs(end):.2g}" for end in (self.low, self.high))
        return f"nearby runs {how} by {abs(self.rate):.2g} e-folds a second ({between})"


def growth(
    deviate: Callable[[np.ndarray, int, int], np.ndarray], by: np.ndarray, steps: int, sized: np.ndarray
) -> tuple[float, int]:
    """Return the logarithm by which a displacement grew along a run, and over how many steps.

    It is made tiny again after every `LINK` of the steps, or once it is no longer small; the first links, in which it
    turns to where it grows most, are left out.

    Args:
        deviate: `deviate(by, at, n)` returns how far the run that is displaced at a step is from that which is not,
            at n steps and before, or until it falls, shape (m, k).
        by: The first displacement, shape (k,).
        steps: Of the run.
        sized: Which coordinates make its size, shape (k,): no symmetries, which stay, and nothing that is remembered.
    """
    at, grown, by = 0, [], TINY * by / np.linalg.norm(by[sized])
    while at < steps:
        path = deviate(by, at, min(max(round(LINK * steps), 1), steps - at))
        sizes = np.linalg.norm(path[:, sized], axis=1)
        large = sizes > SMALL
        last = int(np.argmax(large)) if large.any() else len(sizes) - 1
        if not last:  # it fell at once
            break
        grown.append((np.log(max(sizes[last], 1e-300) / sizes[0]), last))
        by, at = TINY * path[last] / max(sizes[last], 1e-300), at + last
    kept = grown[round(TRANSIENT * len(grown)) :]
    return float(sum(log for log, _ in kept)), sum(steps for _, steps in kept)


def pooled(grown: Sequence[tuple[float, int]], dt: float) -> Parting:
    """Return the rate of several runs' growths, in steps of dt [s]: all over all time, with its ratio's interval."""
    logs, times = np.array(grown, float).T
    times = times * dt
    rate, n = logs.sum() / times.sum(), len(logs)
    error = np.sqrt(n / (n - 1) * np.sum((logs - rate * times) ** 2)) / times.sum()
    reach = stats.t.ppf(0.5 + 0.5 * CONFIDENCE, n - 1) * error
    return Parting(float(rate), float(rate - reach), float(rate + reach))
