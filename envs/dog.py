"""`Dog-v0`: a dog of 12 kg with twelve servos trots forward, or as commanded, on a terrain of choice.

It is `mjcf/assets/robots/dog.xml` as a robot of the user's own (`own_robot`); an action corrects the clock that all
such robots have.
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..mjcf import own_robot
from .base import LeggedEnv
from .own_baseline import CLOCK
from .own_config import OwnRobotConfig
from .own_task import OwnRobotTask
from .vector import LeggedVectorEnv

FILE = Path(own_robot.__file__).parent / "assets" / "robots" / "dog.xml"
FEET = ("FL", "FR", "RL", "RR")


def robot() -> own_robot.OwnRobot:
    """The dog."""
    return own_robot.OwnRobot(FILE, FEET)


@dataclass(frozen=True)
class DogConfig(OwnRobotConfig):
    """The options of `Dog-v0`."""

    params: own_robot.OwnRobot = field(default_factory=robot)  # the robot
    baseline: Any = CLOCK  # what an action of 0 does: "clock", function(time, task), a table, or None, which stands
    typical_speed: float = 0.48  # of the clock [m/s]
    typical_power: float = 53.0  # of its actuators then [W]


class DogTask(OwnRobotTask):
    """The task of `Dog-v0`; tables are in `docs/envs/dog.md`."""

    config_class = DogConfig


class DogEnv(LeggedEnv):
    """One dog."""

    task_class = DogTask


class DogVectorEnv(LeggedVectorEnv):
    """Many dogs, each identical to a `DogEnv`."""

    task_class = DogTask
