"""The ground along a line, as numbers in a model's parameters, so that one compiled model runs on every terrain.

A planar machine that runs along x needs only a terrain's profile z = h(x) at y = 0: a plane, sine waves, and a step.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .. import terrain as terrains
from ..smooth import minimum_jerk
from ..waves import N_WAVES


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
        known = "flat, slope, step, sinusoid, rough"
        raise ValueError(f"no profile along x is known of {type(terrain).__name__}; there are those of {known}")
    return {**found, "waves": waves}


def ground_height(x: float, p: np.ndarray, first: int) -> float:
    """Return the height of the ground at x [m], `first` being the place of `ground_slope` in p."""
    riser = min(max((x - p[first + 2]) / p[first + 3], 0.0), 1.0)
    z = p[first] * x + p[first + 1] * minimum_jerk(riser)
    for i in range(int(p[first + 4])):
        wave = first + 5 + i
        z += p[wave] * math.sin(p[wave + N_WAVES] * x + p[wave + 2 * N_WAVES])
    return z


def level(p: np.ndarray, first: int, height: float) -> None:
    """Write level ground at a height [m] into p, `first` being the place of `ground_slope`."""
    p[first : first + 5] = 0.0, height, -math.inf, 1.0, 0.0
