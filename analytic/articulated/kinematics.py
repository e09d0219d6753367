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
from .spatial import cross, motion_rate, normalize, product, rotate


@jit(inline=True)
def _start_free(qpos, a, b, xpos, xquat):
    """Write the pose of a body with a free joint, from the world's place on."""
    x, y, z = xpos[0, 0], xpos[0, 1], xpos[0, 2]
    xpos[b, 0], xpos[b, 1], xpos[b, 2] = qpos[a] + x, qpos[a + 1] + y, qpos[a + 2] + z
    xquat[b, 0], xquat[b, 1], xquat[b, 2], xquat[b, 3] = qpos[a + 3], qpos[a + 4], qpos[a + 5], qpos[a + 6]
    normalize(xquat, b)


@jit(inline=True)
def _start_fixed(body, b, p, xpos, xquat):
    """Write the pose of a body that its joints have not moved yet."""
    x, y, z = rotate(xquat, p, body[b, POS], body[b, POS + 1], body[b, POS + 2])
    xpos[b, 0], xpos[b, 1], xpos[b, 2] = xpos[p, 0] + x, xpos[p, 1] + y, xpos[p, 2] + z
    product(xquat, p, body[b, QUAT], body[b, QUAT + 1], body[b, QUAT + 2], body[b, QUAT + 3], xquat, b)


@jit(inline=True)
def _set_turning(motion, i, ax, ay, az, x, y, z):
    """Write the motion of a unit turn about the axis x, y, z through the point ax, ay, az."""
    motion[i, 0], motion[i, 1], motion[i, 2] = x, y, z
    motion[i, 3], motion[i, 4], motion[i, 5] = cross(ax, ay, az, x, y, z)


@jit(inline=True)
def _anchor(joint, j, b, xpos, xquat):
    """Return the place of a joint's anchor."""
    x, y, z = rotate(xquat, b, joint[j, ANCHOR], joint[j, ANCHOR + 1], joint[j, ANCHOR + 2])
    return xpos[b, 0] + x, xpos[b, 1] + y, xpos[b, 2] + z


@jit(inline=True)
def _hold(joint, j, b, xpos, xquat, ax, ay, az):
    """Move a body that has turned so that the joint's anchor is where it was."""
    x, y, z = rotate(xquat, b, joint[j, ANCHOR], joint[j, ANCHOR + 1], joint[j, ANCHOR + 2])
    xpos[b, 0], xpos[b, 1], xpos[b, 2] = ax - x, ay - y, az - z


@jit(inline=True)
def _slide(joint, j, b, moved, xpos, xquat, cdof, i):
    """Move a body along a slide, and write its motion."""
    x, y, z = rotate(xquat, b, joint[j, AXIS], joint[j, AXIS + 1], joint[j, AXIS + 2])
    cdof[i, 0], cdof[i, 1], cdof[i, 2], cdof[i, 3], cdof[i, 4], cdof[i, 5] = 0.0, 0.0, 0.0, x, y, z
    xpos[b, 0] += moved * x
    xpos[b, 1] += moved * y
    xpos[b, 2] += moved * z


@jit(inline=True)
def _hinge(joint, j, b, moved, xpos, xquat, cdof, i):
    """Turn a body about a hinge, and write its motion."""
    u, v, w = joint[j, AXIS], joint[j, AXIS + 1], joint[j, AXIS + 2]
    x, y, z = rotate(xquat, b, u, v, w)
    ax, ay, az = _anchor(joint, j, b, xpos, xquat)
    _set_turning(cdof, i, ax, ay, az, x, y, z)
    turn = math.sin(0.5 * moved)
    product(xquat, b, math.cos(0.5 * moved), turn * u, turn * v, turn * w, xquat, b)
    _hold(joint, j, b, xpos, xquat, ax, ay, az)


