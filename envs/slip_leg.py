"""`SlipLeg-v0`: the articulated leg runs forward, or as commanded, on a terrain of choice."""

from __future__ import annotations

from .base import LeggedEnv
from .slip_leg_task import SlipLegTask
from .vector import LeggedVectorEnv


class SlipLegEnv(LeggedEnv):
    """The articulated leg; options are the fields of `SlipLegConfig`, `docs/envs/slip_leg.md` has the tables."""

    task_class = SlipLegTask
    task: SlipLegTask


class SlipLegVectorEnv(LeggedVectorEnv):
    """Many legs, each as `SlipLegEnv` would have it."""

    task_class = SlipLegTask
