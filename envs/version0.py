"""The environments `-v0` of machines whose defaults have changed since: same machines, the defaults they had.

Each has a configuration with the former values and weights of the reward, and the classes that use it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..mjcf import hopping_leg as hopping_leg_model
from ..mjcf import slip_leg as slip_leg_model
from . import bigant, hopping_leg, multipod, slip_leg
from .commands import WEIGHTS, tracked
from .config import Terms
from .leg import JOINTS, LegEnv
from .measure import squared_change
from .observations import labelled
from .vector import LeggedVectorEnv
from .walker import WalkerConfig, WalkerEnv, WalkerTask

GIVE = 0.1  # of the end stops of SlipLeg-v0: a joint that is driven further past one has broken [rad]


def reweighed(rewards: dict[str, Terms], **weights: dict[str, float]) -> dict[str, Terms]:
    """Return the terms of each task with other weights, given by task."""
    return {
        task: {name: (weight, rewards[task][name][1]) for name, weight in terms.items()}
        for task, terms in weights.items()
    }


class OfLegs:
    """What differs in both legs: rewards of the sum of squared changes and speeds of any size, no springs as end stops.

    Attributes:
        BROKEN: What is said where hip and knee are beyond an angle, the lowest of these and the highest [rad].
    """

    change, stops = staticmethod(squared_change), False
    BROKEN: ClassVar[tuple[tuple[str, float, float], ...]]

    def failures(self) -> dict[str, np.ndarray]:
        """Return whether the leg has fallen, or is where no leg could be, shape (...,), by the reason."""
        found, joints = super().failures(), self.qpos.T
        for k, (why, low, high) in enumerate(self.BROKEN, 2):
            angle = joints[k]
            found[why] = (angle < low) | (angle > high)
        return found

    def paid_speed(self):
        """Return the speed that is paid, shape (...,) [m/s]."""
        return self.velocity


@dataclass(frozen=True)
class HoppingLeg0Config(hopping_leg.HoppingLegConfig):
    """The options of `HoppingLeg-v0`."""

    REWARDS = reweighed(
        hopping_leg.REWARDS,
        forward={"forward": 1.0, "power": -0.002, "action_change": -0.005, "healthy": 0.05},
        commanded={"speed": 1.0, "power": WEIGHTS["power"], "action_change": -0.005, "healthy": WEIGHTS["healthy"]},
    )
    ctrl_dt: float = 0.005
    scaled: bool = False
    action_mode: str = "torque"


def _force(task) -> np.ndarray:
    """Return the force on the foot in the order that it had: outward along the boom, forward, up."""
    return hopping_leg.foot_force(task)[..., (1, 0, 2)] * (-1.0, 1.0, 1.0)


class HoppingLeg0Task(OfLegs, hopping_leg.HoppingLegTask):
    """The task of `HoppingLeg-v0`."""

    config_class = HoppingLeg0Config
    OBSERVATIONS = hopping_leg.OBSERVATIONS | {
        "foot_force": labelled(
            ("outward", "forward", "up"),
            1e5,
            "N",
            "of the ground on the foot, along the boom and the hip's way",
            _force,
        )
    }
    BROKEN = (
        ("broke: the thigh is above the hip", *hopping_leg_model.JOINT_RANGES[0]),
        ("broke: the knee is beyond its end stops", *hopping_leg_model.JOINT_RANGES[1]),
    )


class HoppingLeg0Env(LegEnv):
    """The leg on its boom as it was."""

    task_class = HoppingLeg0Task


class HoppingLeg0VectorEnv(LeggedVectorEnv):
    """Many such legs."""

    task_class = HoppingLeg0Task


@dataclass(frozen=True)
class SlipLeg0Config(slip_leg.SlipLegConfig):
    """The options of `SlipLeg-v0`."""

    REWARDS = reweighed(
        slip_leg.REWARDS,
        forward={"forward": 1.0, "power": -0.0005, "action_change": -0.01, "healthy": 0.5},
        commanded={"speed": 1.0, "power": -0.0002, "action_change": -0.01, "healthy": 0.1},
    )
    ctrl_dt: float = 0.002
    command_speed: tuple[float, float] = (1.5, 3.0)
    scaled: bool = False
    action_mode: str = "torque"


class SlipLeg0Task(OfLegs, slip_leg.SlipLegTask):
    """The task of `SlipLeg-v0`."""

    config_class = SlipLeg0Config
    BROKEN = tuple(
        (f"broke: the {joint} is past its end stop", low - GIVE, high + GIVE)
        for joint, (low, high) in zip(JOINTS, slip_leg_model.JOINT_RANGES, strict=True)
    )


class SlipLeg0Env(LegEnv):
    """The articulated leg as it was."""

    task_class = SlipLeg0Task


class SlipLeg0VectorEnv(LeggedVectorEnv):
    """Many such legs."""

    task_class = SlipLeg0Task


class OfWalkers(WalkerTask):
    """What walkers observed, and the middle of a gait's ranges, which they corrected."""

    DEFAULT, GAIT = WalkerTask.DEFAULT, None
    gait_corrected = WalkerTask.gait_corrected


@dataclass(frozen=True)
class Multipod0Config(multipod.MultipodConfig):
    """The options of `Multipod-v0`."""

    REWARDS = WalkerConfig.REWARDS
    action_mode: str = "velocity"
    residual_lag: float = 0.09
    tempo_range: float = 1.0
    scaled: bool = False


class Multipod0Task(OfWalkers, multipod.MultipodTask):
    """The task of `Multipod-v0`."""

    config_class = Multipod0Config


class Multipod0Env(WalkerEnv):
    """The multipod as it was."""

    task_class = Multipod0Task


class Multipod0VectorEnv(LeggedVectorEnv):
    """Many such multipods."""

    task_class = Multipod0Task


@dataclass(frozen=True)
class BigAnt0Config(bigant.BigAntConfig):
    """The options of `BigAnt-v0`."""

    REWARDS = WalkerConfig.REWARDS | {"commanded": WalkerConfig.REWARDS["commanded"] | tracked(bigant.WIDTHS)}
    action_mode: str = "velocity"
    residual_lag: float = 0.09
    tempo_range: float = 1.0
    scaled: bool = False


class BigAnt0Task(OfWalkers, bigant.BigAntTask):
    """The task of `BigAnt-v0`."""

    config_class = BigAnt0Config


class BigAnt0Env(WalkerEnv):
    """BigANT as it was."""

    task_class = BigAnt0Task


class BigAnt0VectorEnv(LeggedVectorEnv):
    """Many such BigANTs."""

    task_class = BigAnt0Task
