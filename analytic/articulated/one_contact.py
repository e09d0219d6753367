"""All solutions of the problem of one contact: open, at rest, and each angle of slip at which the law holds.

With the force (1, -mu u) f against a slip along u, f = -b_n / A(u), A the mobility along it, the slip is along u where
A(u) u x b_t - b_n u x (A_tn - mu A_tt u) is zero: a trigonometric polynomial of degree two in the angle, so that there
are four at most.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from .blocks import CONE, S_INDETERMINATE, S_NO_SOLUTION, S_NOT_SOLVED, S_SOLVED
from .jam import has_no_solution
from .newton import CLOSED, SLIP

if TYPE_CHECKING:
    from .contact import Block

SAMPLES = 8  # of the polynomial, more than its five coefficients
NEAR = 1e-4  # of the unit circle: a root that is an angle, before it is polished
ROUNDING, RESTS, APART = 1e-12, 1e-10, 1e-7


def all_solutions(matrix: np.ndarray, free: np.ndarray, mu: float) -> list[np.ndarray]:
    """Return all forces that obey contact and friction of one contact, each shape (3,), the least first.

    Args:
        matrix: Mobility of the rows normal, tangent, tangent, shape (3, 3).
        free: Velocities or accelerations without contact, shape (3,).
        mu: Coefficient of friction.
    """
    found = [np.zeros(3)] if free[0] >= 0.0 else []
    stick = -np.linalg.lstsq(matrix, free, rcond=ROUNDING)[0]
    rests = np.abs(matrix @ stick + free).max() <= ROUNDING * np.abs(free).max()
    if rests and np.hypot(*stick[1:]) <= mu * stick[0]:
        found.append(stick)
    for angle in _angles(matrix, free, mu):
        u = np.array([np.cos(angle), np.sin(angle)])
        unit = np.array([1.0, *(-mu * u)])
        mobility = matrix[0] @ unit
        if mobility * -free[0] <= 0.0:
            continue
        force = -free[0] / mobility * unit
        if (matrix[1:] @ force + free[1:]) @ u > 0.0:
            found.append(force)
    return sorted(found, key=lambda force: force[0])


def settled(code: int, matrix, free, blocks: Sequence[Block], force, other, mode) -> int:
    """Return the status of a problem: one contact's solutions are known, and of few sliding ones whether there is none.

    Where one contact has several, or its only one was not found, writes the least forces, those of another solution
    and the mode; see `solve_rows`, whose status `code` is.
    """
    if len(blocks) != 1 or blocks[0].kind != CONE:
        return S_NO_SOLUTION if code == S_NOT_SOLVED and has_no_solution(matrix, free, blocks) else code
    if code not in (S_SOLVED, S_NOT_SOLVED):
        return code
    found, size = all_solutions(matrix, free, blocks[0].mu), np.abs(free).max()
    several = bool(found) and max(np.abs(matrix @ (f - found[0])).max() for f in found) > APART * size
    if not found or (code == S_SOLVED and not several):
        return code
    force[:], other[:] = found[0], found[-1]
    w = matrix @ force + free
    mode[0] = 0 if not force.any() else SLIP if np.linalg.norm(w[1:]) > RESTS * np.linalg.norm(free) else CLOSED
    return S_INDETERMINATE if several else S_SOLVED


def _angles(matrix: np.ndarray, free: np.ndarray, mu: float) -> np.ndarray:
    """Return the angles at which the slip is along the direction that friction acts against, shape (k,)."""

    def across(angle):
        u, normal = np.array([np.cos(angle), np.sin(angle)]), np.array([-np.sin(angle), np.cos(angle)])
        mobility = matrix[0, 0] - mu * matrix[0, 1:] @ u
        turned = matrix[1:, :1] - mu * matrix[1:, 1:] @ u
        return mobility * (free[1:] @ normal) - free[0] * (normal * turned).sum(0)

    parts = np.fft.fft(across(2.0 * np.pi * np.arange(SAMPLES) / SAMPLES)) / SAMPLES
    roots = np.roots(parts[[2, 1, 0, -1, -2]])
    angles = np.angle(roots[np.abs(np.abs(roots) - 1.0) < NEAR])
    for _ in range(3):  # the secant's method over a small angle
        step = 1e-6
        slope = (across(angles + step) - across(angles - step)) / (2.0 * step)
        angles = angles - across(angles) / np.where(np.abs(slope) > ROUNDING, slope, np.inf)
    return angles
