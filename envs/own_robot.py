"""An environment of a robot of the user's own: an MJCF file with named feet, registered by one call.

    from tarsus.envs import own_robot

    own_robot.register("Dog-v0", "dog.xml", feet=("FL", "FR", "RL", "RR"))
    env = gymnasium.make("Dog-v0", terrain="rough")

It observes, rewards and terminates as the project's other robots with a free body do, and takes their options.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import gymnasium
import mujoco
import numpy as np

from ..mjcf.own_robot import FORWARD, OwnRobot, build, rest_controls
from .base import LeggedEnv
from .free_body import FreeBodyConfig, FreeBodyTask
from .vector import LeggedVectorEnv


@dataclass(frozen=True)
class OwnRobotConfig(FreeBodyConfig):
    """The options of a robot of the user's own."""

    RANDOMISABLE = ("g", "friction")

    params: OwnRobot | None = None

    def __post_init__(self) -> None:
        if self.params is None:
            raise ValueError("params must be an OwnRobot(mjcf, feet); own_robot.register makes it")
        super().__post_init__()


class OwnRobotTask(FreeBodyTask):
    """An MJCF with named feet: what is simulated and asked for.

    An action of 0 holds the controls at rest: those of the first keyframe if it has some, else of a position servo its
    position there, of other actuators the middle of their range. An action of 1 adds `reach`, or half the range.
    """

    config_class = OwnRobotConfig

    def prepare(self) -> None:
        """Take the forward axis."""
        self.FORWARD = FORWARD.index(self.config.params.forward)

    def build(self, params, terrain, preset) -> mujoco.MjSpec:
        """Return the robot on its ground."""
        return build(params, terrain, preset)

    def make_room(self) -> None:
        """Keep what an action of 0 and of 1 mean.

        Raises:
            ValueError: If an actuator's control has no range and the robot no reach.
        """
        reach, model = self.config.params.reach, self.model
        self._rest = rest_controls(model)
        unlimited = [model.actuator(k).name for k in np.flatnonzero(self._half_range <= 0)]
        if reach is None and unlimited:
            raise ValueError(
                f"the actuators {', '.join(unlimited)} have no ctrlrange, so that an action of 1 means nothing; "
                "give them one, or the robot its reach"
            )
        self._reach = self._half_range.copy() if reach is None else np.full(model.nu, float(reach))

    @property
    def action_scale(self) -> np.ndarray:
        """What an action of 1 adds to every control at rest, in the control's unit, shape (nu,)."""
        return self._reach

    def controls(self, action: np.ndarray) -> np.ndarray:
        """Return the controls, shape (1, ..., nu), held; MuJoCo keeps them within their ranges."""
        return (self._rest + action * self._reach)[None]


class OwnRobotEnv(LeggedEnv):
    """One robot of the user's own."""

    task_class = OwnRobotTask


class OwnRobotVectorEnv(LeggedVectorEnv):
    """Many robots of the user's own."""

    task_class = OwnRobotTask


def register(
    name: str,
    mjcf: str | Path,
    feet: Sequence[str],
    *,
    friction: float = 1.0,
    g: float = 9.81,
    forward: str = "x",
    reach: float | None = None,
    max_episode_steps: int = 1000,
    **options,
) -> OwnRobot:
    """Register a robot with Gymnasium, for `make` and `make_vec`, after building it once; replace one of that name.

    Args:
        name: Of the environment, as in "Dog-v0".
        mjcf: The MJCF file, or its text.
        feet: Names of the spheres that are its feet, in the order in which they are to be numbered.
        friction: Coefficient of the ground.
        g: Gravity [m/s^2].
        forward: Axis of the body that is forward, "x" or "y".
        reach: What an action of 1 adds to every control at rest, in its unit; by default half its range.
        max_episode_steps: Steps after which an episode is truncated.
        options: Of the environment, such as `rewards`, `terrain` or `task`; keywords of `make` go before them.

    Returns:
        The robot.

    Raises:
        ValueError: If the robot or an option is impossible; the sentence says what is allowed.
        TypeError: If an option is unknown.
    """
    robot = OwnRobot(mjcf, feet, friction, g, forward, reach)
    OwnRobotTask(shape=(), params=robot, **options)
    gymnasium.registry.pop(name, None)
    gymnasium.register(
        id=name,
        entry_point="tarsus.envs.own_robot:OwnRobotEnv",
        vector_entry_point="tarsus.envs.own_robot:OwnRobotVectorEnv",
        max_episode_steps=max_episode_steps,
        kwargs={"params": robot, **options},
    )
    return robot
