"""Rows of what is closed, R dv/dt + r = 0, and columns of their forces, both through the mass matrix's factor.

Rows drift apart by rounding; r pulls them back at the rate `drift_rate`: 2 a v + a^2 gap. Feet that slip have a normal
row, and a column with their friction: C = R_n - mu (u1 R_t1 + u2 R_t2). Equalities are closed in all modes.
"""

from ..compilation import jit
from .dynamics import solve_upper
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
from .vectors import add_scaled, copy, dot


@jit(views=True)
def write_rows(robot, work, contact, a):
    """Write rows, columns and right sides of all that is closed, with the rate a [1/s]; return their number."""
    m = 0
    for i in range(len(robot.foot)):
        if contact.foot[i] != FREE:
            for k in range(3):
                copy(work.jacobian[i, k], work.foot_row[i, k])
                solve_upper(robot, work.factor, work.foot_row[i, k])
            work.first_row[i] = m
            m = write_foot_rows(robot, work, contact, a, i)
    for k in range(len(robot.limit)):
        if contact.limit[k] == CLOSED:
            line, sign = robot.limit_of[k], robot.limit[k, SIGN]
            gap, speed = sign * (work.line[line, LENGTH] - robot.limit[k, BOUND]), sign * work.line[line, SPEED]
            drift = 2.0 * a * speed + a * a * gap
            m = _add(robot, work, contact, m, sign, robot.line_row[line], drift)
    for k in range(len(robot.line)):
        if contact.dry[k] == AT_REST:
            m = _add(robot, work, contact, m, 1.0, robot.line_row[k], 2.0 * a * work.line[k, SPEED])
    for k in range(len(work.equality)):
        row = work.equality[k]
        drift = row[ROW_DRIFT] + 2.0 * a * row[ROW_VELOCITY] + a * a * row[ERROR]
        m = _add(robot, work, contact, m, 1.0, work.equality_jacobian[k], drift)
    return m


@jit(views=True)
def write_foot_rows(robot, work, contact, a, i):
    """Write the rows of a closed foot: its normal; tangents where it sticks; that across its slip where it creeps.

    Returns the number of the row behind them.
    """
    mode, foot, row, mu, m = contact.foot[i], work.foot[i], work.foot_row[i], robot.foot[i, MU], work.first_row[i]
    drift = foot[DRIFT] + 2.0 * a * foot[VELOCITY] + a * a * foot[GAP]
    m = _write(work, contact, m, row[0], drift)
    if mode == STICK:
        for k in range(1, 3):
            drift = foot[DRIFT + k] + max(2.0 * a, contact.settling[i]) * foot[VELOCITY + k]
            m = _write(work, contact, m, row[k], drift)
    elif mode != SMOOTH:
        e1, e2 = slip_direction(work, contact, i)
        add_scaled(-mu * e1, row[1], contact.column[m - 1])
        add_scaled(-mu * e2, row[2], contact.column[m - 1])
        if mode == CREEP:
            m = _across_rows(robot, work, contact, i, m, e1, e2)
    return m


@jit(views=True)
def _across_rows(robot, work, contact, i, m, e1, e2):
    """Write the row of a foot that creeps across its friction."""
    foot, row = work.foot[i], work.foot_row[i]
    for k in range(row.shape[1]):
        contact.row[m, k] = e1 * row[2, k] - e2 * row[1, k]
    drift = e1 * foot[DRIFT + 2] - e2 * foot[DRIFT + 1]
    drift += CREEP_RATE * (e1 * foot[VELOCITY + 2] - e2 * foot[VELOCITY + 1])
    m = _write(work, contact, m, contact.row[m], drift)
    force = abs(contact.foot_force[i, 0])
    if force > 0.0:  # as the direction turns by the force, the row turns too; a step may overrun the lift-off
        along = max(contact.along[i], 0.0)
        contact.soft[m - 1] = along * CREEP_RATE / (robot.foot[i, MU] * force)
    return m


@jit(views=True)
def _add(robot, work, contact, m, sign, jacobian, drift):
    """Add a row that was not taken through the factor yet, and its column, the same; return the next row's number."""
    for k in range(len(jacobian)):
        contact.row[m, k] = sign * jacobian[k]
    solve_upper(robot, work.factor, contact.row[m])
    return _write(work, contact, m, contact.row[m], drift)


@jit(views=True)
def _write(work, contact, m, row, drift):
    """Write a row, a column that is the same, and its right side; return the next row's number."""
    for k in range(len(row)):
        contact.row[m, k] = contact.column[m, k] = row[k]
    contact.right[m], contact.soft[m] = -drift - dot(row, work.free), 0.0
    return m + 1
