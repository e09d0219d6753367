"""Derivatives of a run with respect to its start: variational equations in the flow, saltation at the events.

The derivative Phi of (x, d) at the end with respect to (x, d) at the start flows with Phi' = (D f) Phi and jumps at an
event of guard h, reset R and fields f-, f+ by the saltation matrix

    S = D R + (f+ - D R f- - d_t R) (grad h)^T / (grad h . f- + d_t h).

An event that fires because another one has just made its guard negative happens when that one does, and takes its shift
in time. The memory d belongs to the state here: SLIP's foot depends on the state at touchdown, and without it the
multipliers are wrong. All derivatives are five-point differences along the columns of Phi; a model needs to give
nothing more.

Source: Leine & Nijmeijer, Dynamics and Bifurcations of Non-Smooth Mechanical Systems (2004), section 7.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .expand import to_functions
from .guard import Guard
from .model import Model
from .result import Result, Status
from .sections import multipliers
from .simulator import Simulator, compile

# Step of the five-point differences along a direction of unit size: truncation 1e-12 f^(5) / 30, rounding 1e-13.
# A model that bends within less than this of a state's size needs a smaller one.
REACH = 1e-3
STEPS = (1.0, -1.0, 2.0, -2.0)
WEIGHTS = (8.0 / 12.0, -8.0 / 12.0, -1.0 / 12.0, 1.0 / 12.0)
# A guard slower than this at its event grazes, and the derivative does not exist there: a tangency located within
# rounding, 1e-16, shows a rate of 1e-8.
GRAZING_RATE = 1e-6
# A guard that passed zero longer ago than this fired because a chart began [s]; an event is located within rounding.
ENTRY_TIME = 1e-9


@dataclass(frozen=True)
class Monodromy:
    """The derivative of a run, with the run."""

    status: Status  # of the run; the matrix holds only if the run came to where it was asked to stop
    matrix: np.ndarray  # (m, k) derivative of (x, d) at the end, m = n + n_memory, along the k directions of the start
    x: np.ndarray  # (n,) at the end
    d: np.ndarray  # (n_memory,)
    duration: float  # [s]
    result: Result

    @property
    def multipliers(self) -> np.ndarray:
        """Floquet multipliers, if the run is one period and k = m: eigenvalues, largest modulus first, shape (m,)."""
        return multipliers(self.matrix)


def variational_model(model: Model, n_directions: int | None = None, reach: float = REACH) -> Model:
    """Return the model of (x, Phi_x) with memory (d, Phi_d, shifts of the last event in time), as three functions."""
    base = to_functions(model)
    n, nd = model.x0.size, model.d0.size
    k = n + nd if n_directions is None else n_directions
    start = np.eye(n + nd, k)
    table = [Guard(g.name, g.direction, g.side, g.invalid, g.on_entry) for g in model.guards.values()]
    made = Model(
        f"{model.name}_variational",
        state={name: 0.0 for name in model.state_names} | {"phi_x": start[:n]},
        memory={name: 0.0 for name in model.memory_names}
        | {"phi_d": start[n:] if nd else np.zeros((1, k)), "late": np.zeros(k)},
        params=dict(zip(model.param_names, model.p0, strict=True)),
    )
    made.x0[:n], made.d0[:nd] = model.x0, model.d0
    field, transition = _functions(
        base.field, base.guards, base.transition, base.field_key, (n, nd, len(table), k, reach)
    )

    def guards(t, x, d, p, chart, g):
        return base_guards(t, x[:n], d[: max(nd, 1)], p, chart, g)

    base_guards = base.guards
    made.functions(field=field, guards=guards, transition=transition, table=table, field_key=base.field_key)
    return made


def _size_along(x, d, vx, vd, vt):
    """Return how long the direction (vx, vd) and, in time, vt is, relative to the state."""
    size = max(abs(vt), 1e-300)
    for i in range(x.size):
        size = max(size, abs(vx[i]) / (1.0 + abs(x[i])))
    for i in range(d.size):
        size = max(size, abs(vd[i]) / (1.0 + abs(d[i])))
    return size


def _moved(x, v, e, out):
    for i in range(x.size):
        out[i] = x[i] + e * v[i]


def _functions(field: Any, guards: Any, transition: Any, field_key: Any, sizes: tuple) -> tuple:
    """Return the augmented field and transition."""
    n, nd, _, m, reach = sizes
    width = max(nd, 1)
    column, _ = _columns(n, nd, m)
    delay, saltate = _saltation(field, guards, transition, sizes)

    def augmented_field(t, x, d, p, chart, dx):
        x0, d0 = x[:n], d[:width]
        field(t, x0, d0, p, chart, dx[:n])
        vx, vd = np.zeros(n), np.zeros(width)
        y, w, f = np.empty(n), np.empty(width), np.empty(n)
        for c in range(m):
            column(x, d, c, vx, vd)
            e = reach / _size_along(x0, d0, vx, vd, 0.0)
            for i in range(n):
                dx[n + i * m + c] = 0.0
            for k in range(4):
                _moved(x0, vx, STEPS[k] * e, y)
                _moved(d0, vd, STEPS[k] * e, w)
                field(t, y, w, p, chart, f)
                for i in range(n):
                    dx[n + i * m + c] += WEIGHTS[k] / e * f[i]

    def augmented_transition(t, x, d, p, chart, fired):
        before_x, before_d = x[:n].copy(), d[:width].copy()
        after = transition(t, x[:n], d[:width], p, chart, fired)
        if after == -1:
            return after
        delay(t, x, d, p, chart, fired, before_x, before_d)
        same = np.all(before_x == x[:n]) and np.all(before_d == d[:width])
        if not same or field_key(after) != field_key(chart):  # else S is the identity
            saltate(t, x, d, p, chart, after, fired, before_x, before_d)
        return after

    return augmented_field, augmented_transition


def _columns(n: int, nd: int, m: int) -> tuple:
    """Return the functions that read and write a column of Phi, of m."""

    def column(x, d, c, vx, vd):
        for i in range(n):
            vx[i] = x[n + i * m + c]
        for i in range(nd):
            vd[i] = d[nd + i * m + c]

    def put_column(x, d, c, vx, vd):
        for i in range(n):
            x[n + i * m + c] = vx[i]
        for i in range(nd):
            d[nd + i * m + c] = vd[i]

    return column, put_column


def _saltation(field: Any, guards: Any, transition: Any, sizes: tuple) -> tuple:
    """Return the function that finds an event's shift in time along each column, and the one that applies it to Phi."""
    n, nd, ng, m, reach = sizes
    width = max(nd, 1)
    shifts = nd + width * m  # where the memory keeps them
    column, put_column = _columns(n, nd, m)

    def guard_along(t, x, d, p, chart, i, vx, vd, vt):
        e = reach / _size_along(x, d, vx, vd, vt)
        y, w, g = np.empty(n), np.empty(width), np.empty(max(ng, 1))
        total = 0.0
        for k in range(4):
            _moved(x, vx, STEPS[k] * e, y)
            _moved(d, vd, STEPS[k] * e, w)
            guards(t + STEPS[k] * e * vt, y, w, p, chart, g)
            total += WEIGHTS[k] / e * g[i]
        return total

    def reset_along(t, x, d, p, chart, fired, vx, vd, vt, out_x, out_d):
        e = reach / _size_along(x, d, vx, vd, vt)
        y, w = np.empty(n), np.empty(width)
        out_x[:] = 0.0
        out_d[:] = 0.0
        for k in range(4):
            _moved(x, vx, STEPS[k] * e, y)
            _moved(d, vd, STEPS[k] * e, w)
            transition(t + STEPS[k] * e * vt, y, w, p, chart, fired)
            for i in range(n):
                out_x[i] += WEIGHTS[k] / e * y[i]
            for i in range(width):
                out_d[i] += WEIGHTS[k] / e * w[i]

    def delay(t, x, d, p, chart, fired, before_x, before_d):
        f_minus, none, g = np.empty(n), np.zeros(width), np.empty(max(ng, 1))
        field(t, before_x, before_d, p, chart, f_minus)
        i = 0
        while not fired[i]:
            i += 1
        rate = guard_along(t, before_x, before_d, p, chart, i, f_minus, none, 1.0)
        guards(t, before_x, before_d, p, chart, g)
        if abs(g[i]) > ENTRY_TIME * max(1.0, abs(rate)):
            return  # the event before, at this very time, made the guard negative: the shifts are that one's
        vx, vd = np.empty(n), np.zeros(width)
        for c in range(m):
            column(x, d, c, vx, vd)
            h = guard_along(t, before_x, before_d, p, chart, i, vx, vd, 0.0)
            d[shifts + c] = -h / rate if abs(rate) > GRAZING_RATE else np.nan

    def saltate(t, x, d, p, chart, after, fired, before_x, before_d):
        f_minus, f_plus = np.empty(n), np.empty(n)
        field(t, before_x, before_d, p, chart, f_minus)
        field(t, x[:n], d[:width], p, after, f_plus)
        vx, vd, rx, rd = np.empty(n), np.zeros(width), np.empty(n), np.empty(width)
        for c in range(m):
            column(x, d, c, vx, vd)
            late = d[shifts + c]
            for j in range(n):
                vx[j] += late * f_minus[j]
            reset_along(t, before_x, before_d, p, chart, fired, vx, vd, late, rx, rd)
            for j in range(n):
                rx[j] -= late * f_plus[j]
            put_column(x, d, c, rx, rd)

    return delay, saltate


