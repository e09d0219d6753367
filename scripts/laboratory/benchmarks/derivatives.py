"""What derivatives of exact runs cost: ten parameters forward, and gradients by many parameters backward.

Usage: tarsus benchmark derivatives [--repeats 7]
Runtime: about a minute, and up to ten that compile the machines' derivatives the first time. CPU time of this process,
medians; the plain run is of the same model, method and tolerances, and the two take turns.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from tarsus.analytic import hybrid as hy
from tarsus.analytic.clock import TripodGait
from tarsus.analytic.hybrid.adjoint import Adjoint
from tarsus.analytic.hybrid.derivatives import Derivatives, Existence
from tarsus.analytic.models import hopping_leg_hybrid, slip
from tarsus.analytic.models.hexapod import HexapodParams, hybrid
from tarsus.analytic.models.hexapod.state import SCALE
from tarsus.analytic.terrain import Flat
from tarsus.controllers.raibert import raibert
from tarsus.scripts.command.signature import Count
from tarsus.scripts.laboratory.benchmarks import timing
from tarsus.scripts.laboratory.frame import Page, Table

PACKAGES = ("tarsus", "numpy", "numba")
RUNNER = slip.Slip(body_mass=80.0, k=20e3, spri=2.0, sprj=1.0, g_stance=9.81, g_flight=9.81)
OF_SLIP = "body_mass q_rt q_rl g_stance g_flight q_0 k touchdown_angle y xdot".split()
OF_LEG = "g HB LB DB LH LK DK speed height stance_time".split()
OF_HEXAPOD = "body_mass g friction_coeff rho0_k rho0_d rho0_r0 theta0_k theta0_d theta0_r0 KP".split()
TABLES = (10, 100, 1000)  # numbers of a law
SPEEDS = 12.0  # that it spans [m/s]


def slip_run(strides: int) -> tuple:
    """Return SLIP, what moves, and the arguments of a run."""
    start = {"x0": {"y": 0.97, "xdot": 5.0}, "d0": {"touchdown_angle": 0.4}, "chart": "descent"}
    return slip.build("fixed", RUNNER), OF_SLIP, start | {"stop_at": "apex", "stop_count": strides, "final_time": 1e9}


def leg_run(hops: int) -> tuple:
    """Return the boom leg, likewise."""
    return hopping_leg_hybrid.build(raibert()), OF_LEG, {"stop_at": "apex", "stop_count": hops, "final_time": 1e3}


def hexapod_run(seconds: float) -> tuple:
    """Return the hexapod that has walked two seconds, likewise."""
    model = hybrid.build(HexapodParams(), Flat(), "open-loop", gait=TripodGait())
    settings = {"rtol": 1e-8, "atol": 1e-8 * SCALE}
    r = hy.compile(model).run(final_time=2.0, record_period=None, **settings)
    start = {"x0": r.x_end, "d0": r.d_end, "chart": r.chart_end, "t0": 2.0, "final_time": 2.0 + seconds}
    return model, OF_HEXAPOD, start | settings


RUNS = {
    "SLIP, 100 strides": partial(slip_run, 100),
    "SLIP, one stride": partial(slip_run, 1),
    "boom leg, ten hops": partial(leg_run, 10),
    "hexapod, 0.5 s, rodas5p": partial(hexapod_run, 0.5),
}


def forward(model: hy.Model, wrt: list[str], run: dict[str, Any]) -> tuple[Callable, Callable]:
    """Return the plain run and the one with derivatives.

    Raises:
        RuntimeError: If they do not exist.
    """
    sim, by = hy.compile(model), Derivatives(model, len(wrt))
    start = {"x0": None, "d0": None, "rtol": 1e-10} | run
    made = by.run(wrt, **start)
    if made.existence is not Existence.EXISTS:
        raise RuntimeError(made.message)
    return partial(sim.run, record_period=None, **start), partial(by.run, wrt, **start)


def tabulated(n: int) -> hy.Model:
    """Return a mass that hops on a spring through air whose drag is a table of n numbers over its speed, blended."""
    table = {f"drag_{i}": 0.2 + 0.1 * np.sin(10.0 * i / n) for i in range(n)}
    params = {"g": 9.81, "k": 400.0, **table}
    model = hy.Model("hopper", state={"z": 1.0, "w": 0.0}, params=params, charts=["air", "ground"])

    def drag(w, p):
        place = (w / SPEEDS + 0.5) * (n - 2)
        i = int(math.floor(place))
        u = place - i
        return w * (p[2 + i] + u * u * (3.0 - 2.0 * u) * (p[3 + i] - p[2 + i]))

    @model.field("air")
    def fall(t, x, d, p, dx):
        dx[0], dx[1] = x[1], -p[0] - drag(x[1], p)

    @model.field("ground")
    def push(t, x, d, p, dx):
        dx[0], dx[1] = x[1], -p[0] - drag(x[1], p) - p[1] * x[0]

    model.guard("air", to="ground", name="touchdown")(lambda t, x, d, p: x[0])
    model.guard("ground", to="air", name="liftoff")(lambda t, x, d, p: -x[0])
    return model


def backward(n: int) -> tuple[Callable, Callable]:
    """Return the plain run of a law of n numbers, and the one with the gradient of a speed by all of them."""
    model = tabulated(n)
    run = {"chart": "air", "stop_at": "liftoff", "stop_count": 2, "final_time": 9.0, "rtol": 1e-8}
    sim, by = hy.compile(model), Adjoint(model)
    return partial(sim.run, record_period=None, **run), partial(
        by.run, lambda t, x, d, p: x[1], model.param_names, **run
    )


def ratios(pairs: dict[str, tuple[Callable, Callable]], repeats: int) -> list[tuple]:
    """Return a row for each pair: what both take [ms] and their ratio, medians."""
    runs = {}
    for name, pair in pairs.items():
        count = max(1, int(0.05 / timing.seconds(pair[0])[1]))
        runs |= {(name, i): (timing.repeated(run, count), count) for i, run in enumerate(pair)}
    took = timing.rounds({key: run for key, (run, _) in runs.items()}, repeats)
    rows = []
    for name in pairs:
        plain, made = (took[name, i].cpu / runs[name, i][1] for i in range(2))
        rows.append((name, *(f"{1e3 * np.median(cpu):.3g}" for cpu in (plain, made)), f"{np.median(made / plain):.1f}"))
    return rows


def tables(repeats: Count = 7) -> Page:
    """Return both tables.

    Args:
        repeats: Measurements of each.
    """
    pairs = {name: forward(*make()) for name, make in RUNS.items()}
    many = {f"a law of {n} numbers": backward(n) for n in TABLES}
    head = ("run", "plain [ms]", "with derivatives [ms]", "ratio")
    return Page(
        "Ten parameters, forward.", Table(head, ratios(pairs, repeats)),
        "All parameters, backward, of one number.", Table(head, ratios(many, repeats)),
    )  # fmt: skip
