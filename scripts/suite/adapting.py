"""What the adapters of engines share. Needs numpy, and of this project only what the worker needs.

Adapters import it as `..adapting`, wherever their file is, as the worker loads each as a module of `engines`.
Vectors have the shape (3,) and quaternions (4,), w first.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Hashable, Iterable
from typing import NamedTuple

import numpy as np

from .measure import rotate, unit

POINT_RADIUS = 1e-4  # of the sphere that stands for a point foot [m]
WORLD = {"position": [0, 0, 0], "quaternion": [1, 0, 0, 0], "velocity": [0, 0, 0], "angular_velocity": [0, 0, 0]}


def inverse(quaternion) -> np.ndarray:
    """Return the quaternion that turns back."""
    return np.asarray(quaternion, float) * [1, -1, -1, -1]


def relative(frame: tuple, position, quaternion) -> tuple[np.ndarray, np.ndarray]:
    """Return a pose of the world in a frame, a pair of position and quaternion as the result is."""
    back, turn = inverse(frame[1]), np.asarray(quaternion, float)
    real = back[0] * turn[0] - back[1:] @ turn[1:]
    axis = back[0] * turn[1:] + turn[0] * back[1:] + np.cross(back[1:], turn[1:])
    return rotate(back, np.subtract(position, frame[0])), np.array([real, *axis])


def plane(axis) -> tuple[np.ndarray, np.ndarray]:
    """Return two unit vectors that make a right-handed frame with an axis, in which a planar joint slides."""
    axis = unit(axis)
    first = unit(np.cross(axis, np.eye(3)[np.argmin(abs(axis))]))
    return first, np.cross(axis, first)


def is_fixed(body: dict) -> bool:
    """Return whether a body of a case neither has a mass nor is driven."""
    return "mass" not in body and "motion" not in body


def solid(body: dict, shape: dict) -> dict:
    """Return a body's shape as engines know it: a point is a small sphere above it, any other the shape itself."""
    if shape["type"] != "point":
        return shape
    up = rotate(inverse(body["quaternion"]), [0, 0, POINT_RADIUS])
    return shape | {"type": "sphere", "size": [POINT_RADIUS], "position": np.add(shape["position"], up)}


def against_parent(body: dict, joint: dict | None, bodies: dict[str, dict]) -> tuple[np.ndarray, np.ndarray]:
    """Return velocity [m/s] and angular velocity [rad/s] of a body as its joint's parent, or the world, sees it.

    They are those of its centre of mass at the start, in the world's axes.
    """
    parent = bodies.get(joint["parent"], WORLD) if joint else WORLD
    arm, spin = np.subtract(body["position"], parent["position"]), parent["angular_velocity"]
    carried = np.cross(spin, arm)
    return np.subtract(body["velocity"], parent["velocity"]) - carried, np.subtract(body["angular_velocity"], spin)


def held(times: list[float], values: list[float], time: float) -> float:
    """Return the value that holds at a time [s], of values that each hold from their time on."""
    return values[max(int(np.searchsorted(times, time + 1e-9, side="right")) - 1, 0)]


def line(times: list[float], values: list[float], time: float) -> tuple[float, float]:
    """Return value and slope of a broken line at a time [s]."""
    if not times[0] <= time < times[-1]:
        return values[0 if time < times[0] else -1], 0.0
    index = int(np.searchsorted(times, time + 1e-12, side="right")) - 1
    slope = (values[index + 1] - values[index]) / (times[index + 1] - times[index])
    return values[index] + slope * (time - times[index]), slope


def pushes(case: dict, time: float) -> list[dict]:
    """Return the forces of a case that act in a step from a time [s] on."""
    windows = (push.get("during", (0.0, math.inf)) for push in case["forces"])
    pairs = zip(case["forces"], windows, strict=True)
    return [push for push, (first, last) in pairs if first - 1e-9 <= time < last - 1e-9]


def is_sprung(joint: dict) -> bool:
    """Return whether a joint has a spring, a damper or a servo."""
    return bool("drive" in joint or joint["stiffness"] or joint["damping"])


def torque(joint: dict, position: float, speed: float, time: float) -> float:
    """Return the torque or force of a joint's spring and damper, or servo, for engines that have none [N m or N]."""
    drive = joint.get("drive")
    if not drive:
        return joint["stiffness"] * (joint["rest"] - position) - joint["damping"] * speed
    target, slope = line(drive["times"], drive["targets"], time)
    return drive["stiffness"] * (target - position) + drive["damping"] * (slope - speed)


