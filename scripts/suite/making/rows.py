"""Measurements in one line: the unit follows from the quantity, the tolerance is a share of the scale."""

from __future__ import annotations

from .parts import measured

X, Y, Z = [1, 0, 0], [0, 1, 0], [0, 0, 1]
UNITS = {"position": "m", "velocity": "m/s", "angle": "rad", "angular_velocity": "rad/s", "force": "N"}
SHORT = {"place": "position", "speed": "velocity", "turn": "angle", "spin": "angular_velocity", "force": "force"}


def row(name: str, of: str, what: str, answer: float, share: float, scale: float = 0.0, **how) -> dict:
    """Return a measurement.

    Args:
        name: Of the measurement.
        of: A body or a contact.
        what: One of `SHORT`, and the axis: "speed x"; without an axis the norm.
        answer: Its unit is the quantity's, or seconds for the time of a crossing or a period.
        share: Tolerance over scale.
        scale: The answer's size unless given.
        how: The reduction, and what else the format knows.
    """
    short, _, axis = what.partition(" ")
    quantity = SHORT[short]
    if axis:
        how["along"] = {"x": X, "y": Y, "z": Z}[axis]
    unit = "s" if "crossing" in how or "period" in how else UNITS[quantity]
    size = scale or abs(answer)
    return measured(name, of, quantity, unit, float(answer), float(share * size), float(size), **how)


def rises(count: int = 1, level: float = 0.0, after: float = 0.0) -> dict:
    """Return the reduction to the time of an upward crossing."""
    return {"level": level, "direction": "up", "count": count, "after": after}


def falls(level: float = 0.0, after: float = 0.0) -> dict:
    """Return the reduction to the time of the first downward crossing."""
    return rises(1, level, after) | {"direction": "down"}


def plane(*children: str) -> list[dict]:
    """Return joints that keep bodies in the plane of x and z."""
    return [{"name": f"plane_{c}", "type": "planar", "parent": "world", "child": c, "axis": Y} for c in children]


def light_foot(name: str, mass: float, moment: float, **state) -> dict:
    """Return a body that is a point foot."""
    return {"name": name, "mass": mass, "inertia": [moment] * 3, **state, "shapes": [{"name": "foot", "type": "point"}]}
