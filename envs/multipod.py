"""`Multipod-v0`: a multipod of 4 to 50 legs runs forward, or as commanded, on a terrain of choice."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from ..analytic.models.multipod import MultipodParams
from ..analytic.undulation import undulation_angles
from ..mjcf import multipod
from .vector import LeggedVectorEnv
from .walker import WalkerTask
from .walker_config import WalkerConfig
from .walker_env import WalkerEnv
from .walker_observations import Layout


@dataclass(frozen=True)
class MultipodConfig(WalkerConfig):
    """The options of `Multipod-v0`."""

    RANDOMISABLE = multipod.RANDOMISABLE

    FIXED: ClassVar[tuple[str, ...]] = (*WalkerConfig.FIXED, "n_legs")

    params: MultipodParams = field(default_factory=MultipodParams)  # the robot
    n_legs: int | None = None  # even, 4 to 50; by default that of `params`

    @property
    def robot(self) -> MultipodParams:
        """The parameters of the robot, with the number of legs asked for."""
        return self.params if self.n_legs is None else replace(self.params, n_legs=self.n_legs)


class MultipodTask(WalkerTask):
    """What `Multipod-v0` simulates and asks for; `docs/envs/multipod.md` has its tables."""

    config_class = MultipodConfig
    gait_ranges: ClassVar[dict[str, tuple[float, float]]] = {
        "frequency": (0.1, 0.6),  # [Hz]
        "phase_offset": (np.pi, 5 / 3 * np.pi),  # by which a pair is behind the one in front of it [rad]
        "yaw": (0.0, 0.3),  # amplitude [rad]
        "roll": (-0.2, 0.2),  # amplitude [rad]; negative walks backward
        "steering": (-0.1, 0.1),  # yaw held, front pairs plus, rear pairs minus [rad]; left if positive
    }
    spec_of = staticmethod(multipod.build)

    @staticmethod
    def layout_of(params: MultipodParams) -> Layout:
        """Return the names of joints and legs, segment by segment from the front."""
        joints = tuple(f"{joint}_{k}" for k in range(params.n_segments) for joint in multipod.JOINTS)
        return Layout(joints, tuple(params.leg_names()), turning=False)

    @staticmethod
    def indices_of(params: MultipodParams) -> tuple[np.ndarray, np.ndarray]:
        """Return where yaw and roll, and where the leaves, lie among the joints."""
        where = np.arange(4 * params.n_segments).reshape(-1, 4)
        return where[:, :2].ravel(), where[:, 2:].ravel()

    @staticmethod
    def give_of(params: MultipodParams) -> float:
        """Return the lever of a leaf spring [m/rad]."""
        return params.lever

    @staticmethod
    def limits_of(params: MultipodParams) -> np.ndarray:
        """Return the ranges of yaw and roll."""
        return np.tile([params.yaw_range, params.roll_range], params.n_segments)

    @staticmethod
    def start_state(params: MultipodParams, ground, angle: np.ndarray) -> np.ndarray:
        """Return `qpos` of the multipod standing with these angles."""
        return multipod.start_state(params, ground, angle.reshape(-1, 2))

    @staticmethod
    def gait(params: MultipodParams, parameters: np.ndarray, cycles: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the undulation of these parameters."""
        found = undulation_angles(cycles, *np.moveaxis(parameters, -1, 0), n_pairs=params.n_segments)
        return tuple(values.reshape(*values.shape[:-2], -1) for values in found)


class MultipodEnv(WalkerEnv):
    """One multipod; see `WalkerEnv` for the arguments and `docs/envs/multipod.md` for the tables."""

    task_class = MultipodTask


class MultipodVectorEnv(LeggedVectorEnv):
    """Many multipods, each as `MultipodEnv` would have it."""

    task_class = MultipodTask
