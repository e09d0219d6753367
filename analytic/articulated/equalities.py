"""Equalities: rows of what holds bodies or joints together, and closes loops.

A row is the rate of an error, up to the error itself where bodies are welded: rows qvel = velocity, and rows qacc +
drift is its rate. A connection has three, along the world's axes; a weld three more, for what turns; a pair of joints
one.
"""

from __future__ import annotations

from ..compilation import jit
from .layout import (
    CONNECT,
    DOF_PARENT,
    EQUALITY_KIND,
    FIRST,
    FIRST_DOF,
    FIRST_QPOS,
    FIRST_ROW,
    JOINTS,
    LAST_DOF,
    POINT_1,
    POINT_2,
    POLYNOMIAL,
    REFERENCE_1,
    REFERENCE_2,
    RELATIVE,
    ROW_DRIFT,
    ROW_ERROR,
    ROW_VELOCITY,
    SECOND,
    SECOND_DOF,
    SECOND_QPOS,
)
from .spatial import at_point, cross, product, rotate


@jit
def _add_point(robot, s, b, local, sign, row):
    """Add place, velocity and drift of a point that is fixed in a body to three rows, and what moves it."""
    place, velocity, acceleration = s.xpos[b], s.cvel[b], s.cacc[b]
    x, y, z = rotate(s.xquat[b], local[0], local[1], local[2])
    x, y, z = x + place[0], y + place[1], z + place[2]
    u, v, w = at_point(velocity, x, y, z)
    a, c, d = at_point(acceleration, x, y, z)
    e, f, g = cross(velocity[0], velocity[1], velocity[2], u, v, w)
    for k, (error, speed, drift) in enumerate(((x, u, a + e), (y, v, c + f), (z, w, d + g))):
        s.equality[row + k, ROW_ERROR] += sign * error
        s.equality[row + k, ROW_VELOCITY] += sign * speed
        s.equality[row + k, ROW_DRIFT] += sign * drift
    i = robot.body_index[b, LAST_DOF]
    while i >= 0:
        x1, y1, z1 = at_point(s.cdof[i], x, y, z)
        s.equality_rows[row, i] += sign * x1
        s.equality_rows[row + 1, i] += sign * y1
        s.equality_rows[row + 2, i] += sign * z1
        i = robot.dof_index[i, DOF_PARENT]


@jit
def _add_turning(robot, s, b, sign, row):
    """Add angular velocity and its drift to three rows, and what turns the body."""
    for k in range(3):
        s.equality[row + k, ROW_VELOCITY] += sign * s.cvel[b, k]
        s.equality[row + k, ROW_DRIFT] += sign * s.cacc[b, k]
    i = robot.body_index[b, LAST_DOF]
    while i >= 0:
        for k in range(3):
            s.equality_rows[row + k, i] += sign * s.cdof[i, k]
        i = robot.dof_index[i, DOF_PARENT]


@jit
def _write_turn(s, one, two, relative, row, work):
    """Write the small turn, along the world's axes, that takes the second body to where the first holds it [rad].

    Exact to second order: twice the vector of a quaternion; its rate is the row's velocity where it is zero.
    """
    product(s.xquat[one], relative[0], relative[1], relative[2], relative[3], work)
    product(work, s.xquat[two, 0], -s.xquat[two, 1], -s.xquat[two, 2], -s.xquat[two, 3], work)
    sign = 2.0 if work[0] >= 0.0 else -2.0
    for k in range(3):
        s.equality[row + k, ROW_ERROR] = sign * work[1 + k]


@jit
def _write_joints(index, numbers, s, qpos, qvel, row):
    """Write the row of a joint that is a polynomial of another's position, or a constant."""
    one, dof, two, other = index[FIRST_QPOS], index[FIRST_DOF], index[SECOND_QPOS], index[SECOND_DOF]
    error, speed, drift = qpos[one] - numbers[REFERENCE_1] - numbers[POLYNOMIAL], qvel[dof], 0.0
    s.equality_rows[row, dof] += 1.0
    if two >= 0:
        x, value, slope, bend = qpos[two] - numbers[REFERENCE_2], 0.0, 0.0, 0.0
        for k in range(4, 0, -1):
            bend = bend * x + 2.0 * slope
            slope = slope * x + value
            value = value * x + numbers[POLYNOMIAL + k]
        bend = bend * x + 2.0 * slope
        slope = slope * x + value
        error -= value * x
        speed -= slope * qvel[other]
        drift -= bend * qvel[other] ** 2
        s.equality_rows[row, other] -= slope
    s.equality[row, ROW_ERROR], s.equality[row, ROW_VELOCITY], s.equality[row, ROW_DRIFT] = error, speed, drift


@jit
def write_equalities(robot, s, qpos, qvel, work):
    """Write `equality` and `equality_rows`, after `write_kinematics`; `work`, shape (4,), is scratch."""
    for row in range(len(s.equality)):
        for k in range(3):
            s.equality[row, k] = 0.0
        for k in range(len(robot.dof)):
            s.equality_rows[row, k] = 0.0
    for n in range(len(robot.equality)):
        index, numbers = robot.equality_index[n], robot.equality[n]
        row, kind, one, two = index[FIRST_ROW], index[EQUALITY_KIND], index[FIRST], index[SECOND]
        if kind == JOINTS:
            _write_joints(index, numbers, s, qpos, qvel, row)
            continue
        _add_point(robot, s, one, numbers[POINT_1:], 1.0, row)
        _add_point(robot, s, two, numbers[POINT_2:], -1.0, row)
        if kind != CONNECT:
            _add_turning(robot, s, one, 1.0, row + 3)
            _add_turning(robot, s, two, -1.0, row + 3)
            _write_turn(s, one, two, numbers[RELATIVE:], row + 3, work)
