"""Places, velocities and inertias of all bodies, from positions and speeds; joints as MuJoCo has them."""

import math

from ..compilation import jit
from .layout import (
    ANCHOR,
    AXIS,
    BALL,
    DOFADR,
    END_DOF,
    FIRST_DOF,
    FREE,
    INERTIA,
    IPOS,
    IQUAT,
    JOINT_COUNT,
    JOINT_START,
    KIND,
    LENGTH,
    MASS,
    PARENT,
    POS,
    POSITION,
    QPOS0,
    QPOSADR,
    QUAT,
    SLIDE,
    SPEED,
)
from .vectors import clear, copy, cross_motion, multiply, normalise, rotated


@jit(views=True)
def kinematics(robot, work, qpos, qvel):
    """Write place, velocity, drift, axes and inertia of all bodies.

    Quaternions in `qpos` may have any length but zero; the mechanics is that of their direction.
    """
    work.xquat[0, 0] = 1.0
    for b in range(1, len(robot.body)):
        _place_frame(robot, work, b, qpos)
        if b == 1:
            copy(work.xpos[1], work.origin)
        parent = robot.body_of[b, PARENT]
        for k in range(6):
            work.velocity[b, k] = work.velocity[parent, k]
            work.drift[b, k] = work.drift[parent, k]
        start = robot.body_of[b, JOINT_START]
        for j in range(start, start + robot.body_of[b, JOINT_COUNT]):
            n, first = _move(robot, work, b, j, qpos, qvel)
            # All axes of a joint turn with the body, so that the velocity before the joint gives their rates.
            for i in range(first, first + n):
                cross_motion(work.velocity[b], work.axis[i], work.axis_rate[i])
            for i in range(first, first + n):
                for k in range(6):
                    work.velocity[b, k] += work.axis[i, k] * qvel[i]
                    work.drift[b, k] += work.axis_rate[i, k] * qvel[i]
        _inertia(robot, work, b)
    lines(robot, work, qpos, qvel)


@jit(views=True)
def _place_frame(robot, work, b, qpos):
    """Write where the body's frame is before its joints move it; a free joint's place is its position."""
    parent, place = robot.body_of[b, PARENT], work.xpos[b]
    start = robot.body_of[b, JOINT_START]
    if robot.body_of[b, JOINT_COUNT] > 0 and robot.joint_of[start, KIND] == FREE:
        q = robot.joint_of[start, QPOSADR]
        copy(qpos[q : q + 3], place)
        copy(qpos[q + 3 : q + 7], work.xquat[b])
        normalise(work.xquat[b])
        return
    u = robot.body[b]
    x, y, z = rotated(work.xquat[parent], u[POS], u[POS + 1], u[POS + 2])
    place[0], place[1], place[2] = work.xpos[parent, 0] + x, work.xpos[parent, 1] + y, work.xpos[parent, 2] + z
    multiply(work.xquat[parent], u[QUAT : QUAT + 4], work.xquat[b])


@jit(views=True)
def _move(robot, work, b, j, qpos, qvel):
    """Move the body by its joint j and write the joint's axes. Returns how many have speeds to add, and the first.

    A free joint's slides are along the world's axes, at rest: their speeds are added here, before its turn.
    """
    kind, q, first = robot.joint_of[j, KIND], robot.joint_of[j, QPOSADR], robot.joint_of[j, DOFADR]
    u, place, quat = robot.joint[j], work.xpos[b], work.xquat[b]
    if kind == FREE:
        for k in range(3):
            clear(work.axis[first + k])
            clear(work.axis_rate[first + k])
            work.axis[first + k, 3 + k] = 1.0
            work.velocity[b, 3 + k] += qvel[first + k]
        _turning_axes(work, first + 3, quat, place)
        return 3, first + 3
    if kind == SLIDE:
        x, y, z = rotated(quat, u[AXIS], u[AXIS + 1], u[AXIS + 2])
        way = qpos[q] - u[QPOS0]
        place[0], place[1], place[2] = place[0] + way * x, place[1] + way * y, place[2] + way * z
        clear(work.axis[first, :3])
        work.axis[first, 3], work.axis[first, 4], work.axis[first, 5] = x, y, z
        return 1, first
    x, y, z = rotated(quat, u[ANCHOR], u[ANCHOR + 1], u[ANCHOR + 2])
    anchor, turn = work.scratch[0], work.scratch[1]
    anchor[0], anchor[1], anchor[2] = place[0] + x, place[1] + y, place[2] + z
    if kind == BALL:
        copy(qpos[q : q + 4], turn[:4])
        normalise(turn)
        multiply(quat, turn, quat)
        _turning_axes(work, first, quat, anchor)
    else:
        half = 0.5 * (qpos[q] - u[QPOS0])
        s = math.sin(half)
        turn[0], turn[1], turn[2], turn[3] = math.cos(half), s * u[AXIS], s * u[AXIS + 1], s * u[AXIS + 2]
        x, y, z = rotated(quat, u[AXIS], u[AXIS + 1], u[AXIS + 2])
        _turning_axis(work, first, x, y, z, anchor)
        multiply(quat, turn, quat)
    x, y, z = rotated(quat, u[ANCHOR], u[ANCHOR + 1], u[ANCHOR + 2])
    place[0], place[1], place[2] = anchor[0] - x, anchor[1] - y, anchor[2] - z
    return (3 if kind == BALL else 1), first