def check_stable(engine: str, joint: dict, body: dict, timestep: float) -> None:
    """Refuse, by NotImplementedError, a `torque` of the state before a step that overshoots in it."""
    gains, inertia = joint.get("drive", joint), body["mass"]
    if joint["type"] == "hinge":
        arm = np.cross(unit(joint["axis"]), np.subtract(body["position"], joint["anchor"]))
        inertia = max(body["inertia"]) + body["mass"] * arm @ arm
    if timestep * (gains["damping"] + timestep * gains["stiffness"]) > 2 * inertia:
        raise NotImplementedError(f"{engine}: a spring or damper this stiff on a body this light, in steps this long")


def touching(contacts: list[dict], handles: Callable[[str], Iterable[Hashable]]) -> dict[tuple, tuple[int, float]]:
    """Return for every two things of an engine that touch, in both orders, the index of their contact, and a sign.

    It is 1 where the first of the pair belongs to the first of the contact, else -1. `handles` gives what the engine
    calls a shape `body.shape`: more than one thing where it needs several.
    """
    found = {}
    for index, contact in enumerate(contacts):
        for ones, others in contact["pairs"]:
            for one, other in itertools.product(handles(ones), handles(others)):
                found[one, other], found[other, one] = (index, 1.0), (index, -1.0)
    return found


class Rule(NamedTuple):
    """How an engine makes one coefficient of two shapes': a function of theirs adds up to a function of the pair's."""

    words: str
    of_two: Callable[[float, float], float]
    total: Callable[[np.ndarray], np.ndarray]  # of the pair's, infinite where shapes that have zero will do
    back: Callable[[np.ndarray], np.ndarray]  # from a shape's part of the total to its coefficient
    within: tuple[float, float] = (-math.inf, math.inf)  # of a shape's part


PRODUCT = Rule("two are multiplied", lambda m, n: m * n, np.log, np.exp)
MEAN = Rule("their mean holds", lambda m, n: (m + n) / 2, lambda pair: 2 * pair, lambda part: part, (0.0, math.inf))
HARMONIC_MEAN = Rule(
    "their harmonic mean holds",
    lambda m, n: 2 * m * n / ((m + n) or 1.0),
    lambda pair: 2 / pair,
    lambda part: 1 / part,
    (1e-2, math.inf),
)


def coefficients(engine: str, contacts: list[dict], what: str, rule: Rule) -> dict[str, float]:
    """Return a coefficient of friction or restitution for each shape by `body.shape`, else zero, by an engine's rule.

    Of them it makes what the case says of every pair. NotImplementedError if that cannot be, or a contact has two.
    """
    if any(isinstance(contact[what], list) for contact in contacts):
        raise NotImplementedError(f"{engine}: two coefficients of {what}")
    pairs = [(*pair, float(contact[what])) for contact in contacts for pair in contact["pairs"]]
    with np.errstate(divide="ignore"):
        totals = rule.total(np.array([value for *_, value in pairs]))
    is_summed = np.isfinite(totals)
    summed = [pair for pair, is_one in zip(pairs, is_summed, strict=True) if is_one]
    names = sorted({name for one, other, _ in summed for name in (one, other)})
    matrix = np.array([[(name == one) + (name == other) for name in names] for one, other, _ in summed], float)
    parts = _solved(matrix, totals[is_summed], rule.within) if names else np.zeros(0)
    found = dict(zip(names, rule.back(parts).tolist(), strict=True))
    if any(abs(rule.of_two(found.get(one, 0.0), found.get(other, 0.0)) - value) > 1e-6 for one, other, value in pairs):
        raise NotImplementedError(f"{engine}: {what} by pair; a shape has one coefficient, and {rule.words}")
    return found


def _solved(matrix: np.ndarray, wanted: np.ndarray, within: tuple[float, float]) -> np.ndarray:
    """Return a solution of linear equations within bounds if they have one, by alternating projections."""
    back = np.linalg.pinv(matrix)
    found = back @ wanted
    for _ in range(300):
        found = np.clip(found, *within)
        found = found - back @ (matrix @ found - wanted)
    return np.clip(found, *within)


def reading(time: float, poses: Iterable[tuple], twists: Iterable[tuple], forces: np.ndarray) -> tuple:
    """Return the reading of an adapter, from position [m] and quaternion, and both velocities, of every body.

    Forces of the contacts have the shape (contacts, 3) [N].
    """
    columns = [np.array(column, float) for rows in (poses, twists) for column in zip(*rows, strict=True)]
    return time, *columns, forces
