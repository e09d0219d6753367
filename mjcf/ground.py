"""The ground under one simulation or each of many, with bitwise identical numbers.

Rough ground may differ between simulations. `Rough` itself sums its waves in a matrix product, whose round-off depends
on the number of points; here every point is one dot product.
"""

from __future__ import annotations

import numpy as np

from ..analytic.terrain import Rough, Terrain


class Ground:
    """Height and gradient of the terrain under each simulation.

    Points have shape (*shape, ...): their leading dimensions are the simulations'.

    Attributes:
        shape: Leading dimensions: () for one simulation, (n,) for n of them.
        terrain: The terrain; of rough ground, the first one.
    """

    def __init__(self, terrain: Terrain, shape: tuple[int, ...] = ()):
        self.terrain, self.shape = terrain, shape
        self._waves = None
        if isinstance(terrain, Rough):
            self._waves = np.broadcast_to(terrain.waves, (*shape, *terrain.waves.shape)).copy()

    def __setitem__(self, sim: int | tuple, terrain: Terrain) -> None:
        """Give the simulation `sim`, an index or (), its own rough ground."""
        self._waves[sim] = terrain.waves

    def __getitem__(self, sim: int | tuple) -> Ground:
        """Return the ground under the simulation `sim` alone."""
        ground = Ground(self.terrain)
        if self._waves is not None:
            ground._waves = self._waves[sim]
        return ground

    def height(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Return the height at world x, y [m]."""
        if self._waves is None:
            return self.terrain.height(x, y)
        amplitude, _, _, phases = self._phases(x, y)
        return np.vecdot(np.sin(phases), amplitude)

    def gradient(self, x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return (dh/dx, dh/dy) at world x, y."""
        if self._waves is None:
            return self.terrain.gradient(x, y)
        amplitude, k_x, k_y, phases = self._phases(x, y)
        steepness = np.cos(phases)
        return np.vecdot(steepness, amplitude * k_x), np.vecdot(steepness, amplitude * k_y)

    def _phases(self, x, y) -> tuple[np.ndarray, ...]:
        x, y = np.asarray(x), np.asarray(y)
        waves = np.moveaxis(self._waves, -2, 0)  # (4, *shape, n_waves)
        amplitude, k_x, k_y, phase = waves.reshape(4, *self.shape, *[1] * (x.ndim - len(self.shape)), waves.shape[-1])
        return amplitude, k_x, k_y, k_x * x[..., None] + k_y * y[..., None] + phase