@jit(views=True)
def _turning_axes(work, first, quat, anchor):
    """Write the axes of a ball joint or of a free one: those of the body, as `qvel` has them."""
    x, y, z = rotated(quat, 1.0, 0.0, 0.0)
    _turning_axis(work, first, x, y, z, anchor)
    x, y, z = rotated(quat, 0.0, 1.0, 0.0)
    _turning_axis(work, first + 1, x, y, z, anchor)
    x, y, z = rotated(quat, 0.0, 0.0, 1.0)
    _turning_axis(work, first + 2, x, y, z, anchor)


@jit(views=True)
def _turning_axis(work, i, x, y, z, anchor):
    """Write the spatial axis of a turn about (x, y, z) through the anchor: (e, anchor x e)."""
    p, q, r = anchor[0] - work.origin[0], anchor[1] - work.origin[1], anchor[2] - work.origin[2]
    a = work.axis[i]
    a[0], a[1], a[2], a[3], a[4], a[5] = x, y, z, q * z - r * y, r * x - p * z, p * y - q * x


@jit(views=True)
def _inertia(robot, work, b):
    """Write centre of mass and inertia of the body about the origin, along the world's axes."""
    u, quat, turn = robot.body[b], work.xquat[b], work.scratch[1]
    x, y, z = rotated(quat, u[IPOS], u[IPOS + 1], u[IPOS + 2])
    c0, c1, c2 = (x + work.xpos[b, 0] - work.origin[0], y + work.xpos[b, 1] - work.origin[1],
                  z + work.xpos[b, 2] - work.origin[2])  # fmt: skip
    work.com[b, 0], work.com[b, 1], work.com[b, 2] = c0, c1, c2
    multiply(quat, u[IQUAT : IQUAT + 4], turn)
    i, m = work.inertia[b], u[MASS]
    square = c0 * c0 + c1 * c1 + c2 * c2
    i[0], i[1], i[2], i[3] = m, m * c0, m * c1, m * c2
    i[4], i[5], i[6] = m * (square - c0 * c0), m * (square - c1 * c1), m * (square - c2 * c2)
    i[7], i[8], i[9] = -m * c0 * c1, -m * c0 * c2, -m * c1 * c2
    for k in range(3):
        x, y, z = rotated(turn, 1.0 if k == 0 else 0.0, 1.0 if k == 1 else 0.0, 1.0 if k == 2 else 0.0)
        s = u[INERTIA + k]
        i[4] += s * x * x
        i[5] += s * y * y
        i[6] += s * z * z
        i[7] += s * x * y
        i[8] += s * x * z
        i[9] += s * y * z


@jit(views=True)
def lines(robot, work, qpos, qvel):
    """Write length and speed of all lines."""
    for k in range(len(robot.line)):
        length = speed = 0.0
        for i in range(robot.line_of[k, FIRST_DOF], robot.line_of[k, END_DOF]):
            if robot.line_row[k, i] != 0.0:
                length += robot.line_row[k, i] * qpos[robot.dof_of[i, POSITION]]
                speed += robot.line_row[k, i] * qvel[i]
        work.line[k, LENGTH], work.line[k, SPEED] = length, speed