class Variation:
    """Runs a model together with its derivative.

    Args:
        model: The model.
        method: As in `compile`.
        mode: As in `compile`.
        n_directions: Along how many directions of the start; None: all n + n_memory.
        reach: Relative step of the differences behind the derivative: large against rounding, 1e-13, and small against
            the length over which the field bends, such as the velocity below which regularised friction fades.
    """

    def __init__(
        self,
        model: Model,
        method: str = "dop853",
        mode: str = "auto",
        *,
        n_directions: int | None = None,
        reach: float = REACH,
    ) -> None:
        self.model = model
        self.n_directions = model.x0.size + model.d0.size if n_directions is None else n_directions
        self.sim: Simulator = compile(variational_model(model, n_directions, reach), method, mode)

    def monodromy(
        self,
        x0: Any,
        d0: Any,
        params: Any = None,
        *,
        chart: str | int,
        section: str,
        count: int = 1,
        directions: Any = None,
        **settings: Any,
    ) -> Monodromy:
        """Return the derivative of the run from (x0, d0) to the `count`-th event of `section`.

        Args:
            x0: Initial state, shape (n,).
            d0: Initial memory, shape (n_memory,).
            params: As in `Simulator.run`.
            chart: The chart the run begins in, by name or code.
            section: Name of the guard; the event's own saltation is included.
            count: The how-many-th event ends the run.
            directions: Of the start, in its columns, shape (n + n_memory, n_directions); None: the first unit vectors.
            **settings: See `Options`; the step control sees x and Phi.

        Raises:
            ValueError: If the directions have another shape.
        """
        n, nd, k = self.model.x0.size, self.model.d0.size, self.n_directions
        x, d = self.sim.model.x0.copy(), self.sim.model.d0.copy()
        x[:n], d[:nd] = x0, np.zeros(0) if nd == 0 else d0
        if directions is not None:
            if np.shape(directions) != (n + nd, k):
                raise ValueError(f"directions must have shape {(n + nd, k)}, got {np.shape(directions)}")
            x[n:], d[nd : nd + nd * k] = np.ravel(directions[:n]), np.ravel(directions[n:])
        settings = {"final_time": 1e3, "record_period": None, "rtol": 1e-11, "zeno": False} | settings
        code = self.model.chart_code(chart)
        r = self.sim.run(x, d, params, chart=code, stop_at=section, stop_count=count, **settings)
        matrix = np.concatenate([r.x_end[n:].reshape(n, k), r.d_end[nd : nd + nd * k].reshape(nd, k)])
        return Monodromy(r.status, matrix, r.x_end[:n], r.d_end[:nd], r.t_end - settings.get("t0", 0.0), r)
