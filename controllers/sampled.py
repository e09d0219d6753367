"""A sampled controller as a policy of an environment."""

from collections.abc import Callable, Mapping

import numpy as np

from ..analytic.hybrid.sampled import Sampled


class SampledPolicy:
    """A controller as a policy: `policy(observation, info)` returns an action.

    Args:
        controller: The controller.
        scale: The commands of an action of 1, shape (n,).
        believe: `(beliefs, height)` writes the measured height of the ground under the foot into what the controller
            believes [m]; None: it does not ask.
    """

    def __init__(self, controller: Sampled, scale: np.ndarray, believe: Callable | None = None) -> None:
        self.controller, self.scale, self.believe = controller, np.asarray(scale, float), believe

    def __call__(self, observation: np.ndarray, info: Mapping) -> np.ndarray:
        """Return the action for what `info` says of now, shape (n,); at time zero the controller begins anew."""
        if info["time"] == 0.0:
            self.controller.reset()
        if self.believe is not None:
            self.believe(self.controller.beliefs, info["ground"])
        x = np.concatenate([info["qpos"], info["qvel"]])
        torque = self.controller(info["time"], x, bool(info["foot_contact"][0]))
        return (torque / self.scale).astype(np.float32)