@jit(inline=True)
def _ball(joint, j, b, qpos, a, xpos, xquat, cdof, i):
    """Turn a body by a ball joint, and write its motions."""
    ax, ay, az = _anchor(joint, j, b, xpos, xquat)
    w, x, y, z = qpos[a], qpos[a + 1], qpos[a + 2], qpos[a + 3]
    scale = 1.0 / math.sqrt(w * w + x * x + y * y + z * z)
    product(xquat, b, scale * w, scale * x, scale * y, scale * z, xquat, b)
    _hold(joint, j, b, xpos, xquat, ax, ay, az)
    _set_turnings(b, xquat, cdof, i, ax, ay, az)


@jit(inline=True)
def _set_turnings(b, xquat, cdof, i, ax, ay, az):
    """Write the motions of unit turns about a body's own axes through the point ax, ay, az."""
    x, y, z = rotate(xquat, b, 1.0, 0.0, 0.0)
    _set_turning(cdof, i, ax, ay, az, x, y, z)
    x, y, z = rotate(xquat, b, 0.0, 1.0, 0.0)
    _set_turning(cdof, i + 1, ax, ay, az, x, y, z)
    x, y, z = rotate(xquat, b, 0.0, 0.0, 1.0)
    _set_turning(cdof, i + 2, ax, ay, az, x, y, z)


@jit(inline=True)
def _add_scaled(motion, i, speed, out, b):
    """Add row i of motions times a speed to row b."""
    out[b, 0] += speed * motion[i, 0]
    out[b, 1] += speed * motion[i, 1]
    out[b, 2] += speed * motion[i, 2]
    out[b, 3] += speed * motion[i, 3]
    out[b, 4] += speed * motion[i, 4]
    out[b, 5] += speed * motion[i, 5]


@jit
def _add_velocity(s, b, first, n, qvel):
    """Add what n degrees of freedom of one joint give a body.

    Those of a ball joint turn with the body; in the sum of their rates what they give each other cancels, so that the
    velocity before the joint is enough.
    """
    cdof, cdof_dot, cvel, cacc = s.cdof, s.cdof_dot, s.cvel, s.cacc
    for i in range(first, first + n):
        motion_rate(cvel, b, cdof, i, cdof_dot)
    for i in range(first, first + n):
        _add_scaled(cdof, i, qvel[i], cvel, b)
        _add_scaled(cdof_dot, i, qvel[i], cacc, b)


@jit
def _move(robot, s, b, j, qpos, qvel):
    """Move a body by one of its joints, and add its velocity."""
    kind, a, first = robot.joint_index[j, TYPE], robot.joint_index[j, QPOS], robot.joint_index[j, DOF]
    joint, xpos, xquat, cdof = robot.joint, s.xpos, s.xquat, s.cdof
    if kind == HINGE:
        _hinge(joint, j, b, qpos[a] - joint[j, QPOS0], xpos, xquat, cdof, first)
    elif kind == SLIDE:
        _slide(joint, j, b, qpos[a] - joint[j, QPOS0], xpos, xquat, cdof, first)
    elif kind == BALL:
        _ball(joint, j, b, qpos, a, xpos, xquat, cdof, first)
    else:
        for k in range(3):
            for i in range(6):
                cdof[first + k, i] = 1.0 if i == 3 + k else 0.0
        _add_velocity(s, b, first, 3, qvel)
        first += 3
        _set_turnings(b, xquat, cdof, first, xpos[b, 0], xpos[b, 1], xpos[b, 2])
    _add_velocity(s, b, first, 3 if kind <= BALL else 1, qvel)


