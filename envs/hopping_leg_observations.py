"""The hopping leg's observation: one dictionary is its order, names, sizes, bounds and documentation.

Every entry is a function of a `Frame` and returns an array of shape (..., size); leading dimensions serve parallel
simulations. A new observation is a line in `OBSERVATIONS`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..analytic.models.hopping_leg import HoppingLegParams, Places
from .observations import Observation

SCAN = (-0.2, 0.0, 0.2, 0.4)  # where the height scan looks, along the hip's way [m]


@dataclass(slots=True)
class Frame:
    """What a simulation knows at the end of a control period. Leading dimensions `...` for parallel simulations."""

    params: HoppingLegParams  # the nominal leg: its lengths are never drawn
    qpos: np.ndarray  # (..., 4) yaw, pitch, hip, knee [rad]
    qvel: np.ndarray  # (..., 4) [rad/s]
    places: Places  # of leg, hip and foot, with sines and cosines of qpos
    foot: np.ndarray  # (..., 4) whether the foot touches, and the force on it in the world [N]
    torque: np.ndarray  # (..., 2) of hip and knee [N m]
    action: np.ndarray  # (..., 2) the last
    command: np.ndarray  # (..., 1) speed [m/s]
    height: np.ndarray  # (...,) of the hip above the ground below it [m]
    ground: Callable  # height of the ground [m] at world x, y


def _both(k: int) -> Callable:
    """Return the entry of cosine and sine of angle k."""

    def value(frame: Frame) -> np.ndarray:
        both = np.empty((*frame.qpos.shape[:-1], 2))
        both[..., 0], both[..., 1] = frame.places.cosine[..., k], frame.places.sine[..., k]
        return both

    return value


def _foot_force(frame: Frame) -> np.ndarray:
    """Return the force on the foot along the boom's radius, along the hip's way, and up."""
    cosine, sine = frame.places.cosine[..., 0], frame.places.sine[..., 0]
    x, y = frame.foot[..., 1], frame.foot[..., 2]
    return np.stack([cosine * x + sine * y, cosine * y - sine * x, frame.foot[..., 3]], axis=-1)


def _height_scan(frame: Frame) -> np.ndarray:
    """Return how high the hip is above points of the ground on its circle."""
    angle = np.array(SCAN) / frame.params.LB
    cosine, sine = np.cos(angle), np.sin(angle)
    hip = frame.places.hip
    x, y = hip[..., 0:1], hip[..., 1:2]
    return hip[..., 2:3] - frame.ground(cosine * x - sine * y, sine * x + cosine * y)


OBSERVATIONS: dict[str, Observation] = {
    "height": Observation(1, 10, "m", "hip above the ground below it", lambda f: f.height[..., None]),
    "speed": Observation(1, 100, "m/s", "of the hip along its circle", lambda f: f.params.LB * f.qvel[..., 0, None]),
    "pitch": Observation(1, 10, "rad", "of the boom; positive is tip down", lambda f: f.qpos[..., 1, None]),
    "pitch_rate": Observation(1, 1e3, "rad/s", "its rate", lambda f: f.qvel[..., 1, None]),
    "hip_angle": Observation(2, 1, "1", "cosine and sine of the hip angle", _both(2)),
    "knee_angle": Observation(2, 1, "1", "cosine and sine of the knee angle", _both(3)),
    "joint_speed": Observation(2, 1e3, "rad/s", "of hip and knee", lambda f: f.qvel[..., 2:]),
    "foot_position": Observation(2, 10, "m", "foot (y, z) in the frame before the hip", lambda f: f.places.leg),
    "foot_contact": Observation(1, 1, "1", "1 where the foot touches the ground", lambda f: f.foot[..., :1] > 0),
    "foot_force": Observation(3, 1e5, "N", "of the ground on the foot: outward, along the way, up", _foot_force),
    "yaw": Observation(2, 1, "1", "cosine and sine of the boom's yaw", _both(0)),
    "torque": Observation(2, 1e3, "N m", "of hip and knee", lambda f: f.torque),
    "height_scan": Observation(len(SCAN), 100, "m", "hip above points of the ground on its way", _height_scan),
    "action": Observation(2, 1, "1", "the last action", lambda f: f.action),
    "command": Observation(1, 100, "m/s", "speed asked for", lambda f: f.command, "commanded"),
}

ALWAYS = (
    *("height", "speed", "pitch", "pitch_rate", "hip_angle", "knee_angle", "joint_speed", "foot_position"),
    *("foot_contact", "action"),
)


def default_names(task: str) -> tuple[str, ...]:
    """Return the default entries of a task ("forward", "commanded")."""
    return ALWAYS + (("command",) if task == "commanded" else ())
