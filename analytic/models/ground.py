"""A terrain as functions of one point, which an engine can compile; `ground_line` gives a profile the same form.

The same `height` and `gradient` are used as for arrays, so a new terrain needs nothing else; a terrain whose array form
cannot be compiled also provides `point_height` and `point_gradient`, and `tables`, the arrays they read.
"""

from collections import namedtuple
from collections.abc import Callable
from dataclasses import fields
from typing import Any, NamedTuple

import numpy as np

from ..compilation.methods import as_function
from ..terrain import Terrain

PREFIX = "terrain_arg"  # SimSect's names of a terrain's parameters


class PointTerrain(NamedTuple):
    """A terrain at a point."""

    params: dict[str, Any]  # by name: SimSect's, `terrain_arg1` and so on, or those of a profile
    height: Callable  # (x, y, p) [m], p a whole parameter vector
    gradient: Callable  # (x, y, p): (dh/dx, dh/dy)


def ground_of(terrain: Terrain, start: int) -> PointTerrain:
    """Return the point functions of a terrain whose parameters stand in `p[start:]`."""
    kind = type(terrain)
    names = [field.name for field in fields(kind)]
    tables = getattr(terrain, "tables", {})
    frozen = names if tables else []  # the tables belong to these very parameters
    point = namedtuple(kind.__name__, [*(name for name in names if name not in frozen), *tables])
    entries = [f"p[{start + i}]" for i in range(len(names) - len(frozen))]
    read = eval(f"lambda p: Point({', '.join([*entries, *tables])})", {"Point": point, **tables})
    known = (*point._fields, *names)  # a frozen name is no value of the class either
    height_of, gradient_of = (
        as_function(kind, f"point_{name}" if hasattr(kind, f"point_{name}") else name, known)
        for name in ("height", "gradient")
    )

    def height(x, y, p):
        return height_of(read(p), x, y)

    def gradient(x, y, p):
        return gradient_of(read(p), x, y)

    values = {f"{PREFIX}{i + 1}": float(getattr(terrain, name)) for i, name in enumerate(names)}
    return PointTerrain({name: value for name, value in values.items() if not tables}, height, gradient)


def plain_height(terrain: Terrain) -> Callable[[float, float], float]:
    """Return `height(x, y)` [m] of a terrain whose parameters stay as they are."""
    floor = ground_of(terrain, 0)
    height, p = floor.height, np.array(list(floor.params.values()))
    return lambda x, y: height(x, y, p)


def curvature(gradient: Callable, x: float, y: float, vx: float, vy: float, p) -> float:
    """Return the second derivative of the height along a motion over the ground at constant velocity [m/s^2].

    A central difference of the gradient over 20 um: its error is 1e-10 of the answer for waves longer than 10 cm.
    """
    e = 1e-5 / max(vx * vx + vy * vy, 1e-200) ** 0.5  # at rest the answer is zero, and so are its derivatives
    ahead_x, ahead_y = gradient(x + e * vx, y + e * vy, p)
    behind_x, behind_y = gradient(x - e * vx, y - e * vy, p)
    return ((ahead_x - behind_x) * vx + (ahead_y - behind_y) * vy) / (2.0 * e)
