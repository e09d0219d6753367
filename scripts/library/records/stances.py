"""When a foot stood on the ground: stances from flags, without flicker, and those of two engines matched.

The stances of a foot are an array (n, 2) of touchdown and lift-off times [s]; a stance that a record begins or ends in
has -inf or inf there. With much impedance at its onset a soft contact flickers: while a foot slides, MuJoCo lets go of
it every few milliseconds for a step or two, which no exact foot does. So gaps shorter than `DEBOUNCE` count as contact,
and then contacts shorter than it do not count; the same for both engines.
"""

from dataclasses import dataclass

import numpy as np

DEBOUNCE = 0.01  # flicker lasts up to 5 ms even at steps of 2.5 ms, the shortest swing of the gaits here 200 ms [s]


def from_flags(time: np.ndarray, flags: np.ndarray) -> np.ndarray:
    """Return the stances, shape (n, 2) [s], of a foot whose contact is known at increasing times [s], shape (m,)."""
    change = np.diff(np.concatenate([[0], np.asarray(flags, int), [0]]))
    begin, end = np.flatnonzero(change > 0), np.flatnonzero(change < 0)
    times = np.append(np.asarray(time, float), np.inf)
    return np.stack([np.where(begin == 0, -np.inf, times[begin]), times[end]], axis=-1)


def debounce(stances: np.ndarray, shortest: float = DEBOUNCE) -> np.ndarray:
    """Return the stances with short gaps closed, and then without short stances, shape (k, 2) [s]."""
    if not len(stances):
        return stances
    gap = stances[1:, 0] - stances[:-1, 1]
    keeps = gap >= shortest
    begin = stances[np.concatenate([[True], keeps]), 0]
    end = stances[np.concatenate([keeps, [True]]), 1]
    joined = np.stack([begin, end], axis=-1)
    return joined[end - begin >= shortest]


@dataclass(frozen=True)
class Match:
    """The stances of one foot in two engines."""

    touchdown_error: np.ndarray  # of matched stances, second engine minus first [s]
    liftoff_error: np.ndarray  # [s]
    missed: int  # stances of the first engine that overlap none of the second
    extra: int  # and the other way round


def match(first: np.ndarray, second: np.ndarray, start: float, stop: float) -> Match:
    """Match debounced stances (n, 2) [s], the right ones first, that overlap, the longest overlap first, at most once.

    Errors and missed or extra stances count if their touchdown or lift-off lies between start and stop [s].
    """
    begin = np.maximum(np.maximum.outer(first[:, 0], second[:, 0]), start - 1e3)
    end = np.minimum(np.minimum.outer(first[:, 1], second[:, 1]), stop + 1e3)
    overlap = end - begin
    pairs, free = [], [np.ones(len(first), bool), np.ones(len(second), bool)]
    for k in np.argsort(-overlap, axis=None):
        i, j = divmod(int(k), len(second))
        if overlap[i, j] > 0 and free[0][i] and free[1][j]:
            pairs.append((i, j))
            free[0][i] = free[1][j] = False
    pairs = np.array(sorted(pairs), int).reshape(-1, 2)
    with np.errstate(invalid="ignore"):  # both ends unknown: inf - inf
        errors = second[pairs[:, 1]] - first[pairs[:, 0]]
    when = first[pairs[:, 0]]
    known = np.isfinite(errors) & (when >= start) & (when <= stop)
    missed, extra = (
        int(np.sum(left & (stances[:, 0] >= start) & (stances[:, 0] <= stop)))
        for left, stances in zip(free, (first, second), strict=True)
    )
    return Match(errors[known[:, 0], 0], errors[known[:, 1], 1], missed, extra)
