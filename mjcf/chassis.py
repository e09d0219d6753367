"""Appearance of the hexapod's body: plates, rails, battery and motors, without mass or contact.

The box `torso`, which hits the ground in a fall, is not drawn; this fills it, and only the computer, the aerial and the
motors' shafts stand out. The plates are geoms, by which the mouse can take hold of the body in a window.
"""

from __future__ import annotations

import mujoco
import numpy as np

from .look import PARTS, draw_box, draw_rod

PLATE, RAIL = 0.003, 0.007  # half thickness of a plate, half width of a rail [m]
MOTOR, SHAFT = 0.024, 0.013  # radii [m]
MOTOR_LENGTH = 0.05  # [m]


def draw_chassis(torso, half, hips: np.ndarray) -> None:
    """Draw a body of half extents [m], which walks along y, with legs that turn about x at its hips (n, 3) [m]."""
    x, y, z = half
    for name, level in (("top", z - PLATE), ("bottom", PLATE - z)):
        torso.add_geom(
            name=name,
            type=mujoco.mjtGeom.mjGEOM_BOX,
            size=(x, y if name == "bottom" else 0.86 * y, PLATE),
            pos=(0, 0, level),
            material="plate",
            contype=0,
            conaffinity=0,
            group=PARTS,
        )
    for side in (-1, 1):
        at = side * (x - RAIL)
        draw_box(torso, f"rail_{(side + 1) // 2}", (RAIL, y, 0.3 * z), (at, 0, 0), "metal")
    for number, at in enumerate((-0.55 * y, 0.4 * y)):
        draw_box(torso, f"battery_{number}", (0.42 * x, 0.22 * y, 0.7 * z), (0, at, 0), "battery")
    draw_box(torso, "computer", (0.5 * x, 0.2 * y, 0.25 * z), (0, 0.3 * y, z + 0.25 * z), "dark")
    draw_rod(torso, "aerial", (-0.6 * x, -0.7 * y, z), (-0.6 * x, -0.75 * y, 3.5 * z), 0.002, "dark")
    for leg, hip in enumerate(hips):
        _motor(torso, leg, hip, x)


def _motor(torso, leg: int, hip: np.ndarray, wall: float) -> None:
    """Draw the motor inside the wall, its flange outside, and the shaft to the hub that carries the leg."""
    out = np.array([np.sign(hip[0]), 0.0, 0.0])
    at = hip * (0, 1, 1) + wall * out
    rods = (
        (f"motor_{leg}", at - MOTOR_LENGTH * out, at + 0.004 * out, MOTOR, "dark"),
        (f"shaft_{leg}", at, hip, SHAFT, "metal"),
        (f"hip_{leg}", hip - 0.014 * out, hip + 0.014 * out, 0.85 * MOTOR, "dark"),
    )
    for name, start, end, radius, material in rods:
        draw_rod(torso, name, start, end, radius, material, flat=True)
