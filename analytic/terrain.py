"""Terrain: the height of the ground and its normal at a point of the plane.

A terrain is a frozen dataclass with `height(x, y)` and `gradient(x, y)`; everything else follows from these two.
World frame, z up, metres. Its fields, in order, are `terrain_arg1`, `terrain_arg2`, ... of a SimSect init file.
To add a terrain, write a class here and a line in `TERRAINS`. If it uses NumPy's functions, without `asarray` and the
like, the same two methods are compiled into the exact engine.

Source: SimSect manual, Table 3, for `flat`, `sinusoid` and `sloped`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, fields

import numpy as np

from .finite import check_finite
from .smooth import minimum_jerk
from .waves import random_waves, waves_gradient, waves_grid, waves_height


class Terrain(ABC):
    """A height function z = h(x, y). Arguments broadcast; all lengths in metres, world frame."""

    def __post_init__(self) -> None:
        check_finite(self)

    @abstractmethod
    def height(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Return h(x, y) [m]."""

    @abstractmethod
    def gradient(self, x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return (dh/dx, dh/dy)."""

    def grid(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Return the heights over the grid of x (n_x,) and y (n_y,), shape (n_y, n_x) [m]."""
        return self.height(x[None, :], y[:, None])

    def height_range(self, heights: np.ndarray) -> tuple[float, float]:
        """Return bounds of the height [m], here those of a sample; where seeds differ, they hold for all seeds."""
        return float(np.min(heights)), float(np.max(heights))

    def height_to_clear(self, points: np.ndarray) -> float:
        """Return the height at which the lowest of `points`, shape (n, 3) [m] at height zero, just touches [m]."""
        return float(np.max(self.height(points[:, 0], points[:, 1]) - points[:, 2]))

    def normal(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Return the upward unit normal (-h_x, -h_y, 1) / norm, shape (..., 3)."""
        h_x, h_y = self.gradient(x, y)
        normal = np.stack(np.broadcast_arrays(-h_x, -h_y, 1.0), axis=-1)
        return normal / np.linalg.norm(normal, axis=-1, keepdims=True)


@dataclass(frozen=True)
class Flat(Terrain):
    """The plane z = 0."""

    def height(self, x, y):
        """Return 0 everywhere [m]."""
        return 0.0 * (x + y)

    def gradient(self, x, y):
        """Return (0, 0)."""
        return 0.0 * (x + y), 0.0 * (x + y)


@dataclass(frozen=True)
class Sinusoid(Terrain):
    """z = a1 sin(a2 x) cos(a3 y), an egg box."""

    amplitude: float = 0.03  # a1 [m]
    wavenumber_x: float = 15.0  # a2 [rad/m]
    wavenumber_y: float = 15.0  # a3 [rad/m]

    def height(self, x, y):
        """Return h(x, y) [m]."""
        return self.amplitude * np.sin(self.wavenumber_x * x) * np.cos(self.wavenumber_y * y)

    def gradient(self, x, y):
        """Return (dh/dx, dh/dy)."""
        u, v = self.wavenumber_x * x, self.wavenumber_y * y
        h_x = self.amplitude * self.wavenumber_x * np.cos(u) * np.cos(v)
        h_y = -self.amplitude * self.wavenumber_y * np.sin(u) * np.sin(v)
        return h_x, h_y


@dataclass(frozen=True)
class Sloped(Terrain):
    """Level ground at a3 up to y = 0, a plane a1 x + a2 y + a3 beyond.

    With a1 != 0 the ground has a step at y = 0. Table 2's arguments (0.03, 15, 15) belong to the sinusoid:
    here they would be a slope of 86 degrees, so the defaults are a gentle ramp instead.
    """

    slope_x: float = 0.0  # a1
    slope_y: float = 0.1  # a2
    offset: float = 0.0  # a3 [m]

    def height(self, x, y):
        """Return h(x, y) [m]."""
        return np.where(y > 0, self.slope_x * x + self.slope_y * y, 0.0) + self.offset

    def gradient(self, x, y):
        """Return (dh/dx, dh/dy), one-sided at y = 0."""
        level = 0.0 * x
        return level + np.where(y > 0, self.slope_x, 0.0), level + np.where(y > 0, self.slope_y, 0.0)


@dataclass(frozen=True)
class Slope(Terrain):
    """The infinite plane z = slope_x x + slope_y y, for studies of speed against slope."""

    slope_x: float = 0.0
    slope_y: float = 0.1  # positive is uphill for a robot that walks along +y

    def height(self, x, y):
        """Return h(x, y) [m]."""
        return self.slope_x * x + self.slope_y * y

    def gradient(self, x, y):
        """Return (dh/dx, dh/dy)."""
        level = 0.0 * (x + y)
        return level + self.slope_x, level + self.slope_y


@dataclass(frozen=True)
class Step(Terrain):
    """Level ground at 0, and `rise` higher beyond `position`, joined by a smooth riser of some width.

    A foot may meet the riser: without a width the ground would jump under it.
    """

    rise: float = 0.03  # height of the step; negative is a step down [m]
    position: float = 0.5  # where it begins, along the heading from the origin [m]
    width: float = 0.02  # of the riser [m]
    heading: float = 0.5 * np.pi  # direction in which it rises, from +x [rad]; by default along +y

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.width > 0:
            raise ValueError(f"width of a step must be positive, got {self.width}")

    def height(self, x, y):
        """Return h(x, y) [m]."""
        way = x * np.cos(self.heading) + y * np.sin(self.heading)
        s = np.minimum(np.maximum((way - self.position) / self.width, 0.0), 1.0)
        return self.rise * minimum_jerk(s)

    def gradient(self, x, y):
        """Return (dh/dx, dh/dy)."""
        way = x * np.cos(self.heading) + y * np.sin(self.heading)
        s = np.minimum(np.maximum((way - self.position) / self.width, 0.0), 1.0)
        steepness = self.rise / self.width * 30.0 * (s * (1.0 - s)) ** 2
        return steepness * np.cos(self.heading), steepness * np.sin(self.heading)


@dataclass(frozen=True)
class Rough(Terrain):
    """Smooth random ground: plane waves of random direction and phase (`random_waves`), the same for the same seed.

    Smooth rather than piecewise flat, so that the exact engine and a height field mean the same surface.
    """

    deviation: float = 0.015  # standard deviation of the height [m]
    wavelength: float = 0.5  # of the shortest wave [m]
    seed: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        if not (self.deviation >= 0 and self.wavelength > 0):
            raise ValueError(
                f"rough terrain needs deviation >= 0 and wavelength > 0, got {self.deviation} and {self.wavelength}"
            )
        object.__setattr__(self, "_waves", random_waves(self.deviation, self.wavelength, int(self.seed)))

    @property
    def waves(self) -> np.ndarray:
        """Amplitude [m], wave number along x and y [rad/m] and phase [rad] of each wave, shape (4, n)."""
        return self._waves.copy()

    def height_range(self, heights):
        """Return the heights at which all crests, or all troughs, would meet [m]."""
        bound = float(np.sum(self._waves[0]))
        return -bound, bound

    def height(self, x, y):
        """Return h(x, y) [m]."""
        return waves_height(self._waves, x, y)

    def grid(self, x, y):
        """Return the heights over a grid, shape (n_y, n_x) [m]."""
        return waves_grid(self._waves, x, y)

    def gradient(self, x, y):
        """Return (dh/dx, dh/dy)."""
        return waves_gradient(self._waves, x, y)

    @property
    def tables(self) -> dict[str, np.ndarray]:
        """What `point_height` and `point_gradient` read: tensor products do not compile."""
        return {"waves": self._waves}

    def point_height(self, x, y):
        """Return h at one point [m]."""
        amplitude, k_x, k_y, phase = self.waves
        return np.sum(amplitude * np.sin(k_x * x + k_y * y + phase))

    def point_gradient(self, x, y):
        """Return (dh/dx, dh/dy) at one point."""
        amplitude, k_x, k_y, phase = self.waves
        steepness = amplitude * np.cos(k_x * x + k_y * y + phase)
        return np.sum(k_x * steepness), np.sum(k_y * steepness)


TERRAINS: dict[str, type[Terrain]] = {
    "flat": Flat,
    "sinusoid": Sinusoid,
    "sloped": Sloped,
    "slope": Slope,
    "step": Step,
    "rough": Rough,
}


def make(terrain: str | Terrain, *args: float) -> Terrain:
    """Return a terrain from its name and arguments in the order of its fields; a terrain is returned as it is.

    Raises:
        ValueError: If no terrain has that name, or it takes fewer arguments.
    """
    if isinstance(terrain, Terrain):
        return terrain
    if terrain not in TERRAINS:
        raise ValueError(f"unknown terrain {terrain!r}; there are {', '.join(TERRAINS)}")
    names = [field.name for field in fields(TERRAINS[terrain])]
    if len(args) > len(names):
        raise ValueError(f"terrain {terrain!r} takes {len(names)} arguments ({', '.join(names)}), got {len(args)}")
    return TERRAINS[terrain](*args)


def name_of(terrain: Terrain) -> str:
    """Return the registered name of a terrain."""
    return next(name for name, kind in TERRAINS.items() if type(terrain) is kind)
