"""Parts that the makers of cases share: bodies, supports, contacts and measurements in the cases' format."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable

G = 9.81  # [m/s^2]


def described(*, number: int, version: int = 1, provenance: dict | None = None, **words: str) -> Callable:
    """Give what a maker returns, bodies to measurements, the case's number and words; its id is the maker's name.

    Args:
        number: Of the phenomenon in the list of the documentation.
        version: Of the case; a changed case has a higher one.
        provenance: Where the answers come from; None where the maker returns it, with numbers of its own.
        words: Title, phenomenon, what happens, and the convention if there are several.
    """

    def of(maker: Callable[[], dict]) -> Callable[[], dict]:
        @functools.wraps(maker)
        def case() -> dict:
            whole = {"id": maker.__name__, "version": version, "number": number, **words, **maker()}
            return whole | ({"provenance": provenance} if provenance else {})

        return case

    return of


def box(name: str, mass: float, half: tuple[float, float, float], **state) -> dict:
    """Return a uniform box; `half` are its half lengths [m]."""
    x, y, z = (length**2 for length in half)
    inertia = [mass / 3 * (y + z), mass / 3 * (x + z), mass / 3 * (x + y)]
    shape = {"name": "box", "type": "box", "size": list(half)}
    return {"name": name, "mass": mass, "inertia": inertia, **state, "shapes": [shape]}


def sphere(name: str, mass: float, radius: float, **state) -> dict:
    """Return a uniform sphere."""
    shape = {"name": "sphere", "type": "sphere", "size": [radius]}
    return {"name": name, "mass": mass, "inertia": [0.4 * mass * radius**2] * 3, **state, "shapes": [shape]}


def feet(name: str, mass: float, inertia: list[float], points: list[list[float]], **state) -> dict:
    """Return a body that stands on point feet, called `foot_1` and so on."""
    shapes = [{"name": f"foot_{n}", "type": "point", "position": list(p)} for n, p in enumerate(points, 1)]
    return {"name": name, "mass": mass, "inertia": inertia, **state, "shapes": shapes}


def ground(name: str = "ground", **state) -> dict:
    """Return a fixed or driven half space, level unless a quaternion says otherwise."""
    return {"name": name, **state, "shapes": [{"name": "plane", "type": "plane"}]}


def belt(n: int, place, velocity) -> dict:
    """Return a driven box whose top is the level ground at a place, x and y, with a velocity along x and y."""
    speed = math.hypot(*velocity)
    axis = [velocity[0] / speed, velocity[1] / speed, 0.0] if speed else [1.0, 0.0, 0.0]
    shape = {"name": "box", "type": "box", "size": [0.5, 0.5, 0.05]}
    motion = {"axis": axis, "times": [0.0], "velocities": [speed]}
    return {"name": f"belt_{n}", "position": [*place, -0.05], "motion": motion, "shapes": [shape]}


def tilted(angle: float) -> list[float]:
    """Return the quaternion of a turn about the y axis, after which the x axis points down a slope [rad]."""
    return [math.cos(angle / 2), 0.0, math.sin(angle / 2), 0.0]


def contact(one: str, other: str, friction, name: str = "contact", **more) -> dict:
    """Return a contact between bodies or shapes."""
    return {"name": name, "between": [one, other], "friction": friction, **more}


def measured(
    name: str, of: str, quantity: str, unit: str, answer: float, tolerance: float, scale: float, **how
) -> dict:
    """Return a measurement; `how` says point, direction and reduction, and the answer's bound where it is not 1e-12."""
    bound = how.pop("bound", 1e-12)
    numbers = {"answer": answer, "bound": bound, "tolerance": tolerance, "scale": scale}
    return {"name": name, "of": of, "quantity": quantity, **how, "unit": unit, **numbers}
