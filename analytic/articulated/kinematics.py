"""Places, velocities, velocity-product accelerations and inertias of all bodies, from the world outward."""

from __future__ import annotations

import math

import numpy as np

from ..compilation import jit
from .layout import (
    ANCHOR,
    AXIS,
    BALL,
    DOF,
    FIRST_JOINT,
    FREE,
    HINGE,
    INERTIA,
    IPOS,
    IQUAT,
    MASS,
    N_JOINTS,
    PARENT,
    POS,
    QPOS,
    QPOS0,
    QUAT,
    SLIDE,
    TYPE,
)
from .spatial import motion_rate, normalize, product, rotate


@jit
def _start(robot, s, b, qpos):
    """Write the pose of a body before its joints move it, and its velocity and acceleration without theirs."""
    p, j, body, reference = robot.body_index[b, PARENT], robot.body_index[b, FIRST_JOINT], robot.body[b], s.reference[0]
    place, quat = s.xpos[b], s.xquat[b]
    if robot.body_index[b, N_JOINTS] > 0 and robot.joint_index[j, TYPE] == FREE:
        a = robot.joint_index[j, QPOS]
        if b == 1:
            for k in range(3):
                reference[k], s.xpos[0, k] = qpos[a + k], -qpos[a + k]
        for k in range(3):
            place[k] = qpos[a + k] - reference[k]
        for k in range(4):
            quat[k] = qpos[a + 3 + k]
        normalize(quat)
    else:
        x, y, z = rotate(s.xquat[p], body[POS], body[POS + 1], body[POS + 2])
        if b == 1:
            reference[0], reference[1], reference[2] = x, y, z
            s.xpos[0, 0], s.xpos[0, 1], s.xpos[0, 2] = -x, -y, -z
        place[0], place[1], place[2] = s.xpos[p, 0] + x, s.xpos[p, 1] + y, s.xpos[p, 2] + z
        product(s.xquat[p], body[QUAT], body[QUAT + 1], body[QUAT + 2], body[QUAT + 3], quat)
    for k in range(6):
        s.cvel[b, k], s.cacc[b, k] = s.cvel[p, k], s.cacc[p, k]


@jit(inline=True)
def _set_rotation(motion, ax, ay, az, x, y, z):
    """Write the motion of a unit turn about the axis x, y, z through the point ax, ay, az."""
    motion[0], motion[1], motion[2] = x, y, z
    motion[3], motion[4], motion[5] = ay * z - az * y, az * x - ax * z, ax * y - ay * x


@jit
def _add_velocity(s, b, first, n, qvel):
    """Add what n degrees of freedom of one joint give a body.

    Those of a ball joint turn with the body; in the sum of their rates what they give each other cancels, so that the
    velocity before the joint is enough.
    """
    for i in range(first, first + n):
        motion_rate(s.cvel[b], s.cdof[i], s.cdof_dot[i])
    for i in range(first, first + n):
        for k in range(6):
            s.cvel[b, k] += s.cdof[i, k] * qvel[i]
            s.cacc[b, k] += s.cdof_dot[i, k] * qvel[i]


@jit
def _turn(robot, s, b, j, qpos):
    """Turn a body by a hinge or a ball joint, and write the motions of it or of a free joint's turning."""
    kind, a, first = robot.joint_index[j, TYPE], robot.joint_index[j, QPOS], robot.joint_index[j, DOF]
    joint, place, quat = robot.joint[j], s.xpos[b], s.xquat[b]
    x, y, z = rotate(quat, joint[ANCHOR], joint[ANCHOR + 1], joint[ANCHOR + 2])
    ax, ay, az = place[0] + x, place[1] + y, place[2] + z
    if kind == HINGE:
        x, y, z = rotate(quat, joint[AXIS], joint[AXIS + 1], joint[AXIS + 2])
        _set_rotation(s.cdof[first], ax, ay, az, x, y, z)
        half = 0.5 * (qpos[a] - joint[QPOS0])
        turn = math.sin(half)
        product(quat, math.cos(half), turn * joint[AXIS], turn * joint[AXIS + 1], turn * joint[AXIS + 2], quat)
    else:
        if kind == BALL:
            w, x, y, z = qpos[a], qpos[a + 1], qpos[a + 2], qpos[a + 3]
            scale = 1.0 / math.sqrt(w * w + x * x + y * y + z * z)
            product(quat, scale * w, scale * x, scale * y, scale * z, quat)
        else:
            first += 3
        for k in range(3):
            x, y, z = rotate(quat, 1.0 * (k == 0), 1.0 * (k == 1), 1.0 * (k == 2))
            _set_rotation(s.cdof[first + k], ax, ay, az, x, y, z)
    x, y, z = rotate(quat, joint[ANCHOR], joint[ANCHOR + 1], joint[ANCHOR + 2])
    place[0], place[1], place[2] = ax - x, ay - y, az - z  # the anchor stays where it was


