"""What `SlipLeg-v0` asks for: its configuration, its tasks and the terms of their rewards."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ..analytic.models.slip_leg import SlipLegParams
from ..mjcf.slip_leg import PRESETS, RANDOMISABLE
from . import rewards
from .config import TaskConfig, Terms
from .slip_leg_observations import Frame

SPEED_WIDTH = 0.5  # [m/s]
FALLEN = 0.3  # height of the base above the ground below which the leg has fallen [m]
REWARDS: dict[str, Terms] = {  # weight and meaning of each term, by task
    "forward": {
        "forward": (1.0, "forward speed along the world's x [m/s]"),
        "power": (-0.0005, "absolute mechanical power of hip and knee [W]"),
        "action_change": (-0.01, "squared change of the action"),
        "healthy": (0.5, "1 until the episode terminates"),
    },
    "commanded": {
        "speed": (1.0, "exp(-((forward speed - command) / 0.5 m/s)^2)"),
        "power": (-0.0005, "absolute mechanical power of hip and knee [W]"),
        "action_change": (-0.01, "squared change of the action"),
        "healthy": (0.5, "1 until the episode terminates"),
    },
}


@dataclass(frozen=True)
class SlipLegConfig(TaskConfig):
    """Everything about `SlipLeg-v0` that can be changed: keywords of `gymnasium.make`, most also options of `reset`."""

    REWARDS = REWARDS
    RANDOMISABLE = RANDOMISABLE
    PRESETS = PRESETS
    ACTION_MODES = ("torque", "position")

    params: SlipLegParams = field(default_factory=SlipLegParams)  # the robot
    ctrl_dt: float = 0.002  # control period, a multiple of the preset's timestep [s]
    reset_noise: float = 0.01  # standard deviation of joint angles [rad], and of velocities [m/s], [rad/s]
    command_speed: tuple[float, float] = (1.5, 3.0)  # range of the commanded forward speed [m/s]
    action_mode: str = "torque"  # or "position"
    apex_height: float = 0.62  # of the centre of mass at the start [m]
    speed: float = 2.5  # forward at the start [m/s]

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.apex_height >= 0:
            raise ValueError(f"apex_height must not be negative, got {self.apex_height}")


def reward_terms(task: str, frame: Frame, speed: np.ndarray, last_action: np.ndarray) -> dict[str, np.ndarray]:
    """Return the unweighted reward terms of a task, each of shape (...,).

    Args:
        task: One of `REWARDS`.
        frame: The state at the end of the control period.
        speed: Mean forward speed of the base over the period, shape (...,) [m/s].
        last_action: The action before `frame.action`, shape (..., 2).
    """
    terms = {
        "power": rewards.power(frame.torque, frame.qvel[..., 2:]),
        "action_change": rewards.squared_change(frame.action, last_action),
        "healthy": 1.0,
    }
    if task == "forward":
        return {"forward": speed} | terms
    return {"speed": rewards.track(speed, frame.command[..., 0], SPEED_WIDTH)} | terms
