"""One walker as a Gymnasium environment: what it shows of its task."""

from __future__ import annotations

from ..analytic.terrain import Terrain
from .base import LeggedEnv
from .walker import WalkerTask
from .walker_config import WalkerConfig


class WalkerEnv(LeggedEnv):
    """A walker on a terrain.

    Args:
        render_mode: None, "human", "rgb_array" or "depth_array".
        width: Of an image [pixel].
        height: Of an image [pixel].
        camera: "follow" or "side".
        options: The fields of the task's configuration. `reset(options=...)` takes them too, but for those that shape
            the spaces, and keeps them for the episodes that follow; besides, `qpos` and `qvel` set one episode's start.

    Raises:
        ValueError: If an option is unknown or its value impossible; the sentence says what is allowed.
    """

    task: WalkerTask

    @property
    def config(self) -> WalkerConfig:
        """The options as they are now."""
        return self.task.config

    @property
    def params(self):
        """The robot of this episode."""
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
    def observation_names(self) -> tuple[str, ...]:
        """Name of every number of the observation, such as `foot_contact.left_0`."""
        return self.task.observation_names

    @property
    def action_names(self) -> tuple[str, ...]:
        """Name of every number of the action: a joint, or a parameter of the gait."""
        return self.task.action_names

    @property
    def action_scale(self) -> float:
        """What an action of one means: joint speed [rad/s] or torque [N m]; 1 for gaits."""
        motor = self.params.motor
        return {"velocity": motor.no_load_speed, "torque": motor.max_torque, "gait": 1.0}[self.config.action_mode]
