"""The planner on the sliding model as a policy of the multipods' environments."""

from collections.abc import Callable, Mapping

import gymnasium
import numpy as np

from tarsus.analytic.models.sliding_walk import SlidingWalk
from tarsus.controllers.connection_mpc import ConnectionMPC
from tarsus.controllers.connection_policy import ConnectionPolicy, SteeredGait
from tarsus.controllers.path import Path

AHEAD = Path([[0.0, 0.0], [1.0, 0.0]], 0.08)  # straight on; the longest strides make 0.09 m/s


def pose_of(base: gymnasium.Env, noise: tuple[float, float] = (0.0, 0.0), seed: int = 0) -> Callable:
    """Return a function that measures x, y and heading of a multipod in its environment, (3,) [m, m, rad].

    `noise` has the standard deviations of places [m] and of the heading [rad].
    """
    rng, deviation = np.random.default_rng(seed), np.array([noise[0], noise[0], noise[1]])

    def measure(info: Mapping) -> np.ndarray:
        x, y = info["position"][:2]
        if "heading" in info:
            heading = info["heading"]
        else:
            along, across = base.task.forward_axis
            heading = np.arctan2(across, along)
        return np.array([x, y, heading]) + deviation * rng.standard_normal(3)

    return measure


def connection_mpc(env: gymnasium.Env, seed: int, path: Path = AHEAD, **noise) -> ConnectionPolicy:
    """Follow a path, by default straight on from where the robot stands; `noise` as of `pose_of`."""
    base = env.unwrapped
    walk = SlidingWalk(base.params)
    pose = pose_of(base, seed=seed, **noise)
    return ConnectionPolicy(lambda: SteeredGait(ConnectionMPC(walk, path)), pose, base.ctrl_dt, base.action_scale)
