"""A gait as a policy of `Multipod-v1` and `BigAnt-v1` in the mode "velocity": it uses an environment's `info` only."""

from collections.abc import Callable, Mapping

import numpy as np

from ..analytic.clock import wrap


class GaitPolicy:
    """A gait in the action mode "velocity": `policy(observation, info)` returns an action.

    Args:
        gait: `gait(t)` returns angles [rad] and rates of the joints, of any shape that ravels to their order.
        ctrl_dt: The environment's control period [s].
        scale: The joint speed of an action of 1 [rad/s].
    """

    def __init__(self, gait: Callable, ctrl_dt: float, scale: float):
        self.gait, self.ctrl_dt, self.scale = gait, ctrl_dt, scale

    def __call__(self, observation: np.ndarray, info: Mapping) -> np.ndarray:
        """Return the speeds (n,) that move the set-points in `info`, the short way, to the gait's a period later."""
        angle, _ = self.gait(info["time"] + self.ctrl_dt)
        speed = wrap(angle.ravel() - info["joint_reference"]) / self.ctrl_dt
        return np.clip(speed / self.scale, -1.0, 1.0).astype(np.float32)