@jit(inline=True)
def _write_inertia(body, b, xpos, xquat, xipos, cinert, axes):
    """Write the inertia of a body about the reference, along the world's axes; `axes`, shape (1, 4), is scratch."""
    x, y, z = rotate(xquat, b, body[b, IPOS], body[b, IPOS + 1], body[b, IPOS + 2])
    x, y, z = x + xpos[b, 0], y + xpos[b, 1], z + xpos[b, 2]
    xipos[b, 0], xipos[b, 1], xipos[b, 2] = x, y, z
    product(xquat, b, body[b, IQUAT], body[b, IQUAT + 1], body[b, IQUAT + 2], body[b, IQUAT + 3], axes, 0)
    m, i, j, k = body[b, MASS], body[b, INERTIA], body[b, INERTIA + 1], body[b, INERTIA + 2]
    a, c, d = rotate(axes, 0, 1.0, 0.0, 0.0)
    e, f, g = rotate(axes, 0, 0.0, 1.0, 0.0)
    h, o, p = rotate(axes, 0, 0.0, 0.0, 1.0)
    cinert[b, 0], cinert[b, 1], cinert[b, 2], cinert[b, 3] = m, m * x, m * y, m * z
    cinert[b, 4] = i * a * a + j * e * e + k * h * h + m * (y * y + z * z)
    cinert[b, 5] = i * c * c + j * f * f + k * o * o + m * (x * x + z * z)
    cinert[b, 6] = i * d * d + j * g * g + k * p * p + m * (x * x + y * y)
    cinert[b, 7] = i * a * c + j * e * f + k * h * o - m * x * y
    cinert[b, 8] = i * a * d + j * e * g + k * h * p - m * x * z
    cinert[b, 9] = i * c * d + j * f * g + k * o * p - m * y * z


@jit
def _refer(robot, s, qpos):
    """Write the reference, where the first body is, and from there the place of the world, which does not turn."""
    free = robot.body_index[1, N_JOINTS] > 0 and robot.joint_index[robot.body_index[1, FIRST_JOINT], TYPE] == FREE
    for k in range(3):
        s.reference[0, k] = qpos[robot.joint_index[0, QPOS] + k] if free else robot.body[1, POS + k]
        s.xpos[0, k] = -s.reference[0, k]
    s.xquat[0, 0] = 1.0


@jit
def write_kinematics(robot, s, qpos, qvel):
    """Write `reference`, `xpos`, `xquat`, `xipos`, `cinert`, `cvel`, `cacc`, `cdof` and `cdof_dot` of a `Scratch`.

    Args:
        robot: `layout.Tables`.
        s: `layout.Scratch`.
        qpos: Positions as MuJoCo has them, shape (nq,) [m, rad]; quaternions need not be of length one.
        qvel: Velocities as MuJoCo has them, shape (nv,) [m/s, rad/s].
    """
    axes, body, index, joint_index = np.empty((1, 4)), robot.body, robot.body_index, robot.joint_index
    xpos, xquat, xipos, cinert, cvel, cacc = s.xpos, s.xquat, s.xipos, s.cinert, s.cvel, s.cacc
    _refer(robot, s, qpos)
    for b in range(1, len(body)):
        p, first = index[b, PARENT], index[b, FIRST_JOINT]
        if index[b, N_JOINTS] > 0 and joint_index[first, TYPE] == FREE:
            _start_free(qpos, joint_index[first, QPOS], b, xpos, xquat)
        else:
            _start_fixed(body, b, p, xpos, xquat)
        for k in range(6):
            cvel[b, k], cacc[b, k] = cvel[p, k], cacc[p, k]
        for j in range(first, first + index[b, N_JOINTS]):
            _move(robot, s, b, j, qpos, qvel)
        normalize(xquat, b)
        _write_inertia(body, b, xpos, xquat, xipos, cinert, axes)


@jit
def write_rates(robot, qpos, qvel, qpos_dot):
    """Write the rates of positions, shape (nq,): velocities, and of quaternions q half of q times the spin.

    Spins of free and ball joints are along the body's axes, as MuJoCo has them.
    """
    index = robot.joint_index
    for j in range(len(index)):
        kind, a, i = index[j, TYPE], index[j, QPOS], index[j, DOF]
        if kind > BALL:
            qpos_dot[a] = qvel[i]
            continue
        if kind == FREE:
            for k in range(3):
                qpos_dot[a + k] = qvel[i + k]
            a, i = a + 3, i + 3
        w, x, y, z = 0.5 * qpos[a], 0.5 * qpos[a + 1], 0.5 * qpos[a + 2], 0.5 * qpos[a + 3]
        u, v, t = qvel[i], qvel[i + 1], qvel[i + 2]
        qpos_dot[a] = -x * u - y * v - z * t
        qpos_dot[a + 1] = w * u + y * t - z * v
        qpos_dot[a + 2] = w * v + z * u - x * t
        qpos_dot[a + 3] = w * t + x * v - y * u
