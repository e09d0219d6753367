"""The books of a robot's energy in MuJoCo, from powers at the rows of a run."""

import mujoco
import numpy as np
from scipy.integrate import cumulative_trapezoid

from tarsus.scripts.library.records.layouts import BUDGET

DRY = (mujoco.mjtConstraint.mjCNSTR_FRICTION_DOF, mujoco.mjtConstraint.mjCNSTR_FRICTION_TENDON)


def powers(model: mujoco.MjModel, data: mujoco.MjData, later: mujoco.MjData) -> np.ndarray:
    """Return energy [J], and powers of actuators, into dampers and dry joints, and into contacts and stops, (4,) [W].

    All are of the state behind a step, at the controls of that step: the integrator `discrete` takes forces there.

    Args:
        model: With the flag `energy`.
        data: After a step.
        later: Is written.
    """
    mujoco.mj_copyState(model, data, later, mujoco.mjtState.mjSTATE_INTEGRATION)
    mujoco.mj_forward(model, later)
    dry, rows = np.isin(later.efc_type, DRY), later.efc_force * later.efc_vel
    return np.array([
        later.energy.sum(),
        later.actuator_force @ later.actuator_velocity,
        -later.qfrc_damper @ later.qvel - rows[dry].sum(),
        -rows[~dry].sum(),
    ])  # fmt: skip


def books(time: np.ndarray, rows: np.ndarray) -> dict[str, np.ndarray]:
    """Return the variables of `BUDGET`, from rows of `powers`, shape (n, 4)."""
    done = cumulative_trapezoid(rows[:, 1:], time, axis=0, initial=0)
    return dict(zip(BUDGET, (rows[:, 0], *done.T), strict=True))
