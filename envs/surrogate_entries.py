"""What is observed of the robots of `MultipodQuasistatic-v1`, and the names of its entries and actions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..analytic.models.multipod import MultipodParams
from .observations import Observation, labelled

if TYPE_CHECKING:
    from .surrogate import QuasistaticConfig, Surrogate

TYPICAL = {"height": 0.1, "velocity": 0.1, "angular_velocity": 1.0, "joint_angle": 0.2, "compression": 0.005}
TYPICAL |= {"correction": 0.2}  # typical values of entries of the observation, in their units, where not 1


def flat(values: np.ndarray) -> np.ndarray:
    """Return the values of each robot in a row, shape (n, ...)."""
    return values.reshape(len(values), -1)


def _gravity(s: Surrogate) -> np.ndarray:
    _, roll, pitch = s.robots.posture.T
    return np.stack([np.sin(pitch), -np.cos(pitch) * np.sin(roll), -np.cos(pitch) * np.cos(roll)], axis=-1)


def _velocity(s: Surrogate) -> np.ndarray:
    return np.column_stack([s.robots.twist[:, :2], s.robots.posture_rate[:, 0]])


def _compression(s: Surrogate) -> np.ndarray:
    return s.robots.force[..., 2] * (1.0 / s.robots.params.leaf_k)


def _clock(s: Surrogate) -> np.ndarray:
    phase = 2 * np.pi * s.cycles
    return np.column_stack([np.cos(phase), np.sin(phase)])


def joint_names(params: MultipodParams) -> tuple[str, ...]:
    """Return the names of a robot's joints."""
    return tuple(f"{joint}_{k}" for k in range(params.n_segments) for joint in ("yaw", "roll"))


def action_names(config: QuasistaticConfig) -> tuple[str, ...]:
    """Return the name of every entry of an action."""
    quickens = config.action_mode == "residual" and config.tempo_range > 1.0
    return joint_names(config.robot) + (("tempo",) if quickens else ())


def entries(config: QuasistaticConfig) -> dict[str, Observation]:
    """Return the observation of a robot: names, order and sizes are those of `Multipod-v1` in the same action mode.

    There is no `joint_lead`: joints are at their set-points.
    """
    joints, legs, axes = joint_names(config.robot), tuple(config.robot.leg_names()), ("forward", "left", "up")
    known = [
        ("height", ("height",), 10, "m", "body above the ground below it", lambda s: s.robots.posture[:, :1]),
        ("gravity", axes, 1, "1", "direction of gravity, body frame", _gravity),
        ("velocity", axes, 100, "m/s", "of the body, body frame; up: its height's change", _velocity),
        (
            "angular_velocity",
            axes,
            1e3,
            "rad/s",
            "of the body, about the same; of the first two the tilt's change",
            lambda s: np.column_stack([s.robots.posture_rate[:, 1:], s.robots.twist[:, 2]]),
        ),
        ("joint_angle", joints, 10, "rad", "of the driven joints", lambda s: flat(s.robots.angle)),
        ("joint_speed", joints, 1e3, "rad/s", "of the driven joints", lambda s: flat(s.robots.rate)),
        ("compression", legs, 10, "m", "by which a leg's spring lets its foot give way upward", _compression),
        ("foot_contact", legs, 1, "1", "1 where a foot carries load", lambda s: s.robots.force[..., 2] > 0.0),
        ("action", action_names(config), 1, "1", "the last action", lambda s: s.action),
    ]
    if config.action_mode == "residual":
        known += [
            ("clock", ("cosine", "sine"), 1, "1", "cosine and sine of the gait's phase", _clock),
            ("correction", joints, 10, "rad", "of the gait's angles, lagging the action", lambda s: s.correction),
        ]
    if "tempo" in action_names(config):
        text = "of the gait, lagging the action's last entry"
        known.append(("tempo", ("tempo",), 1, "1", text, lambda s: s.tempo[:, None]))
    return {name: labelled(*entry, typical=TYPICAL.get(name, 1.0)) for name, *entry in known}
