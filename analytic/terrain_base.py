"""The base class of terrains: a height function of the plane, with gradient and normal; see `terrain`."""

from abc import ABC, abstractmethod
from dataclasses import replace
from typing import ClassVar

import numpy as np

from .finite import check_finite


class Terrain(ABC):
    """A height function z = h(x, y). Arguments broadcast; all lengths in metres, world frame.

    Attributes:
        RELIEF: The parameters that all heights are proportional to, if taken together; with none it cannot be `eased`.
    """

    RELIEF: ClassVar[tuple[str, ...]] = ()

    def __post_init__(self) -> None:
        check_finite(self)

    @abstractmethod
    def height(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Return h(x, y) [m], in the shape to which x and y broadcast."""

    @abstractmethod
    def gradient(self, x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return (dh/dx, dh/dy), in the shape to which x and y broadcast."""

    def grid(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Return the heights over the grid of x (n_x,) and y (n_y,), shape (n_y, n_x) [m]."""
        return self.height(x[None, :], y[:, None])

    def height_range(self, heights: np.ndarray) -> tuple[float, float]:
        """Return bounds of the height [m], here of a sample, of any shape; where seeds differ they hold for all."""
        return float(np.min(heights)), float(np.max(heights))

    def height_to_clear(self, points: np.ndarray) -> float:
        """Return the height at which the lowest of `points`, shape (n, 3) [m] at height zero, just touches [m]."""
        return float(np.max(self.height(points[:, 0], points[:, 1]) - points[:, 2]))

    def normal(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Return the upward unit normal (-h_x, -h_y, 1) / norm, shape (..., 3)."""
        h_x, h_y = self.gradient(x, y)
        normal = np.stack(np.broadcast_arrays(-h_x, -h_y, 1.0), axis=-1)
        return normal / np.linalg.norm(normal, axis=-1, keepdims=True)

    def eased(self, difficulty: float) -> "Terrain":
        """Return this terrain with all heights multiplied by a difficulty from 0 to 1."""
        return replace(self, **{name: difficulty * getattr(self, name) for name in self.RELIEF})
