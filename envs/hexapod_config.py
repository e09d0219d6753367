"""What `Hexapod-v0` asks for: its configuration, its tasks and the terms of their rewards."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ..analytic.models.hexapod import HexapodParams
from ..mjcf.hexapod import RANDOMISABLE
from . import rewards
from .actions import ACTION_MODES
from .config import TaskConfig, Terms
from .measure import heading
from .observations import Frame

REWARDS: dict[str, Terms] = {  # weight and meaning of each term, by task
    "forward": {
        "forward": (1.0, "forward speed along the world's y [m/s]"),
        "drift": (-0.2, "sideways speed along the world's x, absolute [m/s]"),
        "power": (-0.002, "absolute mechanical power of the hips [W]"),
        "action_change": (-0.005, "squared change of the action"),
        "healthy": (0.05, "1 until the episode terminates"),
    },
    "commanded": {
        "speed": (1.0, "exp(-((forward speed - command) / 0.1 m/s)^2), body frame"),
        "yaw_rate": (0.5, "exp(-((yaw rate - command) / 0.25 rad/s)^2)"),
        "power": (-0.002, "absolute mechanical power of the hips [W]"),
        "action_change": (-0.005, "squared change of the action"),
        "healthy": (0.05, "1 until the episode terminates"),
    },
}
SPEED_WIDTH, YAW_RATE_WIDTH = 0.1, 0.25  # [m/s], [rad/s]


@dataclass(frozen=True)
class HexapodConfig(TaskConfig):
    """Everything about `Hexapod-v0` that can be changed: keywords of `gymnasium.make`, most also options of `reset`."""

    REWARDS = REWARDS
    RANDOMISABLE = RANDOMISABLE
    ACTION_MODES = ACTION_MODES

    params: HexapodParams = field(default_factory=HexapodParams)  # the robot
    task: str = "forward"  # or "commanded": follow a forward speed and a yaw rate
    reset_noise: float = 0.05  # standard deviation of hip angles [rad], and of velocities [m/s], [rad/s]
    command_speed: tuple[float, float] = (0.0, 0.5)  # range of the commanded forward speed [m/s]
    command_yaw_rate: tuple[float, float] = (-0.5, 0.5)  # range of the commanded yaw rate [rad/s], left positive
    action_mode: str = "velocity"  # or "torque", or "gait"

    @property
    def command_ranges(self) -> tuple[tuple[float, float], ...]:
        """Of forward speed and yaw rate."""
        return self.command_speed, self.command_yaw_rate


def reward_terms(task: str, frame: Frame, velocity_w: np.ndarray, last_action: np.ndarray) -> dict[str, np.ndarray]:
    """Return the unweighted reward terms of a task, each of shape (...,).

    Args:
        task: One of `REWARDS`.
        frame: The state at the end of the control period.
        velocity_w: Mean velocity of the body over the period, world x and y, shape (..., 2) [m/s].
        last_action: The action before `frame.action`, shape (..., 6).
    """
    terms = {
        "power": rewards.power(frame.torque, frame.qvel[..., 6::3]),
        "action_change": rewards.squared_change(frame.action, last_action),
        "healthy": 1.0,
    }
    if task == "forward":
        return {"forward": velocity_w[..., 1], "drift": np.abs(velocity_w[..., 0])} | terms
    forward = np.vecdot(velocity_w, heading(frame.rotation))
    yaw_rate = np.vecdot(frame.rotation[..., 2, :], frame.qvel[..., 3:6])
    return {
        "speed": rewards.track(forward, frame.command[..., 0], SPEED_WIDTH),
        "yaw_rate": rewards.track(yaw_rate, frame.command[..., 1], YAW_RATE_WIDTH),
    } | terms
