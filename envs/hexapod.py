"""`Hexapod-v0`: the compliant hexapod runs forward, or as commanded, on a terrain of choice."""

from __future__ import annotations

from ..analytic.models.hexapod import HexapodParams
from ..analytic.terrain import Terrain
from .base import LeggedEnv
from .hexapod_config import HexapodConfig
from .hexapod_task import HexapodTask
from .vector import LeggedVectorEnv


class HexapodEnv(LeggedEnv):
    """The compliant hexapod on a terrain; `docs/envs/hexapod.md` has its tables.

    Args:
        render_mode: None, "human", "rgb_array" or "depth_array".
        width: Of an image [pixel].
        height: Of an image [pixel].
        camera: "follow" or "side".
        options: The fields of `HexapodConfig`. `reset(options=...)` takes them too, but for those that shape the
            spaces, and keeps them for the episodes that follow; besides, `qpos` and `qvel` set one episode's start.

    Raises:
        ValueError: If an option is unknown or its value impossible; the sentence says what is allowed.
    """

    task_class = HexapodTask
    task: HexapodTask

    @property
    def config(self) -> HexapodConfig:
        """The options as they are now."""
        return self.task.config

    @property
    def params(self) -> HexapodParams:
        """The robot of this episode."""
        return self.task.robots.params[()]

    @property
    def terrain(self) -> Terrain:
        """The ground of this episode."""
        return self.task.terrain[()]

    @property
    def observation_slices(self) -> dict[str, slice]:
        """Where each entry of the observation lies."""
        return self.task.observation_slices

    @property
    def action_scale(self) -> float:
        """What an action of one means: hip speed [rad/s] or torque [N m]; 1 for gaits, see `actions.GAIT_RANGES`."""
        motor = self.params.motor
        return {"velocity": motor.no_load_speed, "torque": motor.max_torque, "gait": 1.0}[self.config.action_mode]


class HexapodVectorEnv(LeggedVectorEnv):
    """Many hexapods, each as `HexapodEnv` would have it."""

    task_class = HexapodTask
