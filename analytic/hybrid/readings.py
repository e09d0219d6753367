"""Where an optimiser reads a run: outputs at the start, at events on both sides, where events are made, at the end."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from .schedule import CAPACITY

START, END = -1, -2  # rows that are none of the event log's


@dataclass(frozen=True)
class Readings:
    """Cost and constraints of a segment; with derivatives along its k decisions, unless they were not asked for."""

    cost: float
    c: np.ndarray  # (m,)
    full: np.ndarray  # (m,) without the ramp; zero just at an event
    gradient: np.ndarray | None = None  # (k,)
    hessian: np.ndarray | None = None  # (k, k)
    jac: np.ndarray | None = None  # (m, k)
    end_by: np.ndarray | None = None  # (n, k) of the last state


@dataclass(frozen=True)
class ReadingPoints:
    """Points of a run at which outputs are read, and what is read there."""

    row: np.ndarray  # (m,) of the event log, or START, END
    side: np.ndarray  # (m,) 0 before the event, 1 behind it
    chart: np.ndarray  # (m,) of the free model
    place: np.ndarray  # (m,) in the order of events
    made: np.ndarray  # (m,) the guard whose event is made here, -1 if none
    t: np.ndarray  # (m,)
    x: np.ndarray  # (m, n)
    d: np.ndarray  # (m, n_memory)


class Reader:
    """Reads one run. `made` and `v` are its derivatives and their directions, or None."""

    def __init__(self, whole: Any, part: Any, outputs: Any, r: Any, start: Any, made: Any, v: Any) -> None:
        self.whole, self.problem, self.part, self.outputs, self.r = whole, whole.problem, part, outputs, r
        self.log, self.start, self.made, self.v = r.events, start, made, v
        self.model, self.ordered = whole.problem.model, part.order is not None
        self.rows = self._rows()
        at = (self.rows.t, self.rows.x, self.rows.d, r.p)
        self.values = outputs.values(*at, self.rows.chart)
        self.k = len(part.names)
        if made is not None:
            self.by = self._by()
            self.values_by = outputs.derived(at, self.by, self.rows.chart, self.values)[..., : self.k]
        self.weight, self.weight_by = self._ramp()

    def _rows(self) -> ReadingPoints:
        """Return the points: the start, every event on both sides, those where events are made, the end."""
        log, r, start = self.log, self.r, self.start
        events = np.flatnonzero(log.kind == "transition")
        forced = self._forced(events)
        row = np.concatenate([[START], events, events, [one[0] for one in forced], [END]]).astype(int)
        n = len(events)
        side = np.concatenate([[1], np.zeros(n), np.ones(n), np.zeros(len(forced)), [1]]).astype(int)
        codes = [[start.chart], log.chart_before[events], log.chart_after[events], [], [r.chart_end]]
        codes = np.concatenate([*codes[:3], np.array([one[2] for one in forced]), codes[4]]).astype(np.int64)
        chart, place = (codes // CAPACITY, codes % CAPACITY) if self.ordered else (codes, np.zeros_like(codes))
        chart[1 + 2 * n : 1 + 2 * n + len(forced)] = [one[2] for one in forced]
        which = np.full(len(row), -1)
        which[1 + 2 * n : 1 + 2 * n + len(forced)] = [one[1] for one in forced]

        def gathered(first, before, after, last):
            return np.concatenate([[first], before[events], after[events], before[row[which >= 0]], [last]])

        return ReadingPoints(
            row, side, chart, place, which, gathered(start.t, log.t, log.t, r.t_end),
            gathered(start.x, log.x_minus, log.x_plus, r.x_end),
            gathered(start.d, log.d_minus, log.d_plus, r.d_end),
        )  # fmt: skip

    def _forced(self, events: np.ndarray) -> list[tuple[int, int, int]]:
        """Return row, guard and the chart without it, of events that were made with a node."""
        if not self.ordered:
            return []
        found, log, names = [], self.log, self.r.names.guards
        entries = iter(self.part.order)
        node = names.index(self.problem.node)
        for row in events[np.delete(log.fired[events], node, axis=1).any(axis=1)]:
            fired = log.fired[row].astype(np.int64)
            for i in np.delete(np.arange(len(names)), node)[np.delete(fired, node) > 0]:
                if "@" in next(entries):
                    fired[i] = 0
                    x, d = log.x_minus[row].copy(), log.d_minus[row].copy()
                    before = int(log.chart_before[row]) // CAPACITY
                    chart = int(self.whole.shooting.transition(log.t[row], x, d, self.r.p, before, fired))
                    found.append((int(row), int(i), chart))
        return found

    def _by(self) -> tuple:
        """Return derivatives of t, x, d, p at the points, each taken at the event as it moves."""
        rows, made, v = self.rows, self.made, self.v
        replayed, k = made.replayed, v.size
        at = rows.row >= 0
        t_by, x, d = np.zeros((len(at), k)), np.empty((len(at), *v.x.shape)), np.empty((len(at), *v.d.shape))
        t_by[at] = replayed.t_by[rows.row[at]]
        x[at], d[at] = (part[rows.side[at], rows.row[at]] for part in (replayed.x_by, replayed.d_by))
        x[rows.row == START], d[rows.row == START] = v.x, v.d
        x[-1], d[-1], t_by[-1] = made.end.x_by, made.end.d_by, made.end.t_by
        derivatives, p = self.whole.tools(self.part)[0], self.r.p
        for i in np.flatnonzero(at & t_by.any(axis=1)):
            code = int(rows.chart[i]) * (CAPACITY if self.ordered else 1)
            x[i] += np.outer(derivatives.rate(rows.t[i], rows.x[i], rows.d[i], p, code), t_by[i])
        return t_by, x, d, v.p

    def _ramp(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the weight of bounds of single charts, shape (m,), and its derivative (m, k)."""
        rows, span = self.rows, self.problem.ramp
        weight, by = np.ones(len(rows.row)), np.zeros((len(rows.row), self.k))
        node = self.r.names.guards.index(self.problem.node) if self.problem.node is not None else -1
        others = np.delete(self.log.fired, node, axis=1) if node >= 0 else self.log.fired
        own = np.flatnonzero(others.any(axis=1) & (self.log.kind == "transition"))
        last = len(self.log) if len(own) else 0
        until = np.where(rows.row == END, last, np.where(rows.row == START, 0, rows.row + rows.side))
        n_before = np.searchsorted(own, until)  # events before each point
        some = np.flatnonzero(n_before)
        event = own[n_before[some] - 1]
        age = rows.t[some] - self.log.t[event]
        weight[some] = np.minimum(1.0, age / span) if span > 0.0 else (age > 0.0)
        if self.made is not None:
            young = (age > 0.0) & (age < span)
            by[some[young]] = (self.by[0][some] - self.made.replayed.t_by[event])[young][:, : self.k] / span
        return weight, by

    def output(self, name: str) -> tuple[np.ndarray, np.ndarray | None]:
        """Return an output at all points, shape (m,), and its derivatives (m, k)."""
        model = self.model
        if name in self.outputs.names:
            i = self.outputs.names.index(name)
            return self.values[:, i], None if self.made is None else self.values_by[:, i]
        kind, names = (1, model.state_names) if name in model.state_names else (2, model.memory_names)
        i, table = names.index(name), (self.rows.x, self.rows.d)[kind - 1]
        return table[:, i], None if self.made is None else self.by[kind][:, i, : self.k]

    def at(self, guard: str | None, side: str) -> np.ndarray:
        """Return the mask of points at which a bound is read, shape (m,) of bool; without a guard, nodes."""
        rows = self.rows
        if guard == "end":
            return rows.row == END
        fires = np.zeros(len(rows.row), bool)
        name = self.problem.node if guard is None else guard
        if name is not None:
            event = rows.row >= 0
            fires[event] = self.log.fired[rows.row[event], self.r.names.guards.index(name)]
        return fires & (rows.made < 0) & ((rows.side == ("minus", "plus").index(side)) if side != "both" else True)

    def other_events(self) -> np.ndarray:
        """Whether points are on either side of events other than nodes, shape (m,) of bool."""
        event, node = (self.rows.row >= 0) & (self.rows.made < 0), self.problem.node
        others = self.log.fired if node is None else np.delete(self.log.fired, self.r.names.guards.index(node), axis=1)
        found = np.zeros(len(event), bool)
        found[event] = others[self.rows.row[event]].any(axis=1)
        return found

    def node_numbers(self) -> np.ndarray:
        """Return the number of nodes passed at each point, one that lies there included, shape (m,)."""
        if self.problem.node is None:
            return np.zeros(len(self.rows.row), int)
        passed = self.log.fired[:, self.r.names.guards.index(self.problem.node)] > 0
        count = np.concatenate([[0], np.cumsum(passed & (self.log.kind == "transition"))])
        return count[np.where(self.rows.row == END, len(self.log), self.rows.row + 1)]

    def least_squares(self) -> tuple[float, np.ndarray | None, np.ndarray | None]:
        """Return cost, gradient (k,) and matrix of Gauss and Newton (k, k)."""
        problem, by = self.problem, self.made is not None
        cost, gradient, hessian = 0.0, np.zeros(self.k), np.zeros((self.k, self.k))
        if problem.cost is not None:
            value, value_by = self.output(problem.cost)
            cost = float(value[-1])
            gradient = value_by[-1].copy() if by else gradient
        if by and problem.running:
            weights = self._spans()
            rows = np.flatnonzero(weights)
            parts = np.stack([self.output(name)[1][rows] for name in problem.running], axis=1)
            parts = (parts * np.sqrt(2.0 * weights[rows])[:, None, None]).reshape(-1, self.k)
            hessian += parts.T @ parts
        return cost, gradient, hessian

    def terminal(self) -> tuple[float, np.ndarray, np.ndarray]:
        """Return the final cost, its gradient and matrix."""
        parts = [self.output(name) for name in self.problem.terminal]
        value = np.array([value[-1] for value, _ in parts])
        by = np.array([by[-1] for _, by in parts]) if self.made is not None else np.zeros((len(value), self.k))
        by = by.reshape(len(value), self.k)
        return float(value @ value), 2.0 * value @ by, 2.0 * by.T @ by

    def _spans(self) -> np.ndarray:
        """Return the trapezoidal weight of each point, shape (m,): half the way to the next event, or from the last."""
        rows, weights = self.rows, np.zeros(len(self.rows.row))
        n = int(np.sum((rows.row >= 0) & (rows.side == 0) & (rows.made < 0)))
        before, behind = np.arange(1, 1 + n), np.concatenate([[0], np.arange(1 + n, 1 + 2 * n)])
        last = behind[-1]
        for a, b in zip(behind[:-1], before, strict=True):
            weights[a] += 0.5 * (rows.t[b] - rows.t[a])
            weights[b] += 0.5 * (rows.t[b] - rows.t[a])
        weights[last] += 0.5 * (rows.t[-1] - rows.t[last])
        weights[-1] += 0.5 * (rows.t[-1] - rows.t[last])
        return weights
