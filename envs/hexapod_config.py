"""What `Hexapod-v0` asks for: its configuration, its tasks and the terms of their rewards."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np

from ..analytic.models.hexapod import HexapodParams
from ..analytic.terrain import Terrain, make
from ..mjcf.hexapod_parameters import RANDOMISABLE
from ..mjcf.presets import Preset, find
from . import rewards
from .actions import ACTION_MODES
from .measure import heading
from .observations import Frame
from .task import n_substeps_of

TASKS = ("forward", "commanded")
UPRIGHT = 0.5  # cosine of the tilt beyond which the robot has toppled: 60 degrees
REWARDS: dict[str, dict[str, tuple[float, str]]] = {  # weight and meaning of each term, by task
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
FIXED_AT_MAKE = ("task", "action_mode", "observations")  # they shape the spaces
REMAKE_MODEL = ("params", "terrain", "preset", "ctrl_dt", "randomise")  # a change of these needs a new model


@dataclass(frozen=True)
class HexapodConfig:
    """Everything about `Hexapod-v0` that can be changed: keywords of `gymnasium.make`, most also options of `reset`."""

    params: HexapodParams = field(default_factory=HexapodParams)  # the robot
    task: str = "forward"  # or "commanded": follow a forward speed and a yaw rate
    terrain: str | Terrain = "flat"  # a terrain or its name
    reroll_terrain: bool = True  # a seeded terrain gets a new seed from each episode's
    preset: str | Preset = "rl"  # contact and timestep settings
    action_mode: str = "velocity"  # or "torque", or "gait"
    observations: Sequence[str] | None = None  # names of the entries; by default those of the mode and task
    ctrl_dt: float = 0.02  # control period, a multiple of the preset's timestep [s]
    reset_noise: float = 0.05  # standard deviation of hip angles [rad], and of velocities [m/s], [rad/s]
    randomise: Mapping[str, tuple[float, float]] = field(default_factory=dict)  # factors on parameters, drawn at reset
    reward_weights: Mapping[str, float] = field(default_factory=dict)  # of terms to weigh differently
    command_speed: tuple[float, float] = (0.0, 0.5)  # range of the commanded forward speed [m/s]
    command_yaw_rate: tuple[float, float] = (-0.5, 0.5)  # range of the commanded yaw rate [rad/s], left positive
    command_period: float = 4.0  # between new commands [s]

    def __post_init__(self) -> None:
        for name, known in (("task", TASKS), ("action_mode", ACTION_MODES)):
            if getattr(self, name) not in known:
                raise ValueError(f"unknown {name} {getattr(self, name)!r}; there are {', '.join(known)}")
        for name in self.reward_weights:
            if name not in REWARDS[self.task]:
                raise ValueError(
                    f"unknown reward term {name!r}; task {self.task!r} has {', '.join(REWARDS[self.task])}"
                )
        for name, (low, high) in self.randomise.items():
            if name not in RANDOMISABLE:
                raise ValueError(f"cannot randomise {name!r}; there are {', '.join(RANDOMISABLE)}")
            if not 0 < low <= high:
                raise ValueError(f"the factors of {name!r} need 0 < low <= high, got ({low}, {high})")
        if not self.reset_noise >= 0:
            raise ValueError(f"reset_noise must not be negative, got {self.reset_noise}")
        if not self.command_period > 0:
            raise ValueError(f"command_period must be positive, got {self.command_period}")
        make(self.terrain)
        n_substeps_of(self.ctrl_dt, find(self.preset).timestep)

    def changed(self, options: Mapping[str, Any], fixed: Sequence[str] = ()) -> HexapodConfig:
        """Return the configuration with some options changed; refuse unknown ones and those in `fixed`."""
        known = [entry.name for entry in fields(self) if entry.name not in fixed]
        for name in options:
            if name not in known:
                raise ValueError(f"unknown option {name!r}; there are {', '.join(known)}")
        return replace(self, **options)

    @property
    def weights(self) -> dict[str, float]:
        """The weight of each reward term."""
        return {name: weight for name, (weight, _) in REWARDS[self.task].items()} | dict(self.reward_weights)


def reward_terms(task: str, frame: Frame, velocity_w: np.ndarray, last_action: np.ndarray) -> dict[str, np.ndarray]:
    """Return the unweighted reward terms of a task, each of shape (...,).

    Args:
        task: One of `TASKS`.
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
