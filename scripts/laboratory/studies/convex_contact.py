"""What the law of friction does to a walk: progress per period by every judge, with standard errors.

Progress is the distance that the body moves along the ground in a period.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from tarsus.analytic.clock import TripodGait
from tarsus.scripts.laboratory.studies import judges, walkers
from tarsus.scripts.laboratory.studies.walkers import Walker

PERIODS, SETTLE = 20, 4.0  # that are measured; time that passes before [s]
BATCH = 4  # periods in a row whose mean counts as one sample: a disturbance lives for about two periods
WALKERS: dict[str, Callable[[], Walker]] = {
    "quadruped, trot": walkers.quadruped,
    "dog, the same trot": walkers.dog_trot,
    "dog, its own clock": walkers.dog_clock,
    "hexapod, walk": lambda: walkers.hexapod("walk", TripodGait(1.0, 0.6)),
    "hexapod, run": lambda: walkers.hexapod("run", TripodGait(0.5, 0.3)),
}


class Progress(NamedTuple):
    """Of a steady walk."""

    mean: float  # a period [m]
    error: float  # standard error of the mean
    scatter: float  # standard deviation of single periods


def settling(walker: Walker) -> int:
    """Return the number of periods before progress is measured."""
    return round(SETTLE / walker.period)


def progress(rows: np.ndarray) -> np.ndarray:
    """Return the progress from each row of qpos and qvel to the next, shape (n - 1,) [m]."""
    return np.hypot(*np.diff(rows[:, :2], axis=0).T)


def statistics(single: np.ndarray) -> Progress:
    """Return mean, standard error by means of batches, and scatter of the progress of single periods."""
    batches = single[: len(single) // BATCH * BATCH].reshape(-1, BATCH).mean(axis=1)
    return Progress(float(single.mean()), float(batches.std(ddof=1) / np.sqrt(len(batches))), float(single.std(ddof=1)))


def steady(walker: Walker, judge, periods: int, settle: int) -> Progress:
    """Return the progress by a judge over periods that follow `settle` others, from rest."""
    rows = judges.walk(walker, judge, (settle + periods) * walker.period)
    return statistics(progress(rows[:: round(walker.period / walker.held)][settle:]))


@lru_cache(maxsize=4)
def exact_period(walker: Walker, settle: int) -> np.ndarray:
    """Return the exact run's rows of one period after `settle` others."""
    rows = judges.walk(walker, judges.Exact(walker), (settle + 1) * walker.period)
    return rows[settle * round(walker.period / walker.held) :]


def one_period(walker: Walker, judge, settle: int) -> tuple[float, float]:
    """Return a judge's additions to a period from the exact run's state: relative progress, rms positions.

    Without the scatter of many periods.
    """
    exact = exact_period(walker, settle)
    rows = judges.walk(walker, judge, walker.period, exact[0])
    nq, ends = (exact.shape[1] + 1) // 2, (exact[[0, -1]], rows[[0, -1]])
    right, found = (float(progress(end)[0]) for end in ends)
    return found / right - 1.0, float(np.sqrt(np.mean((rows[:, :nq] - exact[:, :nq]) ** 2)))
