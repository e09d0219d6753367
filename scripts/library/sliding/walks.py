"""MuJoCo in the place of the motion-capture laboratory: a robot walks a gait, and what cameras and scales see is kept.

Positions are those of the state before a physics step, forces those of the same instant. The unloaded feet come from
the joint angles the robot really has, with its springs at rest: what the paper extrapolates from the segments' markers.

Source: Wu, Zhao and Revzen, arXiv:2310.20669, 3.1.1 (100 frames per second) and 3.2.1 (unloaded feet).
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import xarray as xr

from tarsus.analytic.models import bigant, multipod
from tarsus.scripts.library.machines import stepping
from tarsus.scripts.library.machines.multipod_mujoco import Walking, WalkingStepper
from tarsus.scripts.library.sliding import recording as sliding_recording

FRAME_RATE = 100.0  # of the cameras [1/s] (paper, 3.1)


@dataclass(frozen=True)
class Walk:
    """A robot, its gait, and for how long it is watched."""

    name: str
    params: Any  # MultipodParams or BigAntParams
    gait: Any  # what of `controllers.gaits` drives it
    n_periods: int = 3  # recorded
    settle: int = 1  # periods before
    preset: str = "reference"
    frame_rate: float = field(default=FRAME_RATE)  # [1/s]

    @property
    def is_bigant(self) -> bool:
        """Whether the robot is BigANT, else a multipod."""
        return isinstance(self.params, bigant.BigAntParams)

    @property
    def weight(self) -> float:
        """Weight of the robot [N]."""
        return self.params.total_mass * self.params.g

    @property
    def stiffness(self) -> float:
        """Vertical stiffness of a leg [N/m]."""
        return self.params.leg_k if self.is_bigant else self.params.leaf_k


class _Watched(WalkingStepper):
    """A robot that the cameras go on watching after a fall."""

    def fallen(self) -> str:
        return ""


def record(walk: Walk) -> xr.Dataset:
    """Return the recording of a walk: whole periods of the gait after the first `settle`.

    Raises:
        RuntimeError: If MuJoCo warned, as it does when a state diverges.
        ValueError: If the frames of a period are not a whole number of physics steps.
    """
    walking = Walking("bigant" if walk.is_bigant else "multipod", walk.params, walk.gait, preset=walk.preset)
    stepper, period = _Watched(walking), walk.gait.period
    step = stepper.model.opt.timestep
    every = round(1 / (walk.frame_rate * step))
    if every < 1 or abs(every * step * walk.frame_rate - 1) > 1e-9:
        raise ValueError(
            f"the frame rate must divide the physics' {1 / step:g} steps per second, got {walk.frame_rate}"
        )
    first, n = (round(count * period * walk.frame_rate) for count in (walk.settle, walk.n_periods))
    (_, qpos, _, feet, contact, _), _ = stepping.simulate(stepper, (first + n) / walk.frame_rate, every)
    if stepper.data.warning.number.any():
        raise RuntimeError(f"{walk.name}: MuJoCo warned; do not trust this simulation")
    return _recording(walk, qpos[first:], feet[first:], contact[first:, :, 1:])


def _recording(walk: Walk, qpos: np.ndarray, feet: np.ndarray, force: np.ndarray) -> xr.Dataset:
    variables = {
        "body_position": qpos[:, :3],
        "body_orientation": qpos[:, 3:7],
        "foot_position_b": rotated_back(qpos[:, 3:7], feet - qpos[:, None, :3]),
        "unloaded_foot_position_b": _unloaded(walk, qpos),
        "foot_force": force,
    }
    time = np.arange(len(qpos)) / walk.frame_rate
    return sliding_recording.build(time, variables, walk.weight, walk.name)


def _unloaded(walk: Walk, qpos: np.ndarray) -> np.ndarray:
    joints = qpos[:, 7:].reshape(len(qpos), -1, 4)
    if walk.is_bigant:
        return bigant.foot_positions(walk.params, joints[..., 1])
    return multipod.foot_positions(walk.params, joints[..., :2])


def rotated_back(quat: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    """Return vectors of the world, shape (n, k, 3), in the frames of n bodies with quaternions (n, 4)."""
    w, axis = quat[:, None, :1], quat[:, None, 1:]
    cross = np.cross(vectors, axis)  # the inverse rotation is that of the conjugate quaternion
    return vectors + 2 * (w * cross + np.cross(cross, axis))
