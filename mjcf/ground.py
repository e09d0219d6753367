"""The ground under one simulation or each of many, with bitwise identical numbers.

Rough ground may differ between simulations, and so may the relief of any terrain. `Rough` itself sums its waves in a
matrix product, whose round-off depends on the number of points; here every point is one dot product.
"""

from functools import cached_property

import numpy as np

from ..analytic.terrain import Rough, Terraces, Terrain


class Ground:
    """Height and gradient of the terrain under each simulation.

    Points have shape (*shape, ...): their leading dimensions are the simulations'.

    Attributes:
        shape: Leading dimensions: () for one simulation, (n,) for n of them.
        terrain: The terrain; where simulations have their own, the first one.
        graded: Whether simulations differ in their terrain's `RELIEF`.
    """

    def __init__(self, terrain: Terrain, shape: tuple[int, ...] = (), graded: bool = False):
        self.terrain, self.shape, self.graded = terrain, shape, graded
        self._relief = {name: np.full(shape, float(getattr(terrain, name))) for name in terrain.RELIEF}
        kept = vars(terrain).items()  # what its properties have cached belongs to one relief
        cached = {name for name, _ in kept if isinstance(getattr(type(terrain), name, None), cached_property)}
        self._fixed = {name: value for name, value in kept if name not in cached}
        self._waves = None
        if isinstance(terrain, Rough):
            self._waves = np.broadcast_to(terrain.waves, (*shape, *terrain.waves.shape)).copy()
        elif not graded:  # the terrain's own, a call less in every step
            self.height, self.gradient = terrain.height, terrain.gradient  # type: ignore[method-assign]

    def __setitem__(self, sim: int | tuple, terrain: Terrain) -> None:
        """Give the simulation `sim`, an index or (), its own terrain, of the same class."""
        if self._waves is not None:
            self._waves[sim] = terrain.waves
        for name, values in self._relief.items():
            values[sim] = getattr(terrain, name)

    def __getitem__(self, sim: int | tuple) -> "Ground":
        """Return the ground under the simulation `sim` alone."""
        ground = Ground(self.terrain, (), self.graded)
        if self._waves is not None:
            ground._waves = self._waves[sim]
        ground._relief = {name: values[sim] for name, values in self._relief.items()}
        return ground

    def height(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Return the height [m] at world x, y, both of shape (*shape, ...), in their shape."""
        if self._waves is None:
            return self._terrain_at(x).height(x, y)
        amplitude, _, _, phases = self._phases(x, y)
        height = np.vecdot(np.sin(phases), amplitude)
        if not isinstance(self.terrain, Terraces):
            return height
        terrain = self._terrain_at(x)
        return Terraces.terraced(height, terrain.rise, terrain.riser)

    def gradient(self, x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return (dh/dx, dh/dy) at world x, y, both of shape (*shape, ...), in their shape."""
        if self._waves is None:
            return self._terrain_at(x).gradient(x, y)
        amplitude, k_x, k_y, phases = self._phases(x, y)
        steepness = np.cos(phases)
        h_x, h_y = np.vecdot(steepness, amplitude * k_x), np.vecdot(steepness, amplitude * k_y)
        if not isinstance(self.terrain, Terraces):
            return h_x, h_y
        terrain, height = self._terrain_at(x), np.vecdot(np.sin(phases), amplitude)
        steepness = Terraces.steepness(height, terrain.rise, terrain.riser)
        return steepness * h_x, steepness * h_y

    def _terrain_at(self, x) -> Terrain:
        """Return the terrain with the relief of all simulations, broadcasting over their points; unchecked."""
        shape = (*self.shape, *(1,) * (np.ndim(x) - len(self.shape)))
        relief = {name: np.reshape(values, shape) for name, values in self._relief.items()}
        terrain = object.__new__(type(self.terrain))
        vars(terrain).update(self._fixed | relief)
        return terrain

    def _phases(self, x, y) -> tuple[np.ndarray, ...]:
        x, y = np.positive(x), np.positive(y)  # numbers get a dimension
        waves = np.moveaxis(self._waves, -2, 0)  # (4, *shape, n_waves)
        amplitude, k_x, k_y, phase = waves.reshape(4, *self.shape, *[1] * (x.ndim - len(self.shape)), waves.shape[-1])
        return amplitude, k_x, k_y, k_x * x[..., None] + k_y * y[..., None] + phase
