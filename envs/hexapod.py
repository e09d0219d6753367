"""`Hexapod-v0`: the compliant hexapod runs forward, or as commanded, on a terrain of choice."""

from __future__ import annotations

from .base import LeggedEnv
from .hexapod_task import HexapodTask
from .vector import LeggedVectorEnv


class HexapodEnv(LeggedEnv):
    """The compliant hexapod; options are the fields of `HexapodConfig`, `docs/envs/hexapod.md` has the tables."""

    task_class = HexapodTask
    task: HexapodTask


class HexapodVectorEnv(LeggedVectorEnv):
    """Many hexapods, each as `HexapodEnv` would have it."""

    task_class = HexapodTask
