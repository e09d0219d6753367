"""Equalities: rows of what holds bodies, joints or tendons together, and closes loops.

A row is the rate of an error; where bodies are welded, up to a factor of one plus the error. A connection has three,
along the world's axes, a weld three more, for turns, a pair of joints or tendons one.
"""

from ..compilation import jit
from .layout import (
    EQUALITY,
    ERROR,
    FIRST_ROW,
    LAST_DOF,
    LENGTH,
    LINES,
    NEXT,
    ONE,
    POINT_1,
    POINT_2,
    POLYNOMIAL,
    REFERENCE_1,
    REFERENCE_2,
    RELATIVE,
    ROW_DRIFT,
    ROW_VELOCITY,
    SPEED,
    TWO,
    WELD,
)
from .vectors import clear, cross, product, rotated, velocity_at


@jit(views=True)
def equalities(robot, work):
    """Write errors [m, rad], velocities, drifts and Jacobian of all equalities, after `kinematics`."""
    for k in range(len(work.equality)):
        clear(work.equality[k])
        clear(work.equality_jacobian[k])
    for n in range(len(robot.equality)):
        of, numbers = robot.equality_of[n], robot.equality[n]
        row, one, two = of[FIRST_ROW], of[ONE], of[TWO]
        if of[EQUALITY] == LINES:
            _follow(robot, work, numbers, one, two, row)
            continue
        _point(robot, work, one, numbers, POINT_1, 1.0, row)
        _point(robot, work, two, numbers, POINT_2, -1.0, row)
        if of[EQUALITY] == WELD:
            _turning(robot, work, one, 1.0, row + 3)
            _turning(robot, work, two, -1.0, row + 3)
            _turn(work, one, two, numbers, row + 3)


@jit(views=True)
def _point(robot, work, b, numbers, at, sign, row):
    """Add place, velocity and drift of a point that is fixed in a body to three rows, and what moves it."""
    x, y, z = rotated(work.xquat[b], numbers[at], numbers[at + 1], numbers[at + 2])
    x, y, z = (x + work.xpos[b, 0] - work.origin[0], y + work.xpos[b, 1] - work.origin[1],
               z + work.xpos[b, 2] - work.origin[2])  # fmt: skip
    twist = work.velocity[b]
    u, v, w = velocity_at(twist, x, y, z)
    a, c, d = velocity_at(work.drift[b], x, y, z)
    e, f, g = cross(twist[0], twist[1], twist[2], u, v, w)
    for k, (error, speed, drift) in enumerate(((x, u, a + e), (y, v, c + f), (z, w, d + g))):
        work.equality[row + k, ERROR] += sign * error
        work.equality[row + k, ROW_VELOCITY] += sign * speed
        work.equality[row + k, ROW_DRIFT] += sign * drift
    i = robot.body_of[b, LAST_DOF]
    while i >= 0:
        u, v, w = velocity_at(work.axis[i], x, y, z)
        work.equality_jacobian[row, i] += sign * u
        work.equality_jacobian[row + 1, i] += sign * v
        work.equality_jacobian[row + 2, i] += sign * w
        i = robot.dof_of[i, NEXT]


@jit(views=True)
def _turning(robot, work, b, sign, row):
    """Add the angular velocity of a body and its drift to three rows, and what turns it."""
    for k in range(3):
        work.equality[row + k, ROW_VELOCITY] += sign * work.velocity[b, k]
        work.equality[row + k, ROW_DRIFT] += sign * work.drift[b, k]
    i = robot.body_of[b, LAST_DOF]
    while i >= 0:
        for k in range(3):
            work.equality_jacobian[row + k, i] += sign * work.axis[i, k]
        i = robot.dof_of[i, NEXT]


@jit(views=True)
def _turn(work, one, two, numbers, row):
    """Write the turn, along the world's axes, that takes the second body to where the first holds it [rad].

    Twice the vector of a quaternion: exact to second order.
    """
    p, q, r = work.xquat[one], work.xquat[two], RELATIVE
    w, x, y, z = product(p[0], p[1], p[2], p[3], numbers[r], numbers[r + 1], numbers[r + 2], numbers[r + 3])
    w, x, y, z = product(w, x, y, z, q[0], -q[1], -q[2], -q[3])
    sign = 2.0 if w >= 0.0 else -2.0
    for k, part in enumerate((x, y, z)):
        work.equality[row + k, ERROR] = sign * part


@jit(views=True)
def _follow(robot, work, numbers, one, two, row):
    """Write the row of a line that is a polynomial of another, or a constant."""
    error = work.line[one, LENGTH] - numbers[REFERENCE_1] - numbers[POLYNOMIAL]
    speed, drift, slope = work.line[one, SPEED], 0.0, 0.0
    if two >= 0:
        x, v, value, bend = work.line[two, LENGTH] - numbers[REFERENCE_2], work.line[two, SPEED], 0.0, 0.0
        for k in range(4, 0, -1):  # Horner's scheme, with two derivatives
            bend = bend * x + 2.0 * slope
            slope = slope * x + value
            value = value * x + numbers[POLYNOMIAL + k]
        bend, slope = bend * x + 2.0 * slope, slope * x + value
        error, speed, drift = error - value * x, speed - slope * v, -bend * v * v
    work.equality[row, ERROR], work.equality[row, ROW_VELOCITY], work.equality[row, ROW_DRIFT] = error, speed, drift
    for i in range(len(robot.dof)):
        work.equality_jacobian[row, i] = robot.line_row[one, i]
        if two >= 0:
            work.equality_jacobian[row, i] -= slope * robot.line_row[two, i]
