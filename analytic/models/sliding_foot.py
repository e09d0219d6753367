"""A leg's mechanics as functions, and how the leg moves whose foot slides on the ground without friction."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from . import constrained

SLOPE_STEP = 1e-5  # of the difference that gives the ground's slope [m]
CURVE_STEP = 1e-3  # of that that gives its curvature along the foot's way [m]


class Leg(NamedTuple):
    """A leg's mechanics; `u` are the torques of hip and knee, `F` the ground's force on the foot as the leg has it."""

    fly: Callable  # (x, d, p, u, dx)
    stand: Callable  # (x, d, p, u, dx, F)
    terms: Callable  # (x, p, u, J): mass matrix, what drives it, and dJ v (3), J (3, 4) being the foot's Jacobian
    toe: Callable  # (x, p, out): place of the foot (3) [m]
    height: Callable  # (x, y, p): of the ground [m]
    strike: Callable  # (x, d, p): the impact
    press: Callable  # (x, p, F): positive while the ground pushes
    force: Callable  # (d, F, out): the force in the world (3) [N]


def sliding_of(leg: Leg) -> tuple[Callable, Callable, Callable]:
    """Return the motion of a leg whose foot slides without friction, the rise of its foot, and the normal.

    The first, (x, p, u, dx), writes the rates and returns the ground's force along its normal [N]; the second,
    (x, p, u), returns the acceleration of a free foot away from the ground [m/s^2]; the third, (x, p, n), writes the
    ground's normal under the foot, whose last component is one.
    """
    terms, toe, height = leg.terms, leg.toe, leg.height

    def normal(x, p, n):
        toe(x, p, n)
        a, b, e = n[0], n[1], SLOPE_STEP
        n[0] = (height(a - e, b, p) - height(a + e, b, p)) / (2.0 * e)
        n[1] = (height(a, b - e, p) - height(a, b + e, p)) / (2.0 * e)
        n[2] = 1.0

    def row(x, p, u, J):
        n, at, rows, v = np.empty(3), np.empty(3), np.empty((3, 4)), np.zeros(3)
        normal(x, p, n)
        toe(x, p, at)
        M, load, a = terms(x, p, u, rows)
        for i in range(4):
            J[0, i] = n[0] * rows[0, i] + n[1] * rows[1, i] + rows[2, i]
            for k in range(3):
                v[k] += rows[k, i] * x[4 + i]
        e = CURVE_STEP / (1.0 + abs(v[0]) + abs(v[1]))
        ahead, behind = height(at[0] + e * v[0], at[1] + e * v[1], p), height(at[0] - e * v[0], at[1] - e * v[1], p)
        curved = (ahead - 2.0 * height(at[0], at[1], p) + behind) / (e * e)
        return M, load, n[0] * a[0] + n[1] * a[1] + a[2] - curved

    def slide(x, p, u, dx):
        J, drift, F = np.empty((1, 4)), np.empty(1), np.empty(1)
        M, load, drift[0] = row(x, p, u, J)
        for i in range(4):
            dx[i] = x[4 + i]
        constrained.solve(M, load, J, drift, dx[4:], F)
        return F[0]

    def rising(x, p, u):
        J, ddq = np.empty((1, 4)), np.empty(4)
        M, load, up = row(x, p, u, J)
        constrained.free(M, load, ddq)
        for i in range(4):
            up += J[0, i] * ddq[i]
        return up

    return slide, rising, normal
