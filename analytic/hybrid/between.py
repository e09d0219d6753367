"""Bounds of a plan read between its nodes, on the dense output, where an optimiser does not look.

Every arc between events is read at both ends and some thirty times from node to node; a parabola through the lowest of
three reads finds what lies between them. Bounds of single charts count at full weight right behind an event. Where a
bound is left, its nodes on either side may be held back by as much (`Allowance`), and the problem is solved again.
Whatever is narrower than the reads, and guards that an order suppresses, are not seen here: see `control.verify`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .problem import Bound
from .schedule import CAPACITY

READS = 32  # from node to node
FEWEST = 512  # of a run
AT_EVENT = 1e-9  # of a run's length: a record within it of an event may be on either side
MORE = 1.5  # what a node is held back by, over what was left beside it


@dataclass(frozen=True)
class Excess:
    """Where a bound is left, and how far."""

    size: float  # over the bound's scale
    i: int  # of the bound
    sign: float  # 1: its lower limit, -1: its upper one
    value: float  # of the output, in its unit
    t: float  # [s]
    segment: int

    def words(self, bounds: Sequence[Bound]) -> str:
        """Return place, value and limit, in words."""
        bound = bounds[self.i]
        limit = bound.lower if self.sign > 0 else bound.upper
        return f"{bound.output} is {self.value:.4g} at t = {self.t:.4g} s, where {limit:.4g} is allowed"


@dataclass(frozen=True)
class Allowance:
    """Room that a bound is given at two neighbouring nodes of a segment, for what happens between them."""

    i: int  # of the bound
    sign: float  # 1: its lower limit, -1: its upper one
    segment: int
    node: int  # the first of the two; the start is node 0
    room: float  # in the output's unit


@dataclass(frozen=True)
class Reads:
    """Points of a run, arc by arc, in order of time; before and behind an event are different arcs."""

    t: np.ndarray  # (m,) [s]
    arc: np.ndarray  # (m,) number of events before
    chart: np.ndarray  # (m,) of the free model
    x: np.ndarray  # (m, n)
    d: np.ndarray  # (m, n_memory)
    values: np.ndarray  # (m, n_outputs)


def excesses(whole: Any, runs: Sequence[Any]) -> list[Excess]:
    """Return the places at which segments' runs leave bounds that are to hold at all times, the farthest first."""
    found, bounds = [], [(i, bound) for i, bound in enumerate(whole.problem.bounds) if bound.at is None]
    for segment, run in enumerate(runs) if bounds else ():
        reads = read_finely(whole, run)
        for i, bound in bounds:
            found += _of_bound(whole, i, segment, _output(whole, run, bound, reads), reads)
    return sorted(found, key=lambda one: -one.size)


def allowances(whole: Any, runs: Sequence[Any], left: Sequence[Excess]) -> tuple[Allowance, ...]:
    """Return the room that the nodes beside each place need; equations and runs without nodes get none."""
    made = []
    for one in left:
        bound, nodes = whole.problem.bounds[one.i], node_times(whole, runs[one.segment])
        if bound.lower < bound.upper and len(nodes) > 1:
            node = int(np.clip(np.searchsorted(nodes, one.t), 1, len(nodes) - 1)) - 1
            made.append(Allowance(one.i, one.sign, one.segment, node, MORE * one.size * bound.scale))
    return tuple(made)


def room(given: Sequence[Allowance], i: int, sign: float, segment: int, node: np.ndarray) -> np.ndarray:
    """Return the sum of a bound's allowances at nodes of a segment, shape (m,), by the nodes' numbers (m,)."""
    total = np.zeros(len(node))
    for one in given:
        if (one.i, one.sign, one.segment) == (i, sign, segment):
            total += np.where((node == one.node) | (node == one.node + 1), one.room, 0.0)
    return total


def node_times(whole: Any, run: Any) -> np.ndarray:
    """Return the times of a run's start and of its nodes, shape (1 + n_nodes,) [s]."""
    log, node = run.result.events, whole.problem.node
    return np.concatenate([[run.part.how.get("t0", 0.0)], log.t[log.of(node)] if node is not None else []])


def read_finely(whole: Any, run: Any) -> Reads:
    """Return the points of a segment's run, made once more with a fine record."""
    nodes = node_times(whole, run)
    span = run.result.t_end - nodes[0]
    r = whole.again(run, record_period=span / max(READS * len(nodes), FEWEST))
    log, rows = r.events, np.flatnonzero(r.events.kind == "transition")
    at = log.t[rows]
    own = np.flatnonzero(np.min(np.abs(r.t[:, None] - at), axis=1, initial=np.inf) > AT_EVENT * span)
    arc = np.concatenate([np.searchsorted(at, r.t[own]), np.arange(len(rows)), 1 + np.arange(len(rows))])

    def joined(recorded, before, after):
        return np.concatenate([recorded[own], before[rows], after[rows]])

    t, chart = joined(r.t, log.t, log.t), joined(r.chart, log.chart_before, log.chart_after)
    order = np.lexsort((t, arc))
    t, arc, chart = t[order], arc[order], chart[order] // (CAPACITY if run.part.order is not None else 1)
    x, d = joined(r.x, log.x_minus, log.x_plus)[order], joined(r.d, log.d_minus, log.d_plus)[order]
    return Reads(t, arc, chart, x, d, whole.tools(run.part)[1].values(t, x, d, r.p, chart))


def _output(whole: Any, run: Any, bound: Bound, reads: Reads) -> np.ndarray:
    """Return a bound's output, shape (m,)."""
    names, model = whole.tools(run.part)[1].names, whole.problem.model
    for table, known in ((reads.values, names), (reads.x, model.state_names), (reads.d, model.memory_names)):
        if bound.output in known:
            return table[:, known.index(bound.output)]
    raise ValueError(f"model {model.name} has no output {bound.output!r}")


def _of_bound(whole: Any, i: int, segment: int, value: np.ndarray, reads: Reads) -> Iterator[Excess]:
    """Yield the places at which the i-th bound is left in a segment."""
    bound = whole.problem.bounds[i]
    counts = bound.holds(whole.problem.model, reads.chart) & np.isfinite(value)
    for sign, limit in ((1.0, bound.lower), (-1.0, bound.upper)):
        if np.isfinite(limit):
            for low, t in _lows(reads.t, np.where(counts, sign * (value - limit), np.inf), reads.arc):
                yield Excess(-low / bound.scale, i, sign, limit + sign * low, t, segment)


def _lows(t: np.ndarray, c: np.ndarray, arc: np.ndarray) -> Iterator[tuple[float, float]]:
    """Yield negative local minima of a function on several arcs, and their times: by parabolas through three reads."""
    same = np.concatenate([[False], arc[1:] == arc[:-1], [False]])
    padded = np.concatenate([[np.inf], c, [np.inf]])
    before, after = np.where(same[:-1], padded[:-2], np.inf), np.where(same[1:], padded[2:], np.inf)
    with np.errstate(invalid="ignore"):
        lowest = np.flatnonzero((c <= before) & (c < after) & np.isfinite(c))
    for k in lowest:
        low, when = float(c[k]), float(t[k])
        if np.isfinite([before[k], after[k]]).all() and t[k - 1] < t[k] < t[k + 1]:
            a, b = t[k - 1] - t[k], t[k + 1] - t[k]
            p, q = (c[k - 1] - c[k]) / a, (c[k + 1] - c[k]) / b
            bend = (q - p) / (b - a)
            slope = p - bend * a
            if bend > 0.0:
                low, when = low - 0.25 * slope**2 / bend, when - 0.5 * slope / bend
        if low < 0.0:
            yield float(low), float(when)
