"""An environment of a robot of the user's own: an MJCF file with named feet, registered by one call.

    from tarsus.envs import own_robot

    own_robot.register("Dog-v0", "dog.xml", feet=("FL", "FR", "RL", "RR"))
    env = gymnasium.make("Dog-v0", terrain="rough")

It observes and terminates as the project's other robots with a free body do, and takes their options. A step is worth
about 1 at the robot's typical speed, and 0.25 at rest.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np

from ..mjcf.own_robot import OwnRobot
from .base import LeggedEnv
from .free_body import FreeBodyTask
from .own_task import OwnRobotTask
from .vector import LeggedVectorEnv

OBSERVATIONS_0_2 = FreeBodyTask.DEFAULT[:8]  # the entries that were observed in 0.2.0 of the task "forward"
FROUDE = 0.5  # speed over that of a fall from the body's height, of a robot that nothing else is known of
TRIAL, SETTLING = 6.0, 2.0  # how long a baseline is tried, and from when on its speed and power count [s]
LEAST_SPEED = 0.02  # of a baseline that walks, as a share of the speed by `FROUDE`
UNTRIED = ("randomise", "randomise_contact", "push_speed", "action_delay", "terrain", "terrain_difficulty")


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
    pose: Mapping[str, float] | None = None,
    changes: Mapping[str, Any] | None = None,
    max_episode_steps: int = 1000,
    **options,
) -> OwnRobot:
    """Register a robot with Gymnasium, for `make` and `make_vec`, after building it once; replace one of that name.

    A `baseline` is tried for a few seconds. Its speed and power are the `typical_speed` and `typical_power` that the
    reward is relative to, unless they are given. Without one the speed is that at which a walk has a Froude number of
    a quarter, half the root of gravity times the body's height.

    Args:
        name: Of the environment, as in "Dog-v0".
        mjcf: The MJCF file, or its text.
        feet: Names of the spheres, capsules or boxes that are its feet, in the order in which they are to be numbered.
        friction: Coefficient of the ground.
        g: Gravity [m/s^2].
        forward: Axis of the body that is forward, "x" or "y".
        reach: What an action of 1 adds to every control at rest, in its unit; by default half its range.
        pose: Joint angles at the start, by joint [rad] or [m]; by default those of the first keyframe, or near 0.
        changes: Factors and offsets on parts of the file, such as {"body_mass": 1.2}; see `mjcf.own_parts`.
        max_episode_steps: Steps after which an episode is truncated.
        options: Of the environment, such as `baseline`, `rewards` or `task`; keywords of `make` go before them.

    Returns:
        The robot.

    Raises:
        ValueError: If the robot or an option is impossible, or the baseline falls; the sentence says what is allowed.
        TypeError: If an option is unknown.
    """
    robot = OwnRobot(mjcf, feet, friction, g, forward, reach, pose or {}, changes or {})
    task = OwnRobotTask(shape=(), params=robot, **options)
    found = {"typical_speed": FROUDE * float(np.sqrt(g * max(task.stands_at, 1e-3)))}
    if task.config.baseline is not None:
        speed, power = tried(robot, options)
        if speed > LEAST_SPEED * found["typical_speed"]:
            found = {"typical_speed": speed}
        found["typical_power"] = power
    gymnasium.registry.pop(name, None)
    gymnasium.register(
        id=name,
        entry_point="tarsus.envs.own_robot:OwnRobotEnv",
        vector_entry_point="tarsus.envs.own_robot:OwnRobotVectorEnv",
        max_episode_steps=max_episode_steps,
        kwargs={"params": robot, **found, **options},
    )
    return robot


def tried(robot: OwnRobot, options: Mapping[str, Any]) -> tuple[float, float]:
    """Return the mean forward speed [m/s] and power [W] of a robot's baseline on flat ground.

    Raises:
        ValueError: If it falls; the sentence says when and how.
    """
    env = OwnRobotEnv(params=robot, **{n: value for n, value in options.items() if n not in UNTRIED})
    env.reset(seed=0)
    action, speeds, powers = np.zeros(env.action_space.shape, np.float32), [], []
    for k in range(round(TRIAL / env.ctrl_dt)):
        *_, terminated, _, info = env.step(action)
        if terminated:
            raise ValueError(
                f"the baseline falls by itself after {(k + 1) * env.ctrl_dt:.2f} s: {info['termination']}; "
                f"an action of 0 has to stand or walk for {TRIAL:g} s on flat ground"
            )
        if info["time"] > SETTLING:
            speeds.append(float(info["speed"])), powers.append(float(env.task.power()))
    env.close()
    return float(np.mean(speeds)), max(float(np.mean(powers)), 1e-9)
