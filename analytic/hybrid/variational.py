r"""Derivatives of a run with respect to its initial state: variational equations, and saltation at the events.

The derivative :math:`\Phi` of the final with respect to the initial (x, d) obeys :math:`\dot\Phi = \mathrm{D}f\, \Phi`
and is multiplied at an event of guard h, reset R and fields :math:`f^-, f^+` by the saltation matrix

.. math::

    S = \mathrm{D}R
    + \frac{(f^+ - \mathrm{D}R\, f^- - \partial_t R)\, (\nabla h)^\top}{\nabla h \cdot f^- + \partial_t h}.

An event that fires because another one has just made its guard negative happens at the same time, with the same shift
in time. The memory d is part of the state here: SLIP's foot depends on the state at touchdown, and without it the
multipliers are wrong. All derivatives are five-point differences along columns of :math:`\Phi`; a model provides none
of them.

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
from .saltation import REACH, STEPS, WEIGHTS, columns, move, saltation, size_along
from .sections import multipliers
from .simulator import Simulator, compile


@dataclass(frozen=True)
class Monodromy:
    """A run and its derivative."""

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


def _functions(field: Any, guards: Any, transition: Any, field_key: Any, sizes: tuple) -> tuple:
    """Return the augmented field and transition."""
    n, nd, _, m, reach = sizes
    width = max(nd, 1)
    column, _ = columns(n, nd, m)
    delay, saltate = saltation(field, guards, transition, sizes)

    def augmented_field(t, x, d, p, chart, dx):
        x0, d0 = x[:n], d[:width]
        field(t, x0, d0, p, chart, dx[:n])
        vx, vd = np.zeros(n), np.zeros(width)
        y, w, f = np.empty(n), np.empty(width), np.empty(n)
        for c in range(m):
            column(x, d, c, vx, vd)
            e = reach / size_along(x0, d0, vx, vd, 0.0)
            for i in range(n):
                dx[n + i * m + c] = 0.0
            for k in range(4):
                move(x0, vx, STEPS[k] * e, y)
                move(d0, vd, STEPS[k] * e, w)
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


class Variation:
    """Runs a model together with its derivative.

    Args:
        model: The model.
        method: As in `compile`.
        mode: As in `compile`.
        n_directions: Along how many directions of the start; None: all n + n_memory.
        reach: Relative step of the finite differences: large against round-off, 1e-13, and small against the scale on
            which the field varies, such as the velocity below which regularised friction fades.
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
            count: Number of the event that ends the run.
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
