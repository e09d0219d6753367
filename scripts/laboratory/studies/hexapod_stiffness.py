"""What limits the exact hexapod's steps: its fastest rates, a method's stability, and integrators on one smooth arc."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.integrate import solve_ivp

from tarsus.analytic import hybrid as hy
from tarsus.analytic.compilation.rebuild import rebuild
from tarsus.analytic.hybrid.tableau import METHODS, Method
from tarsus.analytic.models.hexapod import N_LEGS, hybrid
from tarsus.analytic.models.hexapod.contact import SLIDE
from tarsus.analytic.models.hexapod.state import SCALE, start
from tarsus.scripts.library.base.interrupts import unbroken
from tarsus.scripts.library.machines.hexapod import HexapodExperiment

PEERS = ("DOP853", "LSODA", "Radau", "BDF")


@dataclass(frozen=True)
class ReadyHexapod:
    """A hexapod ready to run: a compiled (or interpreted) model with the arguments that make it an experiment.

    Attributes:
        sim: The simulator.
        x0: The start.
        params: The parameters by name.
    """

    sim: hy.Simulator
    x0: np.ndarray
    params: dict[str, float]

    @classmethod
    def of(cls, experiment: HexapodExperiment, method: str, mode: str = "auto") -> ReadyHexapod:
        """Return an experiment's hexapod; one compiled model serves all robots and gaits on a kind of ground."""
        model = hybrid.build(experiment.params, experiment.ground, "open-loop", gait=experiment.gait)
        x0 = start(experiment.params, experiment.ground, experiment.gait.clock()(0.0)[0])
        params = dict(zip(model.param_names, model.p0, strict=True))
        return cls(hy.compile(hybrid.build(terrain=experiment.ground), method, mode), x0, params)

    def run(self, seconds: float, rtol: float, **options) -> hy.Result:
        """Return a run; `options` are the engine's."""
        settings = {"record_period": None, "x0": self.x0, **options}
        return unbroken(self.sim.run(params=self.params, final_time=seconds, rtol=rtol, atol=rtol * SCALE, **settings))

    def field(self) -> Callable:
        """Return the field as the engine evaluates it, `field(t, x, d, p, chart, dx)`."""
        function = self.sim.functions.field
        if self.sim.mode != "compiled":
            return function
        import numba

        return rebuild(function, numba.njit(error_model="numpy"), {}, {}, __name__)


def stability_limit(method: Method) -> float:
    """Return how far into the negative real axis z = h lambda an explicit method's steps are stable."""
    n = method.n_stages
    a, b = method.arrays["A"][:n, :n], method.arrays["B"]
    powers, row = [1.0], b
    for _ in range(n):
        powers.append(row.sum())
        row = row @ a
    z = np.linspace(-1e-3, -20.0, 200_000)
    outside = np.abs(np.polyval(powers[::-1], z)) > 1.0
    return float(-z[np.argmax(outside)])


def jacobian(field: Callable, t: float, x, d, p, chart: int) -> np.ndarray:
    """Return the field's derivative by the state, central differences, shape (n, n)."""
    columns = []
    for i, size in enumerate(1e-6 * SCALE):
        ends = np.empty((2, x.size))
        for end, sign in zip(ends, (1.0, -1.0), strict=True):
            moved = x.copy()
            moved[i] += sign * size
            field(t, moved, d, p, chart, end)
        columns.append((ends[0] - ends[1]) / (2.0 * size))
    return np.stack(columns, axis=1)


def n_sliding(chart) -> np.ndarray:
    """Return how many toes slide in charts."""
    modes = np.asarray(chart)[..., None] >> (2 * np.arange(N_LEGS)) & 3
    return np.sum(modes == SLIDE, axis=-1)


def steps_and_rates(walk: ReadyHexapod, result: hy.Result, every: int) -> dict[str, np.ndarray]:
    """Return, at every so many steps of a run recorded at all of them, step, fastest decay, frequency, sliding toes.

    Names: `step` [s]; `decay`, the largest -Re of an eigenvalue [1/s]; `turn`, the largest |Im| [1/s]; `sliding`.
    """
    field, rows = walk.field(), {"step": [], "decay": [], "turn": [], "sliding": []}
    for i in range(0, len(result.t) - 1, every):
        step = result.t[i + 1] - result.t[i]
        if step <= 0.0:
            continue
        chart = int(result.chart[i])
        values = np.linalg.eigvals(jacobian(field, result.t[i], result.x[i], result.d[i], result.p, chart))
        found = (step, -values.real.min(), np.abs(values.imag).max(), n_sliding(chart))
        for name, value in zip(rows, found, strict=True):
            rows[name].append(value)
    return {name: np.array(values) for name, values in rows.items()}


@dataclass(frozen=True)
class Arc:
    """A stretch of a run without events."""

    t: float  # where it begins [s]
    x: np.ndarray
    d: np.ndarray
    chart: int
    end: float  # [s]


def longest_slide(result: hy.Result) -> Arc:
    """Return the middle nine tenths of the longest stretch of a recorded run in which a toe slides.

    Raises:
        ValueError: If no toe slides.
    """
    edges = np.concatenate([[result.t[0]], result.events.t, [result.t_end]])
    middles = 0.5 * (edges[1:] + edges[:-1])
    rows = np.searchsorted(result.t, middles, side="right") - 1
    lengths = np.where(n_sliding(result.chart[rows]) > 0, np.diff(edges), 0.0)
    best = int(np.argmax(lengths))
    if not lengths[best] > 0.0:
        raise ValueError("no toe slides in this run")
    row = int(np.searchsorted(result.t, edges[best] + 0.05 * lengths[best]))
    end = float(edges[best] + 0.95 * lengths[best])
    return Arc(float(result.t[row]), result.x[row], result.d[row], int(result.chart[row]), end)


@dataclass(frozen=True)
class Trial:
    """What one integrator did."""

    x: np.ndarray  # at the arc's end
    steps: int
    evaluations: int


def on_arc(walk: ReadyHexapod, arc: Arc, rtol: float) -> Trial:
    """Integrate an arc with this engine."""
    r = walk.run(arc.end, rtol, x0=arc.x, d0=arc.d, t0=arc.t, chart=arc.chart)
    return Trial(r.x_end, r.counts["steps"] + r.counts["rejected"], r.counts["field"])


def peer_on_arc(method: str, field: Callable, p: np.ndarray, arc: Arc, rtol: float) -> Trial:
    """Integrate an arc with SciPy: the same compiled field, the same tolerances."""
    evaluations = 0  # SciPy's own count leaves out those of the Jacobian

    def rates(t, x):
        nonlocal evaluations
        evaluations += 1
        dx = np.empty(x.size)
        field(t, x, arc.d, p, arc.chart, dx)
        return dx

    r = solve_ivp(rates, (arc.t, arc.end), arc.x, method, rtol=rtol, atol=rtol * SCALE)
    return Trial(r.y[:, -1], len(r.t) - 1, evaluations)


def limits() -> dict[str, float]:
    """Return the stability limit of every explicit method."""
    return {name: stability_limit(method) for name, method in METHODS.items() if not method.gamma}
