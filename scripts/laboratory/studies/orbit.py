"""The hexapod's gait seen once per half stride in both engines, and how a disturbance of it dies out.

Both are read in the coordinates of `analytic.models.hexapod.orbit`, reflected left to right after every half stride.
"""

from __future__ import annotations

import numpy as np

from tarsus.analytic.models.hexapod import HexapodParams
from tarsus.analytic.models.hexapod.orbit import StrideMap, in_heading_frame, mirrored
from tarsus.analytic.terrain import Flat
from tarsus.mjcf.hexapod_state import from_exact, to_exact
from tarsus.scripts.library.machines.hexapod import HexapodExperiment
from tarsus.scripts.library.machines.hexapod_mujoco import HexapodStepper


def exact_sections(stride: StrideMap, z, n: int) -> np.ndarray:
    """Return n passes of the half-stride map from z, the start included, shape (n + 1, k)."""
    rows = [np.asarray(z, float)]
    for _ in range(n):
        rows.append(stride.half(rows[-1]))
    return np.array(rows)


def mujoco_sections(stride: StrideMap, params: HexapodParams, z, n: int, preset: str = "reference") -> np.ndarray:
    """Return what MuJoCo makes of the same start, shape (n + 1, k); NaN from where the body is no longer upright.

    Args:
        stride: The stride map, for its section and coordinates.
        params: The robot, the one of the stride map.
        z: The start.
        n: Half strides to walk.
        preset: Simulator settings; half a cycle and the section's time must be whole timesteps.

    Raises:
        ValueError: If they are not.
    """
    stepper = HexapodStepper(HexapodExperiment(params, stride.gait, Flat(), preset))
    timestep, gait = stepper.model.opt.timestep, stride.gait
    start = 0.5 * gait.slow_time  # tripod A's slow phase ends
    for time in (start, 0.5 * gait.cycle_time):
        if abs(time / timestep - round(time / timestep)) > 1e-6:
            raise ValueError(f"{time} s must be a multiple of the timestep, {timestep} s")
    data = stepper.data
    data.qpos[:], data.qvel[:] = from_exact(params, stride.lift(z))
    data.time = start
    rows, sides = [np.asarray(z, float)], 1
    for _ in range(n):
        for _ in range(round(0.5 * gait.cycle_time / timestep)):
            stepper.step()
        x, sides = in_heading_frame(to_exact(params, data.qpos, data.qvel)), -sides
        upright = abs(x[4]) + abs(x[5]) < 0.5
        rows.append(stride.project(mirrored(x) if sides < 0 else x) if upright else np.full_like(rows[0], np.nan))
    return np.array(rows)


def modes(jacobian) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return multipliers (k,), largest first, modes in columns (k, k), and what reads their amplitudes in rows."""
    values, right = np.linalg.eig(jacobian)
    order = np.argsort(-np.abs(values))
    return values[order], right[:, order], np.linalg.inv(right[:, order])
