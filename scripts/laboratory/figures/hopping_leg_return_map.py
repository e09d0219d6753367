"""The return map of the hopping leg from touchdown to touchdown: fixed points and Floquet multipliers over speed.

Just after a touchdown on level ground six numbers determine the leg's state: hip and knee angle, the rates of yaw and
pitch, and the controller's force and lean. The foot is on the ground and at rest across the radius. This gives the
boom's pitch and the rates of hip and knee. The yaw does not matter.

Runtime: ten seconds, once the model is compiled.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tarsus.analytic import hybrid as hy
from tarsus.analytic.hybrid import sections
from tarsus.analytic.models import hopping_leg_hybrid as model
from tarsus.analytic.models.hopping_leg import HoppingLegParams
from tarsus.analytic.models.hopping_leg_mechanics import (
    constrained_rows,
    frames_of,
    leg_position,
    numbers,
    toe_jacobian,
    toe_position,
)
from tarsus.controllers.raibert import raibert
from tarsus.controllers.raibert_laws import D, RaibertGains

SPEEDS = (-0.5, 0.0, 0.5, 1.0, 1.5)  # commanded [m/s]
NAMES = ("hip", "knee", "yaw rate", "pitch rate", "force", "lean")
SIZES = np.array([0.1, 0.1, 0.1, 0.1, 10.0, 0.1])  # steps of derivatives are relative to these [rad, rad/s, N, 1]
TOLERANCE = 1e-8  # of a fixed point, in units of SIZES
SETTLED = 60  # hops after which Newton's method starts
PARAMS = HoppingLegParams()
P0 = np.concatenate([np.ravel(value) for value in numbers(PARAMS).values()])
# Derivatives are differences, right to 1e-8, and the smallest multipliers come in pairs, which move by its square root,
# 1e-4, though another processor moved them by 3e-9 only.
ATOL, RTOL = 1e-3, 1e-4


def lift(z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return state and memory just after a touchdown at yaw 0, from the six coordinates `NAMES`."""
    x, foot, toe = np.zeros(8), np.empty(2), np.empty(3)
    x[2:4], x[4:6] = z[0:2], z[2:4]
    leg_position(x[:4], P0, foot)
    x[1] = np.arcsin(PARAMS.HB / np.hypot(PARAMS.LB, foot[1])) + np.arctan2(foot[1], PARAMS.LB)
    toe_position(x[:4], P0, toe)
    radial = toe[:2] / np.hypot(*toe[:2])
    J, held = np.empty((6, 4)), np.empty((2, 4))
    toe_jacobian(frames_of(x[:4], x[4:], P0), P0, J)
    constrained_rows(J, radial, held)
    x[6:8] = -np.linalg.solve(held[:, 2:], held[:, :2] @ x[4:6])
    d = np.zeros(len(D))
    d[model.FRAME : model.FRAME + 2] = radial
    d[D.mean_force], d[D.lean_now] = z[4:6]
    return x, d


def project(x: np.ndarray, d: np.ndarray) -> np.ndarray:
    """Return the six coordinates of a state just after a touchdown."""
    return np.array([*x[2:6], d[D.mean_force], d[D.lean_now]])


def mapping(sim: hy.Simulator, gains: RaibertGains) -> Callable:
    """Return the map in units of `SIZES`."""
    params = numbers(PARAMS) | gains.numbers(PARAMS)
    at = sections.return_map(
        sim, "touchdown", lambda z: lift(z * SIZES), project, params, chart="stance", rtol=1e-11, final_time=2.0
    )
    return lambda z: at(z) / SIZES


def settled(sim: hy.Simulator, gains: RaibertGains) -> np.ndarray:
    """Return the coordinates after `SETTLED` hops from rest.

    Raises:
        RuntimeError: If the leg does not hop that long.
    """
    params = numbers(PARAMS) | gains.numbers(PARAMS)
    settings = dict(final_time=60, stop_at="touchdown", stop_count=SETTLED, record_period=None, rtol=1e-10)
    r = sim.run(params=params, **settings)
    if r.status is not hy.Status.STOPPED:
        raise RuntimeError(f"the leg does not hop {SETTLED} times: {r.message}")
    return project(r.x_end, r.d_end)


def compute() -> dict[str, np.ndarray]:
    """Return fixed points and multipliers for each speed, regulated and with force and lean held, and a way back."""
    sim = hy.compile(model.build(raibert()))
    found = []
    for speed in SPEEDS:
        gains = RaibertGains(speed=speed)
        found.append(sections.fixed_point(mapping(sim, gains), settled(sim, gains) / SIZES, tol=TOLERANCE))
    return {
        "fixed": np.array([point.z * SIZES for point in found]),
        "converged": np.array([point.status is sections.Convergence.CONVERGED for point in found]),
        "multipliers": np.array([_parts(point.multipliers) for point in found]),
        # A hop's force and lean are set at its touchdown: held, they change nothing of the map of the other four.
        "multipliers_held": np.array([_parts(sections.multipliers(point.jacobian[:4, :4])) for point in found]),
    }


def _parts(values: np.ndarray) -> np.ndarray:
    """Return real and absolute imaginary parts, shape (n, 2): which of a pair comes first is chance."""
    return np.stack([values.real, np.abs(values.imag)], axis=-1)


def draw(data, figure):
    from matplotlib import colormaps

    colors = colormaps["viridis"](np.linspace(0, 0.9, 5))
    figure.set_size_inches(11, 5.2)
    axes = figure.subplots(1, 2, sharey=True)
    turn = np.linspace(0, 2 * np.pi, 200)
    for axis, name, title in zip(
        axes, ("multipliers_held", "multipliers"), ("force and lean held", "height and speed regulated"), strict=True
    ):
        axis.plot(np.cos(turn), np.sin(turn), color="0.7", lw=1)
        for speed, values, color in zip(SPEEDS, data[name], colors, strict=True):
            (real, imaginary), largest = values.T, np.hypot(*values.T).max()
            label = f"{speed:g} m/s, largest {largest:.3f}"
            axis.plot(real, imaginary, "o", color=color, mfc="none", label=label)
            axis.plot(real, -imaginary, "o", color=color, mfc="none")
        axis.set(xlabel="real part", title=title, aspect="equal", xlim=(-1.1, 1.1), ylim=(-1.1, 1.1))
        axis.legend(fontsize=7, loc="lower left")
    axes[0].set_ylabel("imaginary part")
