"""What a sliding robot would measure, twist and tilt of its body, under one hypothesis of its feet or many; compiled.

The twist is that of the body's origin; the centre of mass lies at d from it, so that the solver is given the feet's
places less d, and its twist is carried back. Measured are (u, v, omega, pitch, roll), signs as of `contact.Motion`.
"""

import numpy as np

from ..compilation import jit
from ..contact.connection import law_with_kernel
from ..contact.kernels import (
    MU,
    NO_EQUILIBRIUM,
    OMEGA,
    OUT_COLUMNS,
    PITCH,
    ROLL,
    SCRATCH_ROWS,
    STATUS_MASK,
    UX,
    UY,
    derivative,
)
from ..contact.kernels import frames as solve_frames
from ..contact.support import foot_table
from .multipod import MultipodParams

N_MEASURED = 5
STEP = 1e-5  # of d, over which the tilt is differentiated [m]


@jit
def _measure(pos, vel, table, weight, law, d, work, answer):
    """Write the measurements under one table of the feet (n, 5); return the solver's code, answers in `work`."""
    shifted, speed, s, out, force, code = work
    for j in range(pos.shape[0]):
        shifted[0, j, 0], shifted[0, j, 1], shifted[0, j, 2] = pos[j, 0] - d[0], pos[j, 1] - d[1], pos[j, 2]
        speed[0, j, 0], speed[0, j, 1] = vel[j, 0], vel[j, 1]
    solve_frames(0, 1, shifted, speed, table[np.newaxis], weight, law[0], law[1], False, s, out, force, code)
    omega = out[0, OMEGA]
    answer[0], answer[1], answer[2] = out[0, UX] + omega * d[1], out[0, UY] - omega * d[0], omega
    answer[3], answer[4] = out[0, PITCH], out[0, ROLL]
    return code[0]


@jit
def measure_all(pos, vel, tables, weight, law, d, work, answers):
    """Write the measurements (hypotheses, 5) under tables (hypotheses, n, 5); NaN where the feet do not carry."""
    for h in range(len(tables)):
        code = _measure(pos, vel, tables[h], weight, law, d, work, answers[h])
        if code & STATUS_MASK == NO_EQUILIBRIUM:
            answers[h] = np.nan


@jit
def measure_with_slopes(pos, vel, table, weight, law, d, work, answer, slopes, scratch):
    """Write the measurements and their derivatives by log mu of the feet and by d, (5, n + 2); return if they exist."""
    maps, rows, by_foot, by_weight, ends, moved = scratch
    n, found = pos.shape[0], True
    slopes[:] = 0.0
    for k in range(2):
        for side in range(2):
            moved[:] = d
            moved[k] += STEP if side == 0 else -STEP
            code = _measure(pos, vel, table, weight, law, moved, work, ends[side])
            found = found and code & STATUS_MASK != NO_EQUILIBRIUM
        for i in range(3, N_MEASURED):
            slopes[i, n + k] = (ends[0, i] - ends[1, i]) / (2.0 * STEP)
    code = _measure(pos, vel, table, weight, law, d, work, answer)
    shifted, speed, _, out, force, _ = work
    stuck = derivative.twist_jacobian(
        shifted[0], speed[0], table, law[0], law[1], out[0], force[0], code, maps, rows, by_foot, by_weight
    )
    if stuck == derivative.NO_DERIVATIVE or not found:
        return False
    for i in range(3):
        for j in range(n):
            slopes[i, j] = by_foot[i, j, derivative.BY_MU] * table[j, MU]
            slopes[i, n] -= by_foot[i, j, derivative.BY_X]
            slopes[i, n + 1] -= by_foot[i, j, derivative.BY_Y]
    for m in range(n + 2):
        slopes[0, m] += slopes[2, m] * d[1]
        slopes[1, m] -= slopes[2, m] * d[0]
    slopes[0, n + 1] += answer[2]
    slopes[1, n] -= answer[2]
    return True


class SlidingObservation:
    """What a multipod would measure.

    Args:
        params: The robot.
        law: Of friction, with a kernel; derivatives need a gap of 1e-6 or less.
    """

    def __init__(self, params: MultipodParams, law="coulomb") -> None:
        n = params.n_legs
        self.params, self.law = params, law_with_kernel(law).kernel_code
        self.table = foot_table(n, params.leaf_k, params.friction_coeff, None, 0.0).copy()  # (n, 5)
        self._weight = np.array([params.total_mass * params.g])
        shapes = (1, n, 3), (1, n, 2), (SCRATCH_ROWS, n), (1, OUT_COLUMNS), (1, n, 3)
        self._work = *(np.empty(shape) for shape in shapes), np.empty(1, np.int64)
        by = np.empty((3, n, derivative.FOOT_DERIVATIVES)), np.empty(3)
        rows = np.empty((derivative.DERIVATIVE_ROWS, n))
        self._scratch = np.empty((3, 8)), rows, *by, np.empty((2, N_MEASURED)), np.empty(2)

    def hypotheses(self, pos, vel, tables, d) -> np.ndarray:
        """Return the measurements under each of the tables of feet, shape (hypotheses, 5) [m/s, rad/s, rad].

        Args:
            pos: Foot positions from the body's origin (n, 3) [m].
            vel: Foot velocities relative to the body (n, 2) [m/s].
            tables: Columns stiffness, friction, anisotropy and ground of the feet (hypotheses, n, 5).
            d: Centre of mass from the body's origin (2,) [m].
        """
        answers = np.empty((len(tables), N_MEASURED))
        measure_all(pos, vel, tables, self._weight, self.law, np.asarray(d, float), self._work, answers)
        return answers

    def slopes(self, pos, vel, table, d) -> tuple[np.ndarray, np.ndarray, bool]:
        """Return the measurements (5,), their derivatives by log mu of the feet and by d (5, n + 2), if they exist."""
        answer, slopes = np.empty(N_MEASURED), np.empty((N_MEASURED, len(pos) + 2))
        arguments = pos, vel, table, self._weight, self.law, np.asarray(d, float), self._work
        exists = measure_with_slopes(*arguments, answer, slopes, self._scratch)
        return answer, slopes, bool(exists)
