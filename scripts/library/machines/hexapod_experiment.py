"""The hexapod's experiment: robot, ground, gait, the simulator's settings, and the start."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tarsus.analytic.clock import TripodGait
from tarsus.analytic.models.hexapod import HexapodParams
from tarsus.analytic.terrain import Terrain
from tarsus.controllers.slope import SlopeLaw

if TYPE_CHECKING:  # MuJoCo chooses its OpenGL when it is imported, which a command may have to decide
    import mujoco

    from tarsus.mjcf.presets import Preset


@dataclass(frozen=True, eq=False)
class Start:
    """A state to start from, in joint coordinates (`mjcf.hexapod_state` says their order)."""

    qpos: np.ndarray  # (25,)
    qvel: np.ndarray  # (24,): body velocity [m/s], its angular velocity in the body frame, then the rates of the joints

    def __post_init__(self) -> None:
        for name, size in (("qpos", 25), ("qvel", 24)):
            if np.shape(getattr(self, name)) != (size,) or not np.all(np.isfinite(getattr(self, name))):
                raise ValueError(f"{name} of a start must be {size} finite numbers, got {getattr(self, name)}")


@dataclass(frozen=True)
class HexapodExperiment:
    """A hexapod, the ground it is on, its gait, the simulator's settings, and where it starts."""

    params: HexapodParams
    gait: TripodGait
    ground: Terrain
    preset: str | Preset = "reference"
    begin: Start | None = None  # None: at rest, the lowest toe on the ground
    method: str | None = None  # of the exact engine; None: the model's own, for stiff fields
    slope_law: SlopeLaw | None = None  # compensates the gait for the slope that the accelerometer feels, in MuJoCo
    legs: str = "toes"  # or "half-circle", in MuJoCo

    def model(self) -> mujoco.MjModel:
        from tarsus.mjcf import compile_model, hexapod

        return compile_model(hexapod.build(self.params, self.ground, self.preset, self.legs))


@dataclass(frozen=True)
class PlatelessExperiment(HexapodExperiment):
    """An experiment whose body touches nothing, as in the exact engine.

    A robot that lies on its plate's edge in one engine and has toppled in the other could not be compared.
    """

    def model(self) -> mujoco.MjModel:
        model = super().model()
        model.geom("torso").contype[:] = 0
        return model
