"""What `SlipLeg-v0` asks for: its configuration, its tasks and the terms of their rewards."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np

from ..analytic.models.slip_leg import SlipLegParams
from ..analytic.terrain import Terrain, make
from ..mjcf.presets import Preset, find
from ..mjcf.slip_leg import PRESETS
from ..mjcf.slip_leg_parameters import RANDOMISABLE
from . import rewards
from .slip_leg_observations import Frame
from .task import n_substeps_of

TASKS = ("forward", "commanded")
ACTION_MODES = ("torque", "position")
SPEED_WIDTH = 0.5  # [m/s]
FALLEN = 0.3  # height of the base above the ground below which the leg has fallen [m]
REWARDS: dict[str, dict[str, tuple[float, str]]] = {  # weight and meaning of each term, by task
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
FIXED_AT_MAKE = ("task", "action_mode", "observations")  # they shape the spaces
REMAKE_MODEL = ("params", "terrain", "preset", "ctrl_dt", "randomise")  # a change of these needs a new model


@dataclass(frozen=True)
class SlipLegConfig:
    """Everything about `SlipLeg-v0` that can be changed: keywords of `gymnasium.make`, most also options of `reset`."""

    params: SlipLegParams = field(default_factory=SlipLegParams)  # the robot
    task: str = "forward"  # or "commanded": follow a forward speed
    terrain: str | Terrain = "flat"  # a terrain or its name
    reroll_terrain: bool = True  # a seeded terrain gets a new seed from each episode's
    preset: str | Preset = "rl"  # contact and timestep settings
    action_mode: str = "torque"  # or "position"
    observations: Sequence[str] | None = None  # names of the entries; by default those of the task
    ctrl_dt: float = 0.002  # control period, a multiple of the preset's timestep [s]
    apex_height: float = 0.62  # of the centre of mass at the start [m]
    speed: float = 2.5  # forward at the start [m/s]
    reset_noise: float = 0.01  # standard deviation of joint angles [rad], and of velocities [m/s], [rad/s]
    randomise: Mapping[str, tuple[float, float]] = field(default_factory=dict)  # factors on parameters, drawn at reset
    reward_weights: Mapping[str, float] = field(default_factory=dict)  # of terms to weigh differently
    command_speed: tuple[float, float] = (1.5, 3.0)  # range of the commanded forward speed [m/s]
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
        for name in ("reset_noise", "apex_height"):
            if not getattr(self, name) >= 0:
                raise ValueError(f"{name} must not be negative, got {getattr(self, name)}")
        if not self.command_period > 0:
            raise ValueError(f"command_period must be positive, got {self.command_period}")
        make(self.terrain)
        n_substeps_of(self.ctrl_dt, find(self.preset, PRESETS).timestep)

    def changed(self, options: Mapping[str, Any], fixed: Sequence[str] = ()) -> SlipLegConfig:
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


def reward_terms(task: str, frame: Frame, speed: np.ndarray, last_action: np.ndarray) -> dict[str, np.ndarray]:
    """Return the unweighted reward terms of a task, each of shape (...,).

    Args:
        task: One of `TASKS`.
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
