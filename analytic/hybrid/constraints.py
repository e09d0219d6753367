"""What an optimiser reads from a run: cost, matrix of Gauss and Newton, and bounds at nodes, events and the end."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from .between import room
from .readings import START, Reader, Readings
from .schedule import CAPACITY

APART = 1e-3  # of a held event and a node, in units of the ramp: at one time they have no derivative of their own


def read(whole: Any, part: Any, outputs: Any, r: Any, start: Any, made: Any, v: Any, is_last: bool) -> Readings:
    """Return the readings of a segment's run; `made`: it with derivatives along `v`, None for both without."""
    reader = Reader(whole, part, outputs, r, start, made, v)
    found = [*_bounds(reader, is_last), *(_suppressed(reader) if reader.ordered else []), *_held(reader)]
    c, full = (np.concatenate([np.zeros(0), *(one[i] for one in found)]) for i in (0, 1))
    cost, gradient, hessian = reader.least_squares()
    if is_last:
        more = reader.terminal()
        cost, gradient, hessian = cost + more[0], gradient + more[1], hessian + more[2]
    if made is None:
        return Readings(cost, c, full)
    jac = np.concatenate([np.zeros((0, reader.k)), *(one[2] for one in found)])
    return Readings(cost, c, full, gradient, hessian, jac, reader.by[1][-1][:, : reader.k])


def _bounds(reader: Reader, is_last: bool) -> list[tuple]:
    """Return the bounds' values, those at full weight, and derivatives."""
    found, numbers = [], reader.node_numbers()
    for i, bound in enumerate(reader.problem.bounds):
        if bound.at == "end" and not is_last:
            continue
        jumps = bound.at is None and bound.output in reader.model.aux_names
        side = bound.side or ("both" if jumps else "plus")
        among = bound.holds(reader.model, reader.rows.chart)
        ramped = bound.charts is not None and bound.at is None
        nodes, events = reader.at(bound.at, side) & among, np.zeros(len(among), bool)
        if bound.at is None and (reader.whole.strict or not ramped):
            events = among & reader.other_events()
            start = nodes if reader.part.place else events  # the first start may be given: no room is asked for there
            start |= among & (reader.rows.row == START)
        nodes, events = np.flatnonzero(nodes), np.flatnonzero(events)
        value, by = reader.output(bound.output)
        for sign, limit in ((1.0, bound.lower), (-1.0, bound.upper)):
            if np.isfinite(limit):
                back = sign * room(reader.whole.allowances, i, sign, reader.part.place, numbers)
                factor = sign / bound.scale
                found.append(_positive(reader, nodes, value - limit - back, by, factor, ramped))
                found.append(_positive(reader, events, value - limit, by, factor, False))
    return found


def _suppressed(reader: Reader) -> list[tuple]:
    """Return likewise that suppressed guards are positive at nodes, and negative where their events were made."""
    found, problem, rows = [], reader.problem, reader.rows
    names, order = reader.r.names.guards, reader.part.order
    awaited = np.array([names.index(one) if "@" not in one else -1 for one in order] + [-1] * CAPACITY)
    nodes, event = reader.at(None, "both"), rows.row >= 0
    for i, name in enumerate(names):
        if name == problem.node or reader.model.guards[name].invalid:
            continue
        value, by = reader.output(name)
        fires = np.zeros(len(event), bool)
        fires[event] = reader.log.reached[rows.row[event], i]
        scale = problem.scales.get(name, 1.0)
        own = np.flatnonzero(nodes & np.isfinite(value) & ~fires & (awaited[rows.place] != i))
        found.append(_positive(reader, own, value - problem.margins.get(name, 0.0), by, 1.0 / scale, True))
        made = np.flatnonzero((rows.made == i) & np.isfinite(value))
        found.append(_positive(reader, made, value, by, -1.0 / scale, False))
    return found


def _held(reader: Reader) -> list[tuple]:
    """Return, where a segment's events are held between nodes, how far from these they are, in units of the ramp."""
    found, log, unit = [], reader.log, reader.problem.ramp or 1.0
    if reader.part.held is None:
        return found
    node, awaited = nodes_and_awaited(reader.r, reader.problem.node, reader.part.order)
    t_by = None if reader.made is None else reader.made.replayed.t_by[:, : reader.k]
    for row, count in zip(awaited, reader.part.held, strict=True):
        for sign, n in ((1.0, count - 1), (-1.0, count)):
            if 0 <= n < len(node):
                away = sign / unit * (log.t[row] - log.t[node[n]]) - APART
                by = None if t_by is None else sign / unit * (t_by[row] - t_by[node[n]])[None]
                found.append((np.array([away]), np.array([away]), by))
    return found


def nodes_and_awaited(r: Any, name: str, order: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows of a run's log at which nodes are, and those of the events of an order that are not made."""
    log, node = r.events, r.names.guards.index(name)
    own = (log.kind == "transition")[:, None] & (log.fired > 0)
    events = np.nonzero(np.delete(own, node, axis=1))[0]
    return np.flatnonzero(own[:, node]), events[["@" not in entry for entry in order]]


def _positive(reader: Reader, rows: np.ndarray, value: Any, by: Any, factor: float, ramped: bool) -> tuple:
    """Return the quantities to be positive at some points: with the ramp, without it, and their derivatives."""
    full, weight = factor * value[rows], reader.weight[rows] if ramped else np.ones(len(rows))
    jac = None
    if by is not None:
        jac = factor * weight[:, None] * by[rows]
        if ramped:
            jac += full[:, None] * reader.weight_by[rows]
    return weight * full, np.where(weight > 0.0, full, 0.0), jac
