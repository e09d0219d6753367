"""What the walkers `Multipod-v0` and `BigAnt-v0` ask for: their configuration, tasks and terms of the reward."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from . import rewards
from .actions import ACTION_MODES
from .config import TaskConfig, Terms
from .measure import heading
from .walker_observations import FORWARD_AXIS, Frame

_SHARED = {
    "power": (-0.002, "absolute mechanical power of the joints [W]"),
    "action_change": (-0.005, "squared change of the action, mean over its entries"),
    "healthy": (0.05, "1 until the episode terminates"),
}
REWARDS: dict[str, Terms] = {  # weight and meaning of each term, by task
    "forward": {
        "forward": (1.0, "forward speed along the world's x [m/s]"),
        "drift": (-0.2, "sideways speed along the world's y, absolute [m/s]"),
    }
    | _SHARED,
    "commanded": {
        "speed": (1.0, "exp(-((forward speed - command) / 0.05 m/s)^2), body frame"),
        "yaw_rate": (0.5, "exp(-((yaw rate - command) / 0.15 rad/s)^2)"),
    }
    | _SHARED,
}
SPEED_WIDTH, YAW_RATE_WIDTH = 0.05, 0.15  # [m/s], [rad/s]


@dataclass(frozen=True)
class WalkerConfig(TaskConfig):
    """Everything about a walker that can be changed: keywords of `gymnasium.make`, most also options of `reset`."""

    REWARDS = REWARDS
    ACTION_MODES = ACTION_MODES

    task: str = "forward"  # or "commanded": follow a forward speed and a yaw rate
    command_speed: tuple[float, float] = (0.0, 0.15)  # range of the commanded forward speed [m/s]
    command_yaw_rate: tuple[float, float] = (-0.3, 0.3)  # range of the commanded yaw rate [rad/s], left positive
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
        last_action: The action before `frame.action`, shape (..., n).
    """
    terms = {
        "power": rewards.power(frame.torque, frame.joint_speed),
        "action_change": rewards.squared_change(frame.action, last_action) / last_action.shape[-1],
        "healthy": 1.0,
    }
    if task == "forward":
        return {"forward": velocity_w[..., 0], "drift": np.abs(velocity_w[..., 1])} | terms
    forward = np.vecdot(velocity_w, heading(frame.rotation, FORWARD_AXIS))
    yaw_rate = np.vecdot(frame.rotation[..., 2, :], frame.qvel[..., 3:6])
    return {
        "speed": rewards.track(forward, frame.command[..., 0], SPEED_WIDTH),
        "yaw_rate": rewards.track(yaw_rate, frame.command[..., 1], YAW_RATE_WIDTH),
    } | terms
