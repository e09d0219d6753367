"""The SLIP leg's observation: one dictionary is its order, names, sizes, bounds and documentation.

Every entry is a function of a `Frame` and returns an array of shape (..., size); leading dimensions serve parallel
simulations. An observation beyond its bound means a diverged simulation.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from .observations import Observation

SCAN = (0.0, 0.15, 0.3, 0.45, 0.6)  # where the height scan looks, ahead of the base [m]


@dataclass(slots=True)
class Frame:
    """What a simulation knows at the end of a control period. Leading dimensions `...` for parallel simulations.

    Its arrays may be views into the simulation; whoever keeps one makes a copy.
    """

    qpos: np.ndarray  # (..., 4) base x, z [m], hip, knee [rad]
    qvel: np.ndarray  # (..., 4)
    foot: np.ndarray  # (..., 4) whether it touches, and the force on it in the world [N]
    toe: np.ndarray  # (..., 3) position of the foot in the world [m]
    torque: np.ndarray  # (..., 2) of hip and knee, in the last substep [N m]
    action: np.ndarray  # (..., 2) the last
    command: np.ndarray  # (..., 1) forward speed [m/s]
    height: np.ndarray  # (...,) of the base above the ground below it [m]
    ground: Callable  # height of the ground [m] at world x, y


def _foot_place(frame: Frame) -> np.ndarray:
    return frame.toe[..., ::2] - frame.qpos[..., :2]


def _height_scan(frame: Frame) -> np.ndarray:
    x = frame.qpos[..., :1] + np.array(SCAN)
    return frame.qpos[..., 1:2] - frame.ground(x, np.zeros_like(x))


OBSERVATIONS: dict[str, Observation] = {
    "height": Observation(1, 100, "m", "base above the ground below it", lambda f: f.height[..., None]),
    "velocity": Observation(2, 100, "m/s", "of the base, along x and z", lambda f: f.qvel[..., :2]),
    "joint_angle": Observation(2, 100, "rad", "of hip and knee", lambda f: f.qpos[..., 2:]),
    "joint_speed": Observation(2, 1e3, "rad/s", "of hip and knee", lambda f: f.qvel[..., 2:]),
    "foot_place": Observation(2, 10, "m", "foot from the base, along x and z", _foot_place),
    "foot_contact": Observation(1, 1, "1", "1 where the foot touches the ground", lambda f: f.foot[..., :1]),
    "foot_force": Observation(2, 1e6, "N", "of the ground on the foot, along x and z", lambda f: f.foot[..., 1::2]),
    "height_scan": Observation(len(SCAN), 100, "m", "base above points on the ground, up to 0.6 m ahead", _height_scan),
    "action": Observation(2, 1, "1", "the last action", lambda f: f.action),
    "command": Observation(1, 100, "m/s", "forward speed", lambda f: f.command, "commanded"),
}


def default_names(task: str) -> tuple[str, ...]:
    """Return the default entries of a task."""
    names = ("height", "velocity", "joint_angle", "joint_speed", "foot_place", "foot_contact", "action")
    return names + (("command",) if task == "commanded" else ())
