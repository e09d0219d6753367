"""Contact flags against the touchdowns and liftoffs that the motion has: which are false, and what of stances is lost.

The exact stances are those of the distance between two geoms: they touch where it falls below `TOUCH`, at a time that
is interpolated between rows, and part where they stay above it for longer than `stances.DEBOUNCE`. What rises by a
micrometre and is down again two steps later never lifted off.
"""

from dataclasses import dataclass

import numpy as np

from tarsus.scripts.library.records import stances

TOUCH = 1e-6  # geoms nearer than that touch: of a motion that stands at a distance of zero, round-off [m]


@dataclass(frozen=True)
class Flicker:
    """The flags of one pair against its motion."""

    stances: np.ndarray  # the exact ones, shape (k, 2) [s]
    false_touchdowns: np.ndarray  # times at which the flag begins and the motion does not touch, or touches already [s]
    missed: int  # exact stances in which the flag is never true
    lost: float  # share of the stances' time in which the flag is false
    early: float  # share of the remaining time in which it is true


def exact_stances(time: np.ndarray, gap: np.ndarray, shortest: float | None = None) -> np.ndarray:
    """Return the intervals in which two geoms touch, shape (k, 2) [s], from times [s] and gaps [m] of rows, shape (n,).

    Gaps and contacts shorter than `shortest` are none [s]; by default `stances.DEBOUNCE`, or 2.5 rows.
    """
    shortest = max(stances.DEBOUNCE, 2.5 * float(np.diff(time).max(initial=0.0))) if shortest is None else shortest
    whole = stances.debounce(stances.from_flags(time, gap < TOUCH), shortest)
    return np.array([[_crossing(time, gap, begin), _crossing(time, gap, end)] for begin, end in whole]).reshape(-1, 2)


def compare(time: np.ndarray, gap: np.ndarray, flags: np.ndarray, exact: np.ndarray | None = None) -> Flicker:
    """Return the errors of contact flags against the distance, from times [s], gaps [m] and flags of rows, shape (n,).

    The `exact` stances [s], shape (k, 2), are given if they are known better than by the gap.
    """
    exact = exact_stances(time, gap) if exact is None else exact
    period = float(np.median(np.diff(time))) if len(time) > 1 else 0.0
    begins = stances.from_flags(time, flags)[:, 0]
    begins = begins[np.isfinite(begins)]
    # Of each stance one touchdown is right: the first from two rows before it to its end.
    right = set()
    for begin, end in exact:
        inside = np.flatnonzero((begins >= begin - 2 * period) & (begins < end))
        carried = np.isneginf(begin)
        right |= set(inside[:1]) if not carried and len(inside) else set()
    false = np.array([time for k, time in enumerate(begins) if k not in right])
    down = _holds(time, exact, -period)  # the rows next to an event may be either
    touched = _holds(time, exact, period)
    missed = sum(not flags[_holds(time, one[None], 0.0)].any() for one in exact if np.isfinite(one).all())
    return Flicker(exact, false, int(missed), _share(~flags, down), _share(flags, ~touched))


def _holds(time: np.ndarray, exact: np.ndarray, wider: float) -> np.ndarray:
    holds = np.zeros(len(time), bool)
    for begin, end in exact:
        holds |= (time >= begin - wider) & (time < end + wider)
    return holds


def _share(flags: np.ndarray, rows: np.ndarray) -> float:
    return float(flags[rows].mean()) if rows.any() else 0.0


def _crossing(time: np.ndarray, gap: np.ndarray, at: float) -> float:
    """Return the time at which the distance is `TOUCH`, before a row in which a stance begins or has ended."""
    if not np.isfinite(at):
        return at
    k = int(np.searchsorted(time, at))
    before, after = gap[k - 1] - TOUCH, gap[k] - TOUCH
    if not np.isfinite(before - after) or before == after:
        return at
    return float(time[k] - (time[k] - time[k - 1]) * after / (after - before))
