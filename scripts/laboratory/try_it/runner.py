"""A spring-mass runner over stiffness, touchdown angle and energy: return maps, orbits, multipliers, what runs on.

The runner is `models/slip.py` with the mass and leg of a human runner. Its section is the apex, where energy leaves one
coordinate, the height; the energy is told as the speed at an apex of 1 m.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

import numpy as np

from tarsus import hybrid as hy
from tarsus.analytic.models import slip
from tarsus.hybrid import sections

RUNNER = slip.Slip(body_mass=80.0, k=20e3, spri=2.0, sprj=1.0, g_stance=9.81, g_flight=9.81)
AXES = {
    "stiffness": np.arange(10.0, 51.0, 2.0),  # [kN/m]
    "angle": np.arange(14.0, 33.0, 1.0),  # of the leg from the vertical at touchdown [deg]
    "speed": np.arange(2.0, 8.1, 0.5),  # at an apex of 1 m [m/s]
}
HEIGHTS = 49  # of apexes at a grid's point
STRIDES = 40  # after which a run is one that goes on
SHOWN = 24  # points of an orbit's path, equally spaced in time
LANDS, LEAVES = "touchdown", "liftoff"


def heights(angle: float, speed: float) -> np.ndarray:
    """Return the heights of apexes, shape (HEIGHTS,) [m].

    They are spaced as squares, for the map is smooth in the speed at which the body falls on its leg.
    """
    lowest, highest = ends(angle, speed)
    return lowest + (highest - lowest) * np.linspace(0.0, 1.0, HEIGHTS) ** 2


def ends(angle: float, speed: float) -> tuple[float, float]:
    """Return the lowest height at which the leg can be set down, and the highest of the energy [m]."""
    return RUNNER.q_rt * math.cos(math.radians(angle)), 1.0 + speed**2 / (2 * RUNNER.g_flight)


def apexes(y: np.ndarray, speed: float | np.ndarray) -> np.ndarray:
    """Return the states at apexes of heights y (m,) [m], shape (m, 4)."""
    forward = np.sqrt(np.maximum(speed**2 + 2 * RUNNER.g_flight * (1.0 - y), 0.0))
    return np.stack([np.zeros_like(y), y, forward, np.zeros_like(y)], axis=1)


def strides(sim: hy.Simulator, y: np.ndarray, stiffness: np.ndarray, angle: np.ndarray, speed: np.ndarray):
    """Return the heights of the next apexes [m], NaN where the runner falls; all of shape (m,)."""
    memory = np.stack([np.zeros_like(angle), np.zeros_like(angle), np.radians(angle)], axis=1)
    params = np.tile(sim.model.p0, (y.size, 1))
    params[:, slip.P.k] = 1e3 * stiffness
    run = sim.batch(apexes(y, speed), memory, params, chart="descent", stop_at="apex", final_time=5.0, rtol=1e-10)
    forward = run.x[:, 2] > 0  # a runner that turns back is not one that runs on
    returned = np.array([status is hy.Status.STOPPED for status in run.status])
    return np.where(returned & forward & (run.x[:, 1] > np.cos(np.radians(angle))), run.x[:, 1], np.nan)


def grid(axes: Mapping[str, np.ndarray]) -> np.ndarray:
    """Return the points of a grid, shape (m, 3), the last axis fastest."""
    return np.stack([a.ravel() for a in np.meshgrid(*axes.values(), indexing="ij")], axis=1)


def maps(sim: hy.Simulator, points: np.ndarray, n_strides: int = STRIDES) -> tuple[np.ndarray, np.ndarray]:
    """Return the return map on each point's heights, and how many strides a run from there goes on, (m, HEIGHTS)."""
    y = np.concatenate([heights(angle, speed) for _, angle, speed in points])
    settings = np.repeat(points, HEIGHTS, axis=0)
    first, lasted, alive = np.full(y.size, np.nan), np.zeros(y.size, int), np.arange(y.size)
    for k in range(n_strides):
        ahead = strides(sim, y[alive], *settings[alive].T)
        first = ahead.copy() if k == 0 else first
        alive, ahead = alive[np.isfinite(ahead)], ahead[np.isfinite(ahead)]
        y[alive] = ahead
        lasted[alive] += 1
    return first.reshape(-1, HEIGHTS), lasted.reshape(-1, HEIGHTS)


def orbits(sim: hy.Simulator, point: np.ndarray, image: np.ndarray) -> Iterable[dict]:
    """Yield the periodic orbits of a grid's point, from the lowest; `image` is its return map, (HEIGHTS,)."""
    stiffness, angle, speed = point
    y, params = heights(angle, speed), {"k": 1e3 * stiffness}

    def lift(z):
        return apexes(z, speed)[0], np.array([0.0, 0.0, math.radians(angle)])

    how = {"chart": "descent", "rtol": 1e-11, "atol": 1e-12, "final_time": 5.0}
    step = sections.return_map(sim, "apex", lift, lambda x, d: x[1:2], params, **how)
    off = image - y
    for i in np.flatnonzero(off[:-1] * off[1:] < 0):
        guess = y[i] - off[i] * (y[i + 1] - y[i]) / (off[i + 1] - off[i])
        found = sections.fixed_point(step, [guess])
        if found.status is sections.Convergence.CONVERGED and y[i] <= found.z[0] <= y[i + 1]:
            yield {"height": found.z[0], "multiplier": float(np.real(found.multipliers[0]))} | _path(
                sim, *lift(found.z), params
            )


def _path(sim: hy.Simulator, x0: np.ndarray, d0: np.ndarray, params: Mapping[str, float]) -> dict:
    """Return an orbit's period [s], its foot [m], instants of its stance [s], and path, shape (SHOWN, 2) [m]."""
    how = {"chart": "descent", "rtol": 1e-10}
    whole = sim.run(x0, d0, params, stop_at="apex", final_time=5.0, **how)
    shown = sim.run(x0, d0, params, times=np.linspace(0.0, whole.t_end, SHOWN), **how)
    lands, leaves = (float(whole.events.t[whole.events.name == name][0]) for name in (LANDS, LEAVES))
    return {"period": whole.t_end, "foot": whole.d_end[0], "stance": (lands, leaves), "path": shown.x[:, :2]}
