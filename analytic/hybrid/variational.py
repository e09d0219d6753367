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
from .jet_field import jet_field, jets_of
from .model import Model
from .names import overlay
from .result import Result, Status
from .saltation import REACH, STEPS, WEIGHTS, Sizes, largest_along, move, saltation
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


def variational_model(model: Model, n_directions: int | None = None, reach: float = REACH, jets: bool = False) -> Model:
    """Return the model of x, d and p with their directions, as three functions; `saltation` has its vectors' layout.

    A direction moves the parameters too, by default not at all. Its first chart must be given: the model's `initial`
    and `after_zeno` are left out.

    Args:
        model: The model.
        n_directions: How many; None: all n + n_memory.
        reach: Relative step of the finite differences.
        jets: Whether the field is differentiated by its arithmetic (`jet_field`), which runs compiled only; its
            parameters are then followed by those of the model as jets. Guards and transitions are differenced.
    """
    base = to_functions(model)
    n, nd = model.x0.size, model.d0.size
    m = n + nd if n_directions is None else n_directions
    start = np.eye(n + nd, m)
    table = [Guard(g.name, g.direction, g.side, g.invalid, g.on_entry) for g in model.guards.values()]
    s = Sizes(n, nd, model.p0.size, len(table), m, reach)
    along = {"along": np.zeros((m, s.n_p)), "along_size": np.zeros(m)}
    if jets:
        along["jets"] = jets_of(model.p0, np.zeros((s.n_p, m)))
    made = Model(
        f"{model.name}_variational",
        state=dict.fromkeys(model.state_names, 0.0) | {"phi_x": start[:n].T},
        memory=dict.fromkeys(model.memory_names, 0.0)
        | {"phi_d": start[n:].T if nd else np.zeros((m, 1)), "late": np.zeros(m)},
        params=dict(zip(model.param_names, model.p0, strict=True)) | along,
    )
    made.x0[:n], made.d0[:nd] = model.x0, model.d0
    field, transition = _functions(base.field, base.guards, base.transition, s)
    if jets:
        field = jet_field(base.field, s)
    base_guards, base_valid, width, pw = base.guards, base.validate, s.width, max(s.n_p, 1)

    def guards(t, x, d, p, chart, g):
        return base_guards(t, x[:n], d[:width], p[:pw], chart, g)

    made.functions(field=field, guards=guards, transition=transition, table=table, field_key=base.field_key)
    if base_valid is not None:

        @made.validate
        def valid(t, x, d, p, chart):
            return base_valid(t, x[:n], d[:width], p[:pw], chart)

    return made


def _functions(field: Any, guards: Any, transition: Any, s: Sizes) -> tuple:
    """Return the augmented field and transition."""
    n, nd, n_p, m, width, reach = s.n, s.nd, s.n_p, s.m, s.width, s.reach
    pw = max(n_p, 1)
    sizes = n_p + n_p * m
    delay, saltate = saltation(field, guards, transition, s)

    def augmented_field(t, x, d, p, chart, dx):
        x0, d0, p0 = x[:n], d[:width], p[:pw]
        field(t, x0, d0, p0, chart, dx[:n])
        room = np.empty(2 * n + width + pw)  # one allocation costs as much as a small field
        y, f, w, q = room[:n], room[n : 2 * n], room[2 * n : 2 * n + width], room[2 * n + width :]
        w[:] = d0
        q[:] = p0
        for c in range(m):
            vx, vd = x[n + c * n : n + (c + 1) * n], d[nd + c * width : nd + c * width + nd]
            vp = p[n_p + c * n_p : n_p + (c + 1) * n_p]
            least = p[sizes + c]
            e = reach / largest_along(d0, vd, largest_along(x0, vx, max(least, 1e-300)))
            out = dx[n + c * n : n + (c + 1) * n]
            out[:] = 0.0
            for k in range(4):
                move(x0, vx, STEPS[k] * e, y)
                move(d0, vd, STEPS[k] * e, w)
                move(p0, vp, STEPS[k] * e, q)
                field(t, y, w, q, chart, f)
                for i in range(n):
                    out[i] += WEIGHTS[k] / e * f[i]

    def augmented_transition(t, x, d, p, chart, fired):
        before_x, before_d = x[:n].copy(), d[:width].copy()
        after = transition(t, x[:n], d[:width], p[:pw], chart, fired)
        if after == -1:
            return after
        delay(t, x, d, p, chart, fired, before_x, before_d)
        # Even where it changed nothing: at a fixed point a reset may return what was there, and depend on the state.
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
        p = self.sim.model.p0.copy()
        p[: self.model.p0.size] = overlay("parameter", self.model.param_names, self.model.p0, params)
        if directions is not None:
            if np.shape(directions) != (n + nd, k):
                raise ValueError(f"directions must have shape {(n + nd, k)}, got {np.shape(directions)}")
            x[n:], d[nd : nd + nd * k] = np.ravel(directions[:n], "F"), np.ravel(directions[n:], "F")
        settings = {"final_time": 1e3, "record_period": None, "rtol": 1e-11, "zeno": False} | settings
        code = self.model.chart_code(chart)
        r = self.sim.run(x, d, p, chart=code, stop_at=section, stop_count=count, **settings)
        matrix = np.concatenate([r.x_end[n:].reshape(k, n).T, r.d_end[nd : nd + nd * k].reshape(k, nd).T])
        return Monodromy(r.status, matrix, r.x_end[:n], r.d_end[:nd], r.t_end - settings.get("t0", 0.0), r)