@jit
def _move(robot, s, b, j, qpos, qvel):
    """Move a body by one of its joints."""
    kind, first = robot.joint_index[j, TYPE], robot.joint_index[j, DOF]
    if kind == SLIDE:
        joint, motion = robot.joint[j], s.cdof[first]
        x, y, z = rotate(s.xquat[b], joint[AXIS], joint[AXIS + 1], joint[AXIS + 2])
        motion[0] = motion[1] = motion[2] = 0.0
        motion[3], motion[4], motion[5] = x, y, z
        moved = qpos[robot.joint_index[j, QPOS]] - joint[QPOS0]
        s.xpos[b, 0] += moved * x
        s.xpos[b, 1] += moved * y
        s.xpos[b, 2] += moved * z
    else:
        _turn(robot, s, b, j, qpos)
    if kind == FREE:
        for k in range(3):
            for i in range(6):
                s.cdof[first + k, i] = 1.0 if i == 3 + k else 0.0
        _add_velocity(s, b, first, 3, qvel)
        first += 3
    _add_velocity(s, b, first, 3 if kind <= BALL else 1, qvel)


@jit
def _write_inertia(robot, s, b, axes):
    """Write the inertia of a body about the reference, along the world's axes; `axes` (4,) is scratch."""
    body, inertia = robot.body[b], s.cinert[b]
    x, y, z = rotate(s.xquat[b], body[IPOS], body[IPOS + 1], body[IPOS + 2])
    x, y, z = x + s.xpos[b, 0], y + s.xpos[b, 1], z + s.xpos[b, 2]
    s.xipos[b, 0], s.xipos[b, 1], s.xipos[b, 2] = x, y, z
    product(s.xquat[b], body[IQUAT], body[IQUAT + 1], body[IQUAT + 2], body[IQUAT + 3], axes)
    m, i, j, k = body[MASS], body[INERTIA], body[INERTIA + 1], body[INERTIA + 2]
    a, b1, c = rotate(axes, 1.0, 0.0, 0.0)
    d, e, f = rotate(axes, 0.0, 1.0, 0.0)
    g, h, o = rotate(axes, 0.0, 0.0, 1.0)
    inertia[0], inertia[1], inertia[2], inertia[3] = m, m * x, m * y, m * z
    inertia[4] = i * a * a + j * d * d + k * g * g + m * (y * y + z * z)
    inertia[5] = i * b1 * b1 + j * e * e + k * h * h + m * (x * x + z * z)
    inertia[6] = i * c * c + j * f * f + k * o * o + m * (x * x + y * y)
    inertia[7] = i * a * b1 + j * d * e + k * g * h - m * x * y
    inertia[8] = i * a * c + j * d * f + k * g * o - m * x * z
    inertia[9] = i * b1 * c + j * e * f + k * h * o - m * y * z


@jit
def write_kinematics(robot, s, qpos, qvel):
    """Write `reference`, `xpos`, `xquat`, `xipos`, `cinert`, `cvel`, `cacc`, `cdof` and `cdof_dot` of a `Scratch`.

    Args:
        robot: `layout.Tables`.
        s: `layout.Scratch`.
        qpos: Positions as MuJoCo has them, shape (nq,) [m, rad]; quaternions need not be of length one.
        qvel: Velocities as MuJoCo has them, shape (nv,) [m/s, rad/s].
    """
    axes = np.empty(4)
    s.xquat[0, 0] = 1.0
    for b in range(1, len(robot.body)):
        _start(robot, s, b, qpos)
        for j in range(
            robot.body_index[b, FIRST_JOINT], robot.body_index[b, FIRST_JOINT] + robot.body_index[b, N_JOINTS]
        ):
            _move(robot, s, b, j, qpos, qvel)
        normalize(s.xquat[b])
        _write_inertia(robot, s, b, axes)
