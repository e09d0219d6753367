"""What differs from walker to walker: the configuration, the model, the names and places of joints, and the gait."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

import mujoco
import numpy as np

from ..analytic.terrain import Terrain
from .walker_config import WalkerConfig
from .walker_observations import Layout


class Machine(ABC):
    """What a walker's task must know of its machine; `params` are the parameters of the robot."""

    config_class: ClassVar[type[WalkerConfig]]
    gait_ranges: ClassVar[dict[str, tuple[float, float]]]  # of the action mode "gait": low at -1, high at +1

    @staticmethod
    @abstractmethod
    def layout_of(params) -> Layout:
        """Return the names of the machine's joints and legs."""

    @staticmethod
    @abstractmethod
    def indices_of(params) -> tuple[np.ndarray, np.ndarray]:
        """Return where driven joints and leg springs lie among the joints after the root, (n_joints,), (n_legs,)."""

    @staticmethod
    @abstractmethod
    def give_of(params) -> float:
        """Return by how much a foot gives way per unit of its spring's joint [m/rad or 1]."""

    @staticmethod
    @abstractmethod
    def limits_of(params) -> np.ndarray:
        """Return how far each driven joint goes either way, shape (n_joints,) [rad]; inf where it turns round."""

    @staticmethod
    @abstractmethod
    def spec_of(params, terrain, preset) -> mujoco.MjSpec:
        """Return the model."""

    @staticmethod
    @abstractmethod
    def start_state(params, ground: Terrain, angle: np.ndarray) -> np.ndarray:
        """Return `qpos` of the machine standing with these joint angles, shape (n_joints,) [rad]."""

    @staticmethod
    @abstractmethod
    def gait(params, parameters: np.ndarray, cycles: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return joint angles [rad] and their rates [rad/s] of a gait, shape (..., n_joints) both.

        Args:
            params: The machine.
            parameters: In the order of `gait_ranges`, of which the first is the frequency [Hz], shape (..., n).
            cycles: The gait has gone, shape (...,).
        """
