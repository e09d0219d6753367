"""`HoppingLeg-v0`: the leg on its boom hops forward, or as fast as commanded, on a terrain of choice."""

from __future__ import annotations

from .base import LeggedEnv
from .hopping_leg_task import HoppingLegTask
from .vector import LeggedVectorEnv


class HoppingLegEnv(LeggedEnv):
    """The leg on its boom; options are the fields of `HoppingLegConfig`, `docs/envs/hopping_leg.md` has the tables."""

    task_class = HoppingLegTask
    task: HoppingLegTask


class HoppingLegVectorEnv(LeggedVectorEnv):
    """Many legs, each as `HoppingLegEnv` would have it."""

    task_class = HoppingLegTask
