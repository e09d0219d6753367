"""Ground that rises in rings around a level middle: whichever way a robot goes, it has to climb."""

from dataclasses import dataclass

import numpy as np

from .smooth import minimum_jerk
from .terrain_base import Terrain

LEAST = 1e-12  # so that the middle has a direction [m^3]


def ring(x, y):
    """Return the radius (x^4 + y^4)^(1/4) of a point [m]: rings are squares with round corners."""
    return np.sqrt(np.sqrt(x * x * x * x + y * y * y * y))


def outward(x, y):
    """Return the gradient of `ring`."""
    cubed = ring(x, y)
    cubed = np.maximum(cubed * cubed * cubed, LEAST)
    return x * x * x / cubed, y * y * y / cubed


@dataclass(frozen=True)
class Stairs(Terrain):
    """Stairs up on all sides of a level middle, or down where `rise` is negative, with smooth risers of some width.

    Raises:
        ValueError: Unless 0 < width <= tread and start > 0.
    """

    rise: float = 0.05  # height of a step [m]
    tread: float = 0.3  # from a riser to the next [m]
    start: float = 0.5  # half the width of the middle [m]
    width: float = 0.03  # of a riser [m]
    RELIEF = ("rise",)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not (0 < self.width <= self.tread and self.start > 0):
            raise ValueError(
                f"stairs need 0 < width <= tread and start > 0, got {self.width}, {self.tread} and {self.start} m"
            )

    def height(self, x, y):
        """Return h(x, y) [m]."""
        way = ring(x, y) - self.start
        n = np.maximum(np.floor(way / self.tread), 0.0)
        s = np.minimum(np.maximum((way - n * self.tread) / self.width, 0.0), 1.0)
        return self.rise * (n + minimum_jerk(s))

    def gradient(self, x, y):
        """Return (dh/dx, dh/dy)."""
        way = ring(x, y) - self.start
        n = np.maximum(np.floor(way / self.tread), 0.0)
        s = np.minimum(np.maximum((way - n * self.tread) / self.width, 0.0), 1.0)
        steepness = self.rise / self.width * 30.0 * (s * (1.0 - s)) ** 2
        out_x, out_y = outward(x, y)
        return steepness * out_x, steepness * out_y


@dataclass(frozen=True)
class Pyramid(Terrain):
    """A slope up on all sides of a level middle, or down where `slope` is negative.

    Raises:
        ValueError: Unless start > 0 and bend > 0.
    """

    slope: float = 0.2
    start: float = 0.5  # half the width of the middle [m]
    bend: float = 0.3  # over which the slope begins [m]
    RELIEF = ("slope",)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not (self.start > 0 and self.bend > 0):
            raise ValueError(f"a pyramid needs start > 0 and bend > 0, got {self.start} and {self.bend} m")

    def height(self, x, y):
        """Return h(x, y) [m]."""
        way = np.maximum(ring(x, y) - self.start, 0.0)
        bent = np.minimum(way, self.bend)
        return self.slope * (way - bent + 0.5 * bent * bent / self.bend)

    def gradient(self, x, y):
        """Return (dh/dx, dh/dy)."""
        way = np.maximum(ring(x, y) - self.start, 0.0)
        steepness = self.slope * np.minimum(way / self.bend, 1.0)
        out_x, out_y = outward(x, y)
        return steepness * out_x, steepness * out_y
