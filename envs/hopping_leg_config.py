"""What `HoppingLeg-v0` asks for: its configuration, its tasks and the terms of their rewards."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..analytic.models.hopping_leg import HoppingLegParams
from ..mjcf.hopping_leg import PRESETS, RANDOMISABLE
from . import rewards
from .config import TaskConfig, Terms
from .hopping_leg_observations import Frame

REWARDS: dict[str, Terms] = {  # weight and meaning of each term, by task
    "forward": {
        "forward": (1.0, "speed of the hip along its circle [m/s]"),
        "power": (-0.002, "absolute mechanical power of hip and knee [W]"),
        "action_change": (-0.005, "squared change of the action"),
        "healthy": (0.05, "1 until the episode terminates"),
    },
    "commanded": {
        "speed": (1.0, "exp(-((speed - command) / 0.25 m/s)^2)"),
        "power": (-0.002, "absolute mechanical power of hip and knee [W]"),
        "action_change": (-0.005, "squared change of the action"),
        "healthy": (0.05, "1 until the episode terminates"),
    },
}
DRIVEN = HoppingLegParams(motor_mode="current")
SPEED_WIDTH = 0.25  # [m/s]


@dataclass(frozen=True)
class HoppingLegConfig(TaskConfig):
    """Everything about the environment that can be changed: keywords of `make`, most also options of `reset`."""

    REWARDS = REWARDS
    RANDOMISABLE = RANDOMISABLE
    PRESETS = PRESETS

    params: HoppingLegParams = DRIVEN  # the leg; by default its motors have limits
    ctrl_dt: float = 0.005  # control period, a multiple of the preset's timestep [s]
    reset_noise: float = 0.02  # standard deviation of pitch, hip and knee [rad], and of velocities [rad/s]
    command_speed: tuple[float, float] = (-0.5, 1.5)  # range of the commanded speed [m/s]


def reward_terms(task: str, frame: Frame, speed: np.ndarray, last_action: np.ndarray) -> dict[str, np.ndarray]:
    """Return the unweighted reward terms of a task, each of shape (...,).

    Args:
        task: One of `REWARDS`.
        frame: The state at the end of the control period.
        speed: Mean speed of the hip over the period, shape (...,) [m/s].
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
