"""Derivatives of a run with respect to its start: variational equations in the flow, saltation at the events.

The derivative Phi of (x, d) at the end with respect to (x, d) at the start flows with Phi' = (D f) Phi and jumps at an
event of guard h, reset R and fields f-, f+ by the saltation matrix

    S = D R + (f+ - D R f- - d_t R) (grad h)^T / (grad h . f- + d_t h).

The memory d belongs to the state here: SLIP's foot depends on the state at touchdown, and without it the multipliers
are wrong. All derivatives are five-point differences along the columns of Phi; a model needs to give nothing more.

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
REACH = 1e-3
STEPS = (1.0, -1.0, 2.0, -2.0)
WEIGHTS = (8.0 / 12.0, -8.0 / 12.0, -1.0 / 12.0, 1.0 / 12.0)
# A guard slower than this at its event grazes, and the derivative does not exist there: a tangency located within
# rounding, 1e-16, shows a rate of 1e-8.
GRAZING_RATE = 1e-6


@dataclass(frozen=True)
class Monodromy:
    """The derivative of a run, with the run."""

    status: Status  # of the run; the matrix holds only if the run came to where it was asked to stop
    matrix: np.ndarray  # (m, m) derivative of (x, d) at the end, m = n + n_memory
    x: np.ndarray  # (n,) at the end
    d: np.ndarray  # (n_memory,)
    duration: float  # [s]
    result: Result

    @property
    def multipliers(self) -> np.ndarray:
        """Floquet multipliers, if the run is one period: eigenvalues, largest modulus first, shape (m,)."""
        return multipliers(self.matrix)


def variational_model(model: Model) -> Model:
    """Return the model of (x, Phi_x) with memory (d, Phi_d), as three functions."""
    base = to_functions(model)
    n, nd = model.x0.size, model.d0.size
    m = n + nd
    table = [Guard(g.name, g.direction, g.side, g.invalid, g.on_entry) for g in model.guards.values()]
    made = Model(
        f"{model.name}_variational",
        state={name: 0.0 for name in model.state_names} | {"phi_x": np.eye(m)[:n]},
        memory={name: 0.0 for name in model.memory_names} | {"phi_d": np.eye(m)[n:] if nd else np.zeros((1, m))},
        params=dict(zip(model.param_names, model.p0, strict=True)),
    )
    made.x0[:n], made.d0[:nd] = model.x0, model.d0
    field, transition = _functions(base.field, base.guards, base.transition, base.field_key, n, nd, len(table))

    def guards(t, x, d, p, chart, g):
        return base_guards(t, x[:n], d[: max(nd, 1)], p, chart, g)

    base_guards = base.guards
    made.functions(field=field, guards=guards, transition=transition, table=table, field_key=base.field_key)
    return made


def _step_along(x, d, vx, vd, vt):
    """Return the difference step along (vx, vd) and, in time, vt."""
    size = max(abs(vt), 1e-300)
    for i in range(x.size):
        size = max(size, abs(vx[i]) / (1.0 + abs(x[i])))
    for i in range(d.size):
        size = max(size, abs(vd[i]) / (1.0 + abs(d[i])))
    return REACH / size


def _moved(x, v, e, out):
    for i in range(x.size):
        out[i] = x[i] + e * v[i]


def _functions(field: Any, guards: Any, transition: Any, field_key: Any, n: int, nd: int, ng: int) -> tuple:
    """Return the augmented field and transition."""
    m = n + nd
    width = max(nd, 1)
    column, _ = _columns(n, nd)
    saltate = _saltation(field, guards, transition, n, nd, ng)

    def augmented_field(t, x, d, p, chart, dx):
        x0, d0 = x[:n], d[:width]
        field(t, x0, d0, p, chart, dx[:n])
        vx, vd = np.zeros(n), np.zeros(width)
        y, w, f = np.empty(n), np.empty(width), np.empty(n)
        for c in range(m):
            column(x, d, c, vx, vd)
            e = _step_along(x0, d0, vx, vd, 0.0)
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
        same = np.all(before_x == x[:n]) and np.all(before_d == d[:width])
        if not same or field_key(after) != field_key(chart):  # else S is the identity
            saltate(t, x, d, p, chart, after, fired, before_x, before_d)
        return after

    return augmented_field, augmented_transition


def _columns(n: int, nd: int) -> tuple:
    """Return the functions that read and write a column of Phi."""
    m = n + nd

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


def _saltation(field: Any, guards: Any, transition: Any, n: int, nd: int, ng: int) -> Any:
    """Return the function that multiplies Phi by the saltation matrix of an event, a column at a time."""
    width = max(nd, 1)
    column, put_column = _columns(n, nd)

    def guard_along(t, x, d, p, chart, i, vx, vd, vt):
        e = _step_along(x, d, vx, vd, vt)
        y, w, g = np.empty(n), np.empty(width), np.empty(max(ng, 1))
        total = 0.0
        for k in range(4):
            _moved(x, vx, STEPS[k] * e, y)
            _moved(d, vd, STEPS[k] * e, w)
            guards(t + STEPS[k] * e * vt, y, w, p, chart, g)
            total += WEIGHTS[k] / e * g[i]
        return total

    def reset_along(t, x, d, p, chart, fired, vx, vd, vt, out_x, out_d):
        e = _step_along(x, d, vx, vd, vt)
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

    def saltate(t, x, d, p, chart, after, fired, before_x, before_d):
        f_minus, f_plus, none = np.empty(n), np.empty(n), np.zeros(width)
        field(t, before_x, before_d, p, chart, f_minus)
        field(t, x[:n], d[:width], p, after, f_plus)
        i = 0
        while not fired[i]:
            i += 1
        rate = guard_along(t, before_x, before_d, p, chart, i, f_minus, none, 1.0)
        vx, vd, rx, rd = np.empty(n), np.zeros(width), np.empty(n), np.empty(width)
        for c in range(n + nd):
            column(x, d, c, vx, vd)
            h = guard_along(t, before_x, before_d, p, chart, i, vx, vd, 0.0)
            late = -h / rate if abs(rate) > GRAZING_RATE else np.nan
            for j in range(n):
                vx[j] += late * f_minus[j]
            reset_along(t, before_x, before_d, p, chart, fired, vx, vd, late, rx, rd)
            for j in range(n):
                rx[j] -= late * f_plus[j]
            put_column(x, d, c, rx, rd)

    return saltate


class Variation:
    """Runs a model together with its derivative.

    Args:
        model: The model.
        method: As in `compile`.
        mode: As in `compile`.
    """

    def __init__(self, model: Model, method: str = "dop853", mode: str = "auto") -> None:
        self.model = model
        self.sim: Simulator = compile(variational_model(model), method, mode)

    def monodromy(
        self, x0: Any, d0: Any, params: Any = None, *, chart: str | int, section: str, count: int = 1, **settings: Any
    ) -> Monodromy:
        """Return the derivative of the run from (x0, d0) to the `count`-th event of `section`.

        Args:
            x0: Initial state, shape (n,).
            d0: Initial memory, shape (n_memory,).
            params: As in `Simulator.run`.
            chart: The chart the run begins in, by name or code.
            section: Name of the guard; the event's own saltation is included.
            count: The how-many-th event ends the run.
            **settings: See `Options`; the step control sees x and Phi.
        """
        n, nd = self.model.x0.size, self.model.d0.size
        m = n + nd
        x, d = self.sim.model.x0.copy(), self.sim.model.d0.copy()
        x[:n], d[:nd] = x0, np.zeros(0) if nd == 0 else d0
        settings = {"final_time": 1e3, "record_period": None, "rtol": 1e-11, "zeno": False} | settings
        code = self.model.chart_code(chart)
        r = self.sim.run(x, d, params, chart=code, stop_at=section, stop_count=count, **settings)
        matrix = np.concatenate([r.x_end[n:].reshape(n, m), r.d_end[nd:].reshape(-1, m)[:nd]])
        return Monodromy(r.status, matrix, r.x_end[:n], r.d_end[:nd], r.t_end - settings.get("t0", 0.0), r)
