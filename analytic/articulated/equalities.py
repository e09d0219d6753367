"""Equalities: rows of what holds bodies or joints together, and closes loops.

A row is the rate of an error, up to the error itself where bodies are welded: rows qvel = velocity, and rows qacc +
drift is its rate. A connection has three, along the world's axes; a weld three more, for what turns; a pair of joints
one.
"""

from __future__ import annotations

import numpy as np

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
def _add_point(robot, s, b, n, column, sign, row):
    """Add place, velocity and drift of a point that is fixed in a body to three rows, and what moves it.

    Where it is in the body's frame stands in row n of the equalities, from a column on.
    """
    cvel, numbers = s.cvel, robot.equality
    x, y, z = rotate(s.xquat, b, numbers[n, column], numbers[n, column + 1], numbers[n, column + 2])
    x, y, z = x + s.xpos[b, 0], y + s.xpos[b, 1], z + s.xpos[b, 2]
    u, v, w = at_point(cvel, b, x, y, z)
    a, c, d = at_point(s.cacc, b, x, y, z)
    e, f, g = cross(cvel[b, 0], cvel[b, 1], cvel[b, 2], u, v, w)
    for k, (error, speed, drift) in enumerate(((x, u, a + e), (y, v, c + f), (z, w, d + g))):
        s.equality[row + k, ROW_ERROR] += sign * error
        s.equality[row + k, ROW_VELOCITY] += sign * speed
        s.equality[row + k, ROW_DRIFT] += sign * drift
    i = robot.body_index[b, LAST_DOF]
    while i >= 0:
        u, v, w = at_point(s.cdof, i, x, y, z)
        s.equality_rows[row, i] += sign * u
        s.equality_rows[row + 1, i] += sign * v
        s.equality_rows[row + 2, i] += sign * w
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
def _write_turn(robot, s, n, one, two, row, work):
    """Write the small turn, along the world's axes, that takes the second body to where the first holds it [rad].

    Exact to second order: twice the vector of a quaternion; its rate is the row's velocity where it is zero.
    """
    r, xquat = robot.equality, s.xquat
    product(xquat, one, r[n, RELATIVE], r[n, RELATIVE + 1], r[n, RELATIVE + 2], r[n, RELATIVE + 3], work, 0)
    product(work, 0, xquat[two, 0], -xquat[two, 1], -xquat[two, 2], -xquat[two, 3], work, 0)
    sign = 2.0 if work[0, 0] >= 0.0 else -2.0
    for k in range(3):
        s.equality[row + k, ROW_ERROR] = sign * work[0, 1 + k]


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
def write_equalities(robot, s, qpos, qvel):
    """Write `equality` and `equality_rows`, after `write_kinematics`."""
    work = np.empty((1, 4))
    for row in range(len(s.equality)):
        for k in range(3):
            s.equality[row, k] = 0.0
        for k in range(len(robot.dof)):
            s.equality_rows[row, k] = 0.0
    for n in range(len(robot.equality)):
        index = robot.equality_index[n]
        row, kind, one, two = index[FIRST_ROW], index[EQUALITY_KIND], index[FIRST], index[SECOND]
        if kind == JOINTS:
            _write_joints(index, robot.equality[n], s, qpos, qvel, row)
            continue
        _add_point(robot, s, one, n, POINT_1, 1.0, row)
        _add_point(robot, s, two, n, POINT_2, -1.0, row)
        if kind != CONNECT:
            _add_turning(robot, s, one, 1.0, row + 3)
            _add_turning(robot, s, two, -1.0, row + 3)
            _write_turn(robot, s, n, one, two, row + 3, work)
