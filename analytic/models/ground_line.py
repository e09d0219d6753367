"""A terrain's profile along x, as functions of one point: one compiled model runs on all terrains that have one.

A planar machine that runs along x needs only the profile z = h(x) at y = 0: a plane, sine waves, and a step. It is
numbers in the model's parameters; with `ground` each kind of terrain compiles a model of its own.
"""

import math
from typing import Any

import numpy as np

from .. import terrain as terrains
from ..rough import N_WAVES
from ..smooth import minimum_jerk
from .ground import PointTerrain

SLOPE_STEP = 1e-5  # of the difference that gives the slope [m]


def profile_of(terrain: terrains.Terrain | str, start: int) -> PointTerrain:
    """Return the point functions of a terrain's profile, the same at every y, whose parameters stand in `p[start:]`.

    Raises:
        ValueError: If the terrain has no such profile; the message lists those that have.
    """

    def height(x, y, p):
        return ground_height(x, p, start)

    def gradient(x, y, p):
        rise = ground_height(x + SLOPE_STEP, p, start) - ground_height(x - SLOPE_STEP, p, start)
        return rise / (2.0 * SLOPE_STEP), 0.0

    return PointTerrain(ground_table(terrain), height, gradient)


def ground_table(terrain: terrains.Terrain | str = "flat") -> dict[str, Any]:
    """Return the parameters of a terrain's profile along x at y = 0.

    Raises:
        ValueError: If the terrain has no such profile; the message lists those that have.
    """
    terrain = terrains.make(terrain)
    found = {"ground_slope": 0.0, "step_height": 0.0, "step_start": 0.0, "step_width": 1.0, "n_waves": 0.0}
    waves = np.zeros((3, N_WAVES))  # amplitude [m], wave number [rad/m], phase [rad]
    if isinstance(terrain, terrains.Slope):
        found["ground_slope"] = terrain.slope_x
    elif isinstance(terrain, terrains.Step):
        along = math.cos(terrain.heading)
        if along < 1e-9:
            raise ValueError(
                f"a step met along x has a heading within a right angle of it, got {terrain.heading:g} rad"
            )
        found |= {"step_height": terrain.rise, "step_start": terrain.position / along}
        found |= {"step_width": terrain.width / along}
    elif isinstance(terrain, terrains.Sinusoid):
        found["n_waves"], waves[:2, 0] = 1.0, (terrain.amplitude, terrain.wavenumber_x)
    elif type(terrain) is terrains.Rough:
        amplitude, along_x, _, phase = terrain.waves
        found["n_waves"], waves[:] = float(amplitude.size), (amplitude, along_x, phase)
    elif not isinstance(terrain, terrains.Flat):
        having = "flat, slope, step, sinusoid, rough"
        raise ValueError(f"{type(terrain).__name__} has no profile along x; those that have are {having}")
    return {**found, "waves": waves}


def ground_height(x: float, p: np.ndarray, first: int) -> float:
    """Return the height of a profile at x [m]; its parameters stand in p, shape (n_params,), from `first` on."""
    riser = min(max((x - p[first + 2]) / p[first + 3], 0.0), 1.0)
    z = p[first] * x + p[first + 1] * minimum_jerk(riser)
    for i in range(int(p[first + 4])):
        wave = first + 5 + i
        z += p[wave] * math.sin(p[wave + N_WAVES] * x + p[wave + 2 * N_WAVES])
    return z


def level(p: np.ndarray, first: int, height: float) -> None:
    """Write level ground at a height [m] into p, `first` being the place of `ground_slope`."""
    p[first : first + 5] = 0.0, height, -math.inf, 1.0, 0.0
