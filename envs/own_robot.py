"""An environment of a robot of the user's own: a file of MJCF or URDF, or an `MjSpec`, registered by one call.

    from tarsus.envs import own_robot

    own_robot.register("Mine-v0", "robot.urdf")
    env = gymnasium.make("Mine-v0", terrain="rough")

It observes and terminates as the project's other robots with a free body do, and takes their options. A step is worth
about 1 at the robot's typical speed, and 0.25 at rest.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import gymnasium
import mujoco

from ..mjcf.own_robot import OwnRobot
from . import own_verdict
from .base import LeggedEnv
from .kinds import from_keywords
from .own_baseline import CLOCK, of_file
from .own_task import OwnRobotTask
from .own_verdict import RobotWarning  # noqa: F401  for users to filter by
from .vector import LeggedVectorEnv


class OwnRobotEnv(LeggedEnv):
    """One robot of the user's own."""

    task_class = OwnRobotTask


class OwnRobotVectorEnv(LeggedVectorEnv):
    """Many robots of the user's own."""

    task_class = OwnRobotTask


def register(
    name: str,
    source: str | Path | mujoco.MjSpec,
    feet: str | Sequence[str] = "auto",
    *,
    friction: float | None = None,
    g: float = 9.81,
    forward: str = "x",
    reach: float | Mapping[str, float] | None = None,
    pose: str | Mapping[str, float] | None = None,
    changes: Mapping[str, Any] | None = None,
    servo: Any = "auto",
    keyframe: str | int | None = None,
    max_episode_steps: int = 1000,
    check: bool = True,
    **options,
) -> OwnRobot:
    """Register a robot with Gymnasium, for `make` and `make_vec`, after building it once; replace one of that name.

    The robot is tried at an action of 0 for a few seconds on flat ground. A `RobotWarning` each says that it does not
    stand, which of the file's options the preset replaces, and what else is not as in the file; there is none where
    nothing differs. By default the `baseline` that actions correct is "clock", a walk that is made for the robot
    (`own_clock`) if it works, else None: an action of 0 stands. A given one has to stand or walk forward. Its speed and
    power are the `typical_speed` and `typical_power` that the reward is relative to, unless they are given, the power
    not below that of a walk with a cost of transport of 0.2. Without a baseline the speed is that at which a walk has a
    Froude number of a quarter, half the root of gravity times the trunk's height.

    Args:
        name: Of the environment, as in "Dog-v0".
        source: The robot: the name of an MJCF or URDF file, its text, or an `MjSpec`.
        feet: Names of the geoms or bodies that are its feet, in the order in which they are to be numbered; or "auto",
            the ends of legs that are lowest at rest.
        friction: Coefficient of the ground; by default that of the file's feet on its floor, or without one the feet's.
        g: Gravity [m/s^2].
        forward: Axis of the file's world that the robot faces at rest, "x" or "y".
        reach: What an action of 1 adds to every control at rest, in its unit, or by actuator; by default 0.3 rad of a
            hinge's servo, of others half the range.
        pose: Joint angles at the start, by joint [rad] or [m]; by default those of the first keyframe, or near 0, or
            where these do not stand, found as by "found": all feet down with the least torque.
        changes: Factors and offsets on parts of the file, such as {"body_mass": 1.2}; see `mjcf.own_parts`.
        servo: Of joints that torque motors or nothing drive: (kp, kd) [N m/rad], [N m s/rad], such pairs by joint,
            "auto" (by weight and leg length, see `mjcf.own_servos`) or "file", which leaves them as they are.
        keyframe: Name or number of the keyframe in which it starts.
        max_episode_steps: Steps after which an episode is truncated.
        check: Whether to try the robot; without that nothing is said of it, no clock is found unless it has its
            `baseline_period`, and a baseline has no typical power.
        options: Of the environment, such as `baseline` (also the found.npz of `tarsus search baseline`), `rewards` or
            `task`; keywords of `make` go before them.

    Returns:
        The robot.

    Raises:
        ValueError: If the robot or an option is impossible, the robot diverges, or the baseline falls, lies or
            circles; the sentence says what is allowed.
        TypeError: If an option is unknown.
    """
    robot = OwnRobot(source, feet, friction, g, forward, reach, pose or {}, changes or {}, servo, keyframe)
    options = {"baseline": CLOCK} | options
    if isinstance(options["baseline"], str | Path) and str(options["baseline"]).endswith(".npz"):
        options |= of_file(options["baseline"])
    given = options | ({"baseline": None} if own_verdict.is_sought(options) else {})
    from_keywords(OwnRobotTask.config_class, {"params": robot, **given})
    exact = given.get("engine") == "exact"
    if not check or exact or not given.keys().isdisjoint(own_verdict.UNTRIED):
        task = OwnRobotTask(shape=(), params=robot, **given)
    if exact:
        from .exact.articulated import ExactArticulated

        ExactArticulated(task)  # refuses what it does not cover
    if check:
        verdict = own_verdict.examined(name, robot, options, OwnRobotEnv)
        own_verdict.warn(name, verdict.sentences)
        options |= verdict.options | {n: options[n] for n in ("typical_speed", "typical_power") if n in options}
    else:
        options = own_verdict.typical(None, task) | given
    gymnasium.registry.pop(name, None)
    gymnasium.register(
        id=name,
        entry_point="tarsus.envs.own_robot:OwnRobotEnv",
        vector_entry_point="tarsus.envs.own_robot:OwnRobotVectorEnv",
        max_episode_steps=max_episode_steps,
        kwargs={"params": robot, **options},
    )
    return robot
