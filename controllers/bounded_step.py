"""Least squares within linear inequalities: the step of Gauss-Newton that stays within limits, not one clipped to them.

Source: Lawson and Hanson, Solving Least Squares Problems (1974), chapter 23: the problem of least distance, by
non-negative least squares.
"""

import numpy as np
from scipy.optimize import nnls

SLACK = 1e-12  # by which an inequality may be missed: round-off


def least_squares_within(hessian, gradient, bounds, most) -> np.ndarray:
    """Return the x (k,) of those with A x <= b (m,), of which there must be some, at which x H x / 2 - g x is least."""
    free = np.linalg.solve(hessian, gradient)
    missed = bounds @ free - most
    if (missed <= SLACK).all():
        return free
    root = np.linalg.cholesky(hessian)
    normal = np.linalg.solve(root, bounds.T)  # (k, m), of the inequalities where H is the identity
    wall = np.vstack([-normal, missed])
    target = np.zeros(len(wall))
    target[-1] = 1.0
    share = nnls(wall, target, maxiter=10 * len(most))[0]
    left = target - wall @ share
    return free - np.linalg.solve(root.T, left[:-1]) / left[-1]
