"""What `HoppingLeg-v0` asks for: its configuration, its tasks and the terms of their rewards."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np

from ..analytic.models.hopping_leg import HoppingLegParams
from ..analytic.terrain import Terrain, make
from ..mjcf.hopping_leg import PRESETS
from ..mjcf.hopping_leg_parameters import RANDOMISABLE
from ..mjcf.presets import Preset, find
from . import rewards
from .hopping_leg_observations import Frame
from .task import n_substeps_of

TASKS = ("forward", "commanded")
REWARDS: dict[str, dict[str, tuple[float, str]]] = {  # weight and meaning of each term, by task
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
FIXED_AT_MAKE = ("task", "observations")  # they shape the spaces
REMAKE_MODEL = ("params", "terrain", "preset", "ctrl_dt", "randomise")  # a change of these needs a new model


@dataclass(frozen=True)
class HoppingLegConfig:
    """Everything about the environment that can be changed: keywords of `make`, most also options of `reset`."""

    params: HoppingLegParams = DRIVEN  # the leg; by default its motors have limits
    task: str = "forward"  # or "commanded": follow a speed
    terrain: str | Terrain = "flat"  # a terrain or its name
    reroll_terrain: bool = True  # a seeded terrain gets a new seed from each episode's
    preset: str | Preset = "rl"  # contact and timestep settings
    observations: Sequence[str] | None = None  # names of the entries; by default those of the task
    ctrl_dt: float = 0.005  # control period, a multiple of the preset's timestep [s]
    reset_noise: float = 0.02  # standard deviation of pitch, hip and knee [rad], and of velocities [rad/s]
    randomise: Mapping[str, tuple[float, float]] = field(default_factory=dict)  # factors on parameters, drawn at reset
    reward_weights: Mapping[str, float] = field(default_factory=dict)  # of terms to weigh differently
    command_speed: tuple[float, float] = (-0.5, 1.5)  # range of the commanded speed [m/s]
    command_period: float = 4.0  # between new commands [s]

    def __post_init__(self) -> None:
        if self.task not in TASKS:
            raise ValueError(f"unknown task {self.task!r}; there are {', '.join(TASKS)}")
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
        n_substeps_of(self.ctrl_dt, find(self.preset, PRESETS).timestep)

    def changed(self, options: Mapping[str, Any], fixed: Sequence[str] = ()) -> HoppingLegConfig:
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
    return {"speed": rewards.track(speed, frame.command, SPEED_WIDTH)} | terms
