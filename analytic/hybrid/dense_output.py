"""Dense output of a whole run: the polynomials of its steps, with both sides of every event."""

from typing import Any

import numpy as np

SIDES = ("left", "right")


class DenseOutput:
    """The states of a run as functions of time.

    Args:
        events: The run's event log.
        rows: The record of every step, shape (m, 2 + n + n_memory).
        steps: Of the step that begins at each row: its length (0: none), until where it is valid, and its coefficients
            as `kernel/dense.py` has them, shape (m, 2 + n_dense n).
        end: Time, state, memory and chart at the run's end.
    """

    def __init__(self, events: Any, rows: np.ndarray, steps: np.ndarray, end: tuple) -> None:
        self._events, self._rows, self._end = events, rows, end
        self._n, self._n_d = len(events.names.state), len(events.names.memory)
        self._h, self._valid = steps[:, 0], steps[:, 1]
        self._q = steps[:, 2:].reshape(len(steps), -1, self._n)
        self._stepping = np.flatnonzero(self._h > 0.0)  # rows that are a step's start
        kinds = np.isin(events.kind, ("transition", "declined", "accumulation"))
        self._changes = np.flatnonzero(kinds)

    def states(self, t: Any, side: str) -> np.ndarray:
        """States at times of any shape [s], shape (..., n); at an event before it ("left") or behind it ("right")."""
        t = self._checked(t, side)
        row = self._row(t, side)
        s = np.minimum(t - self._rows[row, 0], self._valid[row])
        x = self._rows[row, 2 : 2 + self._n]
        moving = self._h[row] > 0.0
        y = np.divide(s, self._h[row], out=np.zeros_like(t), where=moving)[..., None]
        q, b = np.where(moving[..., None, None], self._q[row], 0.0), y * (1.0 - y)
        terms = (y, b, y * b, b * b, y * b * b, b**3, y * b**3)
        x = x + sum(terms[k] * q[..., k, :] for k in range(q.shape[-2]))
        times = self._events.t[self._changes]
        if side == "right":
            return np.where((t == self._end[0])[..., None], self._end[1], x)
        event = np.minimum(np.searchsorted(times, t, "left"), max(len(times) - 1, 0))
        if len(times):  # as it was located: by a step of its own
            located = self._events.x_minus[self._changes[event]]
            return np.where((times[event] == t)[..., None], located, x)
        return x

    def memory(self, t: Any, side: str) -> np.ndarray:
        """Memory at times, shape (..., n_memory); as `states`."""
        log = self._events
        return self._held(t, side, self._rows[0, 2 + self._n :][: self._n_d], log.d_plus, self._end[2])

    def charts(self, t: Any, side: str) -> np.ndarray:
        """Codes of charts at times, shape (...); as `states`."""
        log = self._events
        return self._held(t, side, self._rows[0, 1].astype(np.int64), log.chart_after, self._end[3])

    def _held(self, t: Any, side: str, first: np.ndarray, after: np.ndarray, last: Any) -> np.ndarray:
        """Values that change at events alone."""
        t = self._checked(t, side)
        values = np.concatenate([first[None], after[self._changes]])
        place = np.searchsorted(self._events.t[self._changes], t, side)
        made = values[place]
        at_end = (t == self._end[0]) & (side == "right")
        return np.where(at_end.reshape(t.shape + (1,) * (made.ndim - t.ndim)), last, made)

    def _row(self, t: np.ndarray, side: str) -> np.ndarray:
        """The record's row from which each time is reached; from the left by the last step that begins before."""
        if side == "right":
            return np.maximum(np.searchsorted(self._rows[:, 0], t, "right") - 1, 0)
        if not self._stepping.size:
            return np.zeros(t.shape, dtype=int)
        place = np.searchsorted(self._rows[self._stepping, 0], t, "left") - 1
        return np.where(place < 0, 0, self._stepping[np.maximum(place, 0)])

    def _checked(self, t: Any, side: str) -> np.ndarray:
        if side not in SIDES:
            raise ValueError(f"side must be 'left' or 'right', got {side!r}")
        t = np.asarray(t, dtype=float)
        first, last = float(self._rows[0, 0]), float(self._end[0])
        outside = ~((t >= first) & (t <= last))
        if outside.any():
            raise ValueError(
                f"t must be within the run, from {first!r} to {last!r} s, got {t[outside].flat[0].item()!r}"
            )
        return t
