"""The rows of all that may constrain a robot in one state, and what the contact problem takes of them.

Rows are of four kinds, in this order: feet (normal and two tangents each), limits of joints, joints with dry friction,
equalities. With forces f they accelerate by delassus f + free, which is at rest where f is right:

    delassus = rows mass^-1 rows',    free = rows qacc + drift + 2 rate velocity + rate^2 error,

qacc being the acceleration without constraints. The last two terms let errors of position decay as exp(-rate t), with
the place of equalities, limits and gaps of feet as error; tangents and dry joints have none.
Source: Baumgarte (1972), Computer Methods in Applied Mechanics and Engineering 1, 1-16.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..compilation import jit
from .layout import (
    DRIFT,
    FRICTIONLOSS,
    GAP,
    LIMIT_DOF,
    LIMIT_QPOS,
    ROW_DRIFT,
    ROW_ERROR,
    ROW_VELOCITY,
    SIGN,
    TOTAL_FORCE,
    VALUE,
    VELOCITY,
    Tables,
)

CONTACT, LIMIT, DRY, EQUALITY = range(4)  # kinds of rows
KIND, OWNER = range(2)  # columns of `Rows.what`; the owner's number: foot, row of limits, degree of freedom, row
RATE = 20.0  # at which errors decay [1/s]: slow beside steps of integration, fast beside what a robot does


class Rows(NamedTuple):
    """Arrays of the rows that are in use, from the first; the rest is what was there before."""

    what: np.ndarray  # (m, 2) integers: kind and owner
    row: np.ndarray  # (m, nv)
    half: np.ndarray  # (m, nv) L^-1 row', with mass = L L'
    velocity: np.ndarray  # (m,)
    free: np.ndarray  # (m,) acceleration without forces
    drive: np.ndarray  # (nv,) L^-1 times all forces but those of constraints


def most_rows(tables: Tables, n_equality_rows: int) -> int:
    """Return the number of rows of a robot when all is closed."""
    dry = int(np.count_nonzero(tables.dof[:, FRICTIONLOSS]))
    return 3 * len(tables.foot) + len(tables.limit) + dry + n_equality_rows


def new_rows(most: int, nv: int) -> Rows:
    """Return arrays for at most so many rows."""
    shapes = (most, nv), (most, nv), (most,), (most,), (nv,)
    return Rows(np.zeros((most, 2), np.int64), *map(np.zeros, shapes))


@jit
def _solve_lower(factor, vector):
    """Replace a vector, shape (nv,), by L^-1 of it."""
    for i in range(len(vector)):
        for k in range(i):
            vector[i] -= factor[i, k] * vector[k]
        vector[i] /= factor[i, i]


@jit
def _close(s, rows, m, kind, owner, velocity, drift, error, rate):
    """Complete the row m, whose numbers are written; return the number of rows."""
    rows.what[m, KIND], rows.what[m, OWNER], rows.velocity[m] = kind, owner, velocity
    half, free = rows.half[m], drift + 2.0 * rate * velocity + rate * rate * error
    for i in range(len(half)):
        half[i] = rows.row[m, i]
    _solve_lower(s.factor, half)
    for i in range(len(half)):
        free += half[i] * rows.drive[i]
    rows.free[m] = free
    return m + 1


@jit
def _unit(row, dof, value):
    """Write a row that is of one degree of freedom."""
    for i in range(len(row)):
        row[i] = 0.0
    row[dof] = value


@jit
def write_rows(robot, s, rows, qpos, qvel, feet, limits, rate):
    """Write the rows of what is closed; after `write_mechanics`. Joints with dry friction and equalities always are.

    Args:
        robot: `layout.Tables`.
        s: `layout.Scratch`.
        rows: `Rows`, with room for all.
        qpos: Positions, shape (nq,) [m, rad].
        qvel: Velocities, shape (nv,) [m/s, rad/s].
        feet: Which feet touch, shape (n_feet,), not zero if one does.
        limits: Which limits are reached, shape (n_limits,), not zero if one is.
        rate: At which errors decay [1/s].

    Returns:
        The number of rows.
    """
    m = 0
    for i in range(len(rows.drive)):
        rows.drive[i] = s.force[i, TOTAL_FORCE]
    _solve_lower(s.factor, rows.drive)
    for i in range(len(robot.foot)):
        for a in range(3 if feet[i] != 0 else 0):
            for k in range(len(qvel)):
                rows.row[m, k] = s.foot_rows[3 * i + a, k]
            gap = s.foot[i, GAP] if a == 0 else 0.0
            m = _close(s, rows, m, CONTACT, i, s.foot[i, VELOCITY + a], s.foot[i, DRIFT + a], gap, rate)
    for i in range(len(robot.limit)):
        if limits[i] != 0:
            dof, sign = robot.limit_index[i, LIMIT_DOF], robot.limit[i, SIGN]
            _unit(rows.row[m], dof, sign)
            gap = sign * (qpos[robot.limit_index[i, LIMIT_QPOS]] - robot.limit[i, VALUE])
            m = _close(s, rows, m, LIMIT, i, sign * qvel[dof], 0.0, gap, rate)
    for i in range(len(robot.dof)):
        if robot.dof[i, FRICTIONLOSS] > 0.0:
            _unit(rows.row[m], i, 1.0)
            m = _close(s, rows, m, DRY, i, qvel[i], 0.0, 0.0, rate)
    for i in range(len(s.equality)):
        for k in range(len(qvel)):
            rows.row[m, k] = s.equality_rows[i, k]
        error, velocity, drift = s.equality[i, ROW_ERROR], s.equality[i, ROW_VELOCITY], s.equality[i, ROW_DRIFT]
        m = _close(s, rows, m, EQUALITY, i, velocity, drift, error, rate)
    return m


@jit
def write_delassus(rows, m, delassus):
    """Write rows mass^-1 rows' of the first m rows into the corner of a matrix."""
    for i in range(m):
        for j in range(i + 1):
            product = 0.0
            for k in range(rows.half.shape[1]):
                product += rows.half[i, k] * rows.half[j, k]
            delassus[i, j] = delassus[j, i] = product


@jit
def write_acceleration(s, rows, m, force, qacc):
    """Write the acceleration under the forces of the first m rows, shape (m,) or longer [N, N m]."""
    n = len(qacc)
    for i in range(n):
        qacc[i] = rows.drive[i]
        for k in range(m):
            qacc[i] += rows.half[k, i] * force[k]
    for i in range(n - 1, -1, -1):
        for k in range(i + 1, n):
            qacc[i] -= s.factor[k, i] * qacc[k]
        qacc[i] /= s.factor[i, i]
