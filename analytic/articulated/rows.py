"""Rows of what is closed, R dv/dt + r = 0, and columns of their forces, both through the mass matrix's factor.

Rows drift apart by rounding; r pulls them back at the rate `drift_rate`: 2 a v + a^2 gap. Feet that slip have a normal
row, and a column with their friction: C = R_n - mu (u1 R_t1 + u2 R_t2). Equalities are closed in all modes.
"""

from __future__ import annotations

from ..compilation import jit
from .dynamics import solve_lower
from .layout import (
    BOUND,
    DRIFT,
    ERROR,
    GAP,
    LENGTH,
    MU,
    ROW_DRIFT,
    ROW_VELOCITY,
    SIGN,
    SPEED,
    VELOCITY,
)
from .modes import AT_REST, CLOSED, CREEP, CREEP_RATE, FREE, SMOOTH, STICK
from .slip import slip_direction
from .vectors import copy


@jit(views=True)
def write_rows(robot, work, contact, a, load):
    """Write rows, columns and right sides of all that is closed, with the rate a [1/s]; return their number."""
    m, nv, unit = 0, len(robot.dof), work.unit
    for i in range(len(robot.foot)):
        if contact.foot[i] != FREE:
            m = _foot_rows(robot, work, contact, a, load, i, m, unit)
    for k in range(len(robot.limit)):
        if contact.limit[k] == CLOSED:
            line, sign = robot.limit_of[k], robot.limit[k, SIGN]
            gap, speed = sign * (work.line[line, LENGTH] - robot.limit[k, BOUND]), sign * work.line[line, SPEED]
            for i in range(nv):
                unit[i] = sign * robot.line_row[line, i]
            m = _add(work, contact, m, unit, unit, 2.0 * a * speed + a * a * gap, load)
    for k in range(len(robot.line)):
        if contact.dry[k] == AT_REST:
            copy(robot.line_row[k], unit)
            m = _add(work, contact, m, unit, unit, 2.0 * a * work.line[k, SPEED], load)
    for k in range(len(work.equality)):
        row, jacobian = work.equality[k], work.equality_jacobian[k]
        drift = row[ROW_DRIFT] + 2.0 * a * row[ROW_VELOCITY] + a * a * row[ERROR]
        m = _add(work, contact, m, jacobian, jacobian, drift, load)
    return m


@jit(views=True)
def _foot_rows(robot, work, contact, a, load, i, m, unit):
    """Add the rows of a foot: its normal; tangents of one that sticks; of one that creeps that across its friction."""
    mode, foot, jacobian, mu = contact.foot[i], work.foot[i], work.jacobian[i], robot.foot[i, MU]
    copy(jacobian[0], unit)
    e1, e2 = slip_direction(work, contact, i)
    if mode != STICK and mode != SMOOTH:
        for k in range(len(unit)):
            unit[k] -= mu * (e1 * jacobian[1, k] + e2 * jacobian[2, k])
    drift = foot[DRIFT] + 2.0 * a * foot[VELOCITY] + a * a * foot[GAP]
    m = _add(work, contact, m, jacobian[0], unit, drift, load)
    if mode == STICK:
        for k in range(1, 3):
            drift = foot[DRIFT + k] + max(2.0 * a, contact.settling[i]) * foot[VELOCITY + k]
            m = _add(work, contact, m, jacobian[k], jacobian[k], drift, load)
    elif mode == CREEP:
        for k in range(len(unit)):
            unit[k] = e1 * jacobian[2, k] - e2 * jacobian[1, k]
        drift = e1 * foot[DRIFT + 2] - e2 * foot[DRIFT + 1]
        drift += CREEP_RATE * (e1 * foot[VELOCITY + 2] - e2 * foot[VELOCITY + 1])
        m = _add(work, contact, m, unit, unit, drift, load)
        if contact.foot_force[i, 0] > 0.0:  # as the direction turns by the force, the row turns too
            along = max(contact.along[i], 0.0)
            contact.soft[m - 1] = along * CREEP_RATE / (mu * contact.foot_force[i, 0])
    return m


@jit(views=True)
def _add(work, contact, m, row, column, drift, load):
    """Add a row and its column, both through the mass matrix's factor."""
    copy(row, contact.row[m])
    solve_lower(work.factor, contact.row[m])
    copy(contact.row[m], contact.column[m])
    if column is not row:
        copy(column, contact.column[m])
        solve_lower(work.factor, contact.column[m])
    s = drift
    for k in range(len(row)):
        s += contact.row[m, k] * load[k]
    contact.right[m], contact.soft[m] = -s, 0.0
    return m + 1
