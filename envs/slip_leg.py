"""`SlipLeg-v0`: the articulated leg runs forward, or as commanded, on a terrain of choice."""

from __future__ import annotations

import numpy as np

from ..analytic.models.slip_leg import SlipLegParams
from ..analytic.terrain import Terrain
from ..mjcf.slip_leg import TORQUE_LIMITS
from .base import LeggedEnv
from .slip_leg_config import SlipLegConfig
from .slip_leg_task import SlipLegTask
from .vector import LeggedVectorEnv


class SlipLegEnv(LeggedEnv):
    """The articulated leg on a terrain; `docs/envs/slip_leg.md` has its tables.

    Args:
        render_mode: None, "human", "rgb_array" or "depth_array".
        width: Of an image [pixel].
        height: Of an image [pixel].
        camera: "follow" or "side".
        options: The fields of `SlipLegConfig`. `reset(options=...)` takes them too, but for those that shape the
            spaces, and keeps them for the episodes that follow; besides, `qpos` and `qvel` set one episode's start.

    Raises:
        ValueError: If an option is unknown or its value impossible; the sentence says what is allowed.
    """

    task_class = SlipLegTask
    task: SlipLegTask

    @property
    def config(self) -> SlipLegConfig:
        """The options as they are now."""
        return self.task.config

    @property
    def params(self) -> SlipLegParams:
        """The leg of this episode."""
        return self.task.params[()]

    @property
    def terrain(self) -> Terrain:
        """The ground of this episode."""
        return self.task.terrain[()]

    @property
    def observation_slices(self) -> dict[str, slice]:
        """Where each entry of the observation lies."""
        return self.task.observation_slices

    @property
    def action_scale(self) -> np.ndarray:
        """What an action of one means in the mode "torque": torque of hip and knee, shape (2,) [N m]."""
        return np.array(TORQUE_LIMITS)


class SlipLegVectorEnv(LeggedVectorEnv):
    """Many legs, each as `SlipLegEnv` would have it."""

    task_class = SlipLegTask
