"""Terrain: the height of the ground and its normal at a point of the plane.

A terrain is a frozen dataclass with `height(x, y)` and `gradient(x, y)`; everything else follows from these two.
World frame, z up, metres. Its fields, in order, are `terrain_arg1`, `terrain_arg2`, ... of a SimSect init file.
To add a terrain, write a class here and a line in `TERRAINS`. If it uses NumPy's functions, without `asarray` and the
like, the same two methods are compiled into the exact engine.

Source: SimSect manual, Table 3, for `flat`, `sinusoid` and `sloped`; RHexLib, examples/SimSect.rc, for `ditchedflat`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np

from .rings import Pyramid, Stairs
from .rough import Rough, Terraces
from .smooth import minimum_jerk
from .spelling import listed
from .terrain_base import Terrain


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
    RELIEF = ("amplitude",)

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
    RELIEF = ("slope_x", "slope_y", "offset")

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
    RELIEF = ("slope_x", "slope_y")

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

    Raises:
        ValueError: If the width is not positive.
    """

    rise: float = 0.03  # height of the step; negative is a step down [m]
    position: float = 0.5  # where it begins, along the heading from the origin [m]
    width: float = 0.02  # of the riser [m]
    heading: float = 0.5 * np.pi  # direction in which it rises, from +x [rad]; by default along +y
    RELIEF = ("rise",)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.width > 0:
            raise ValueError(f"width of a step must be positive, got {self.width} m")

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
class DitchedFlat(Terrain):
    """Level ground at 0 with a ditch across the way along +y, its walls smooth and of some width, inside the ditch.

    The authors' walls were vertical, which leaves a foot that meets one without a ground.

    Raises:
        ValueError: If the walls have no width, or together more than the ditch.
    """

    position: float = 0.0  # a1, where the ditch begins along y [m]
    width: float = 0.5  # a2, from there to where it ends [m]
    depth: float = 0.2  # a3 [m]
    wall: float = 0.04  # width of a wall [m]
    RELIEF = ("depth",)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not (0 < self.wall and 2 * self.wall <= self.width):
            raise ValueError(
                f"a ditch needs walls wider than 0 and at most half its width, got {self.wall} and {self.width} m"
            )

    def height(self, x, y):
        """Return h(x, y) [m]."""
        way = y - self.position + 0.0 * x
        down = np.minimum(np.maximum(way / self.wall, 0.0), 1.0)
        up = np.minimum(np.maximum((way - self.width) / self.wall + 1.0, 0.0), 1.0)
        return self.depth * (minimum_jerk(up) - minimum_jerk(down))

    def gradient(self, x, y):
        """Return (dh/dx, dh/dy)."""
        way = y - self.position + 0.0 * x
        down = np.minimum(np.maximum(way / self.wall, 0.0), 1.0)
        up = np.minimum(np.maximum((way - self.width) / self.wall + 1.0, 0.0), 1.0)
        steepness = 30.0 * self.depth / self.wall
        return 0.0 * way, steepness * ((up * (1.0 - up)) ** 2 - (down * (1.0 - down)) ** 2)


TERRAINS: dict[str, type[Terrain]] = {
    "flat": Flat,
    "sinusoid": Sinusoid,
    "sloped": Sloped,
    "ditchedflat": DitchedFlat,
    "slope": Slope,
    "step": Step,
    "rough": Rough,
    "terraces": Terraces,
    "stairs": Stairs,
    "pyramid": Pyramid,
}


def make(terrain: str | Sequence | Terrain, *args: float) -> Terrain:
    """Return a terrain from its name and arguments in the order of its fields; a terrain is returned as it is.

    A name may stand with its arguments, as in ("slope", 0.1, 0.0).

    Raises:
        ValueError: If no terrain has that name, or it takes fewer arguments.
    """
    if isinstance(terrain, Terrain):
        return terrain
    if isinstance(terrain, tuple | list) and terrain:
        return make(*terrain, *args)
    if not isinstance(terrain, str) or terrain not in TERRAINS:
        raise ValueError(f"unknown terrain {terrain!r}; there are {listed(terrain, TERRAINS)}")
    names = [field.name for field in fields(TERRAINS[terrain])]
    if len(args) > len(names):
        raise ValueError(f"terrain {terrain!r} takes {len(names)} arguments ({', '.join(names)}), got {len(args)}")
    return TERRAINS[terrain](*args)


def name_of(terrain: Terrain) -> str:
    """Return the registered name of a terrain."""
    return next(name for name, kind in TERRAINS.items() if type(terrain) is kind)
