"""A body on four sliding feet over the speeds of its left and right feet and the place of its load, by two laws."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tarsus.contact import Feet, SolverStatus, solve

from .runner import grid

AXES = {
    "left": np.linspace(-0.3, 0.3, 13),  # forward speed at which the body pushes its left feet [m/s]
    "right": np.linspace(-0.3, 0.3, 13),  # and its right feet [m/s]
    "load": np.linspace(-0.15, 0.15, 7),  # how far ahead of the middle of the feet the weight acts [m]
}
LAWS = ("viscous", "coulomb")
FEET = Feet(stiffness=300.0, mu=0.6, weight=20.0)
PLACES = np.array([[0.2, 0.1], [0.2, -0.1], [-0.2, 0.1], [-0.2, -0.1]])  # front left, front right, ... [m]
DEPTH = 0.1  # of the feet below the body [m]


def motion(point: np.ndarray, law: str) -> np.ndarray:
    """Return twist (vx, vy, yaw rate) [m/s, rad/s] and the feet's forces (x, y, z) [N] at a grid's point, shape (15,).

    Raises:
        ArithmeticError: If the solver does not certify its answer.
    """
    left, right, load = point
    corners = np.column_stack([PLACES - [load, 0.0], np.full(len(PLACES), -DEPTH)])
    moving = np.array([[left, 0.0], [right, 0.0]] * 2)
    found = solve(corners, moving, FEET, law)
    if found.status not in (SolverStatus.SOLVED, SolverStatus.TO_ROUNDING):
        raise ArithmeticError(f"{law}, {point}: {found.status}")
    return np.concatenate([found.twist, found.force.ravel()])


def table(axes: Mapping[str, np.ndarray] = AXES) -> np.ndarray:
    """Return `motion` on the grid, shape (m, 2, 15), the laws as in `LAWS`."""
    return np.array([[motion(point, law) for law in LAWS] for point in grid(axes)])
