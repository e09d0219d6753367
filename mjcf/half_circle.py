"""Half-circle legs of the hexapod, and stairs of boxes for them: they roll on edges, where a toe finds no hold.

A leg is an arc of capsules from hip to toe on the toe's body, bulging backward. So it is as springy as the straight leg
between the same points, and as a whole: an arc that bends along its length is not modelled.

Source: Moore, Campbell, Grimminger and Buehler, "Reliable stair climbing in the simple hexapod RHex", ICRA 2002.
"""

from __future__ import annotations

import mujoco
import numpy as np

from ..analytic.spelling import check_name
from ..analytic.terrain import Flat, Stairs, Terrain
from .kinds import BOX, CAPSULE
from .presets import Preset
from .terrain import EDGE, contact_settings, is_plane

LEGS = ("toes", "half-circle")
PIECES = 5  # of an arc; a sixth, at the hip, is left out
RADIUS = 0.008  # of a piece [m]
HALF_WIDTH = 1.5  # of a flight of stairs [m]


def check(legs: str) -> None:
    """Refuse legs that there are not."""
    check_name("legs", legs, LEGS)


def plane_under(ground: Terrain) -> Terrain:
    """Return the plane on which a ground for half-circle legs is built."""
    if is_plane(ground):
        return ground
    if isinstance(ground, Stairs) and ground.rise > 0.0:
        return Flat()
    raise ValueError(f"half-circle legs walk on flat, slope, and stairs that rise, not on {type(ground).__name__}")


def points(length: float) -> np.ndarray:
    """Return the ends of an arc's pieces in the toe's frame, from the toe on, shape (PIECES + 1, 3) [m]."""
    angle = np.linspace(-0.5 * np.pi, 0.5 * np.pi, PIECES + 2)[:-1]
    return 0.5 * length * np.stack([0.0 * angle, -np.cos(angle), 1.0 + np.sin(angle)], axis=1)


def add_arc(toe, leg: int, length: float, material: str) -> None:
    """Add a leg's arc to its toe's body: geoms `arc_LEG_PIECE`."""
    ends = points(length)
    for piece, (start, end) in enumerate(zip(ends[:-1], ends[1:], strict=True)):
        toe.add_geom(
            name=f"arc_{leg}_{piece}",
            type=CAPSULE,
            fromto=(*start, *end),
            size=(RADIUS, 0, 0),
            mass=0.0,
            material=material,
            contype=1,
            conaffinity=0,
            condim=3,
        )


def sunk(attach: np.ndarray, hip: np.ndarray, splay: np.ndarray, length: np.ndarray) -> float:
    """Return the depth of a level body's lowest arc below its lowest toe [m]; hips (6, 3), legs (6,), body frame."""
    leg = points(1.0) - (0.0, 0.0, 1.0)  # from the hip, of a leg of 1 m
    upright, forward = np.cos(hip) * np.cos(splay), np.sin(hip)
    z = attach[:, 2, None] + length[:, None] * (np.outer(upright, leg[:, 2]) + np.outer(forward, leg[:, 1]))
    return float(z[:, 0].min() - z.min() + RADIUS)


def add_stairs(spec: mujoco.MjSpec, stairs: Stairs, preset: Preset, friction: float) -> None:
    """Add the flight ahead, along +y, a box for each step up to the edge of a height field; none on the other sides."""
    lower = preset.sink - preset.toe_radius
    for step, edge in enumerate(np.arange(stairs.start, EDGE, stairs.tread)):
        height = (step + 1) * stairs.rise
        spec.worldbody.add_geom(
            name=f"step_{step}",
            type=BOX,
            size=(HALF_WIDTH, 0.5 * stairs.tread, 0.5 * height),
            pos=(0.0, edge + 0.5 * stairs.tread, 0.5 * height + lower),
            material="grid",
            contype=0,
            conaffinity=1,
            **contact_settings(preset, friction),
        )
