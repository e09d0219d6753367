"""`HoppingLeg-v0`: the leg on its boom hops forward, or as fast as commanded, on a terrain of choice."""

from __future__ import annotations

import numpy as np

from ..analytic.models.hopping_leg import HoppingLegParams
from ..analytic.terrain import Terrain
from .base import LeggedEnv
from .hopping_leg_config import HoppingLegConfig
from .hopping_leg_task import HoppingLegTask
from .vector import LeggedVectorEnv


class HoppingLegEnv(LeggedEnv):
    """The leg on its boom on a terrain; `docs/envs/hopping_leg.md` has its tables.

    Args:
        render_mode: None, "human", "rgb_array" or "depth_array".
        width: Of an image [pixel].
        height: Of an image [pixel].
        camera: "follow", "side" or "overview".
        options: The fields of `HoppingLegConfig`. `reset(options=...)` takes them too, but for those that shape the
            spaces, and keeps them for the episodes that follow; besides, `qpos` and `qvel` set one episode's start.

    Raises:
        ValueError: If an option is unknown or its value impossible; the sentence says what is allowed.
    """

    task_class = HoppingLegTask
    task: HoppingLegTask

    @property
    def config(self) -> HoppingLegConfig:
        """The options as they are now."""
        return self.task.config

    @property
    def params(self) -> HoppingLegParams:
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
        """Torques of hip and knee that an action of one means, shape (2,) [N m]."""
        return self.task.action_scale


class HoppingLegVectorEnv(LeggedVectorEnv):
    """Many legs, each as `HoppingLegEnv` would have it."""

    task_class = HoppingLegTask
