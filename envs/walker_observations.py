"""The observation of a walker: one dictionary is its order, names, sizes, bounds and documentation.

Every entry is a function of a `Frame` and returns an array of shape (..., size); leading dimensions serve parallel
simulations. Entries per joint or leg grow with the machine, and `labels` says which joint or leg each number is of.
An observation beyond its bound means a diverged simulation. A new observation is a line in `pieces`; those in `DEFAULT`
are observed unless others are asked for.

The hexapod's own entries, which differ by its splayed legs, are in `observations`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from .measure import to_body
from .observations import SCAN_FORWARD, SCAN_RIGHT, Observation, height_scan

FORWARD_AXIS = 0  # of a walker's body frame: x forward, y left
AXES = ("x", "y", "z")
DEFAULT = (
    *("height", "gravity", "velocity", "angular_velocity", "joint_angle", "joint_cosine", "joint_sine", "joint_speed"),
    *("joint_lead", "compression", "foot_contact", "action", "command", "clock"),
)


@dataclass(frozen=True)
class Layout:
    """What a machine is made of, by name, and whether its joints turn all the way round."""

    joints: tuple[str, ...]  # the driven ones, in the order of actions and controls
    legs: tuple[str, ...]
    turning: bool


@dataclass(slots=True)
class Frame:
    """What a simulation knows at the end of a control period. Leading dimensions `...` for parallel simulations.

    Its arrays may be views into the simulation; whoever keeps one makes a copy.
    """

    qpos: np.ndarray  # (..., nq)
    qvel: np.ndarray  # (..., nv)
    rotation: np.ndarray  # (..., 3, 3) from body to world
    foot: np.ndarray  # (..., n_legs, 4) whether it touches, and the force on it in the world [N]
    accelerometer: np.ndarray  # (..., 3) [m/s^2]
    joint_angle: np.ndarray  # (..., n_joints) [rad]
    joint_speed: np.ndarray  # (..., n_joints) [rad/s]
    compression: np.ndarray  # (..., n_legs) by which each leg's spring lets its foot give way [m]
    torque: np.ndarray  # (..., n_joints) of the servos [N m]
    reference: np.ndarray  # (..., n_joints) the servos' set-points [rad]
    action: np.ndarray  # (..., n_actions) the last
    command: np.ndarray  # (..., 2) forward speed [m/s] and yaw rate [rad/s]
    cycles: np.ndarray  # (...,) the gait has gone
    height: np.ndarray  # (...,) of the body above the ground below it [m]
    ground: Callable  # height of the ground [m] at world x, y


@dataclass(frozen=True)
class Piece(Observation):
    """A named piece of the observation, with a name for each of its numbers."""

    labels: tuple[str, ...] = ()


def _piece(labels, bound: float, unit: str, text: str, value: Callable, needs: str = "") -> Piece:
    return Piece(len(labels), bound, unit, text, value, needs, tuple(labels))


def _clock(frame: Frame) -> np.ndarray:
    angle = 2 * np.pi * np.asarray(frame.cycles)[..., None]
    return np.concatenate([np.cos(angle), np.sin(angle)], axis=-1)


def _forces(frame: Frame) -> np.ndarray:
    return frame.foot[..., 1:].reshape(*frame.foot.shape[:-2], -1)


def _angles(layout: Layout) -> dict[str, Piece]:
    joints = layout.joints
    if not layout.turning:
        return {"joint_angle": _piece(joints, 10, "rad", "of the driven joints", lambda f: f.joint_angle)}
    return {
        "joint_cosine": _piece(joints, 1, "1", "cosines of the joints' angles", lambda f: np.cos(f.joint_angle)),
        "joint_sine": _piece(joints, 1, "1", "sines of the joints' angles", lambda f: np.sin(f.joint_angle)),
    }


def pieces(layout: Layout, actions: tuple[str, ...]) -> dict[str, Piece]:
    """Return every entry there is for a machine, whose actions have these names."""
    joints, legs = layout.joints, layout.legs
    scan = [f"{ahead:g} ahead, {right:g} right" for ahead in SCAN_FORWARD for right in SCAN_RIGHT]
    return {
        "height": _piece(("height",), 10, "m", "body above the ground below it", lambda f: f.height[..., None]),
        "gravity": _piece(AXES, 1, "1", "direction of gravity, body frame", lambda f: -f.rotation[..., 2, :]),
        "velocity": _piece(AXES, 100, "m/s", "of the body, body frame", lambda f: to_body(f.rotation, f.qvel[..., :3])),
        "angular_velocity": _piece(AXES, 1e3, "rad/s", "of the body, body frame", lambda f: f.qvel[..., 3:6]),
        **_angles(layout),
        "joint_speed": _piece(joints, 1e3, "rad/s", "of the driven joints", lambda f: f.joint_speed),
        "joint_lead": _piece(
            joints, 100, "rad", "set-point before the joint", lambda f: f.reference - f.joint_angle, "velocity or gait"
        ),
        "compression": _piece(
            legs, 10, "m", "by which a leg's spring lets its foot give way upward", lambda f: f.compression
        ),
        "foot_contact": _piece(legs, 1, "1", "1 where a foot touches the ground", lambda f: f.foot[..., 0]),
        "foot_force": _piece(
            [f"{leg}_{axis}" for leg in legs for axis in AXES],
            1e5,
            "N",
            "of the ground on each foot, world frame",
            _forces,
        ),
        "accelerometer": _piece(AXES, 1e5, "m/s^2", "of the body's IMU, body frame", lambda f: f.accelerometer),
        "height_scan": _piece(
            scan, 100, "m", "body above a grid of points on the ground", lambda f: height_scan(f, FORWARD_AXIS)
        ),
        "action": _piece(actions, 1, "1", "the last action", lambda f: f.action),
        "command": _piece(
            ("speed", "yaw_rate"), 100, "m/s, rad/s", "forward speed, yaw rate", lambda f: f.command, "commanded"
        ),
        "clock": _piece(("cosine", "sine"), 1, "1", "of the gait's phase", _clock, "gait"),
    }


def default_names(known: dict[str, Piece], action_mode: str, task: str) -> tuple[str, ...]:
    """Return those of `DEFAULT` that the machine has and that would not be constant with this mode and task."""
    return tuple(
        name
        for name in DEFAULT
        if name in known and (not known[name].needs or {action_mode, task} & set(known[name].needs.split(" or ")))
    )
