"""One walker as a Gymnasium environment: what it names of its observation and action."""

from __future__ import annotations

from .base import LeggedEnv
from .walker import WalkerTask


class WalkerEnv(LeggedEnv):
    """A walker on a terrain; options are the fields of its `WalkerConfig`."""

    task: WalkerTask

    @property
    def observation_names(self) -> tuple[str, ...]:
        """Name of every number of the observation, such as `foot_contact.left_0`."""
        return self.task.observation_names

    @property
    def action_names(self) -> tuple[str, ...]:
        """Name of every number of the action: a joint, or a parameter of the gait."""
        return self.task.action_names
