"""Terrains as plain functions of two numbers, which the engine compiles."""

from __future__ import annotations

import math
from collections.abc import Callable

from ..terrain import Flat, Rough, Sinusoid, Slope, Step, Terrain


def plain_height(terrain: Terrain) -> Callable[[float, float], float]:
    """Return `height(x, y)` [m] of a terrain, in plain arithmetic.

    Raises:
        ValueError: If the terrain has no such function yet.
    """
    if type(terrain) not in _MAKERS:
        known = ", ".join(kind.__name__ for kind in _MAKERS)
        raise ValueError(f"no compiled height for the terrain {terrain!r}; there are {known}")
    return _MAKERS[type(terrain)](terrain)


def _flat(terrain: Flat) -> Callable:
    return lambda x, y: 0.0


def _slope(terrain: Slope) -> Callable:
    a, b = float(terrain.slope_x), float(terrain.slope_y)
    return lambda x, y: a * x + b * y


def _sinusoid(terrain: Sinusoid) -> Callable:
    h, a, b = float(terrain.amplitude), float(terrain.wavenumber_x), float(terrain.wavenumber_y)
    return lambda x, y: h * math.sin(a * x) * math.cos(b * y)


def _step(terrain: Step) -> Callable:
    rise, position, width = float(terrain.rise), float(terrain.position), float(terrain.width)

    def height(x, y):
        s = min(max((y - position) / width, 0.0), 1.0)
        return rise * s * s * s * (10.0 + s * (6.0 * s - 15.0))

    return height


def _rough(terrain: Rough) -> Callable:
    waves = terrain.waves

    def height(x, y):
        total = 0.0
        for i in range(waves.shape[1]):
            total += waves[0, i] * math.sin(waves[1, i] * x + waves[2, i] * y + waves[3, i])
        return total

    return height


_MAKERS = {Flat: _flat, Slope: _slope, Sinusoid: _sinusoid, Step: _step, Rough: _rough}
