"""Feet: gaps, velocities, and the rows that constraints and forces act through.

A foot is a sphere in its body's frame, a point if its radius is zero. The ground is a plane. Directions are its normal
and two tangents, in this order.
"""

from __future__ import annotations

from ..compilation import jit
from .layout import DOF_PARENT, DRIFT, FOOT_POS, GAP, LAST_DOF, NORMAL, ORIGIN, RADIUS, VELOCITY
from .spatial import at_point, cross, rotate


@jit(inline=True)
def _place(robot, s, i):
    """Return the centre of a foot from the reference."""
    b, foot = robot.foot_index[i, 0], robot.foot
    x, y, z = rotate(s.xquat, b, foot[i, FOOT_POS], foot[i, FOOT_POS + 1], foot[i, FOOT_POS + 2])
    return x + s.xpos[b, 0], y + s.xpos[b, 1], z + s.xpos[b, 2]


@jit
def _write_drift(robot, s, i, centre, point):
    """Write what the velocity at the point of contact gains while qacc is zero.

    The point moves with the sphere's centre, over its surface: the last term is the spin times the centre's velocity,
    not the point's, so that a rolling sphere has no drift.
    """
    b, cvel = robot.foot_index[i, 0], s.cvel
    x, y, z = at_point(s.cacc, b, point[0], point[1], point[2])
    u, v, w = at_point(cvel, b, centre[0], centre[1], centre[2])
    u, v, w = cross(cvel[b, 0], cvel[b, 1], cvel[b, 2], u, v, w)
    x, y, z = x + u, y + v, z + w
    for a in range(3):
        d = robot.world[NORMAL + a]
        s.foot[i, DRIFT + a] = x * d[0] + y * d[1] + z * d[2]


@jit
def write_foot(robot, s, i, full):
    """Write gap and velocity of a foot, with `full` also its three rows and their drift; after `write_kinematics`.

    Its velocity, along normal and tangents, is that of the point which touches the ground, rows times qvel; its
    acceleration is rows times qacc, plus drift.
    """
    b, n, origin, reference = robot.foot_index[i, 0], robot.world[NORMAL], robot.world[ORIGIN], s.reference[0]
    centre = _place(robot, s, i)
    radius = robot.foot[i, RADIUS]
    point = (centre[0] - radius * n[0], centre[1] - radius * n[1], centre[2] - radius * n[2])
    gap = (reference[0] - origin[0] + point[0]) * n[0]
    gap += (reference[1] - origin[1] + point[1]) * n[1]
    s.foot[i, GAP] = gap + (reference[2] - origin[2] + point[2]) * n[2]
    x, y, z = at_point(s.cvel, b, point[0], point[1], point[2])
    for a in range(3):
        d = robot.world[NORMAL + a]
        s.foot[i, VELOCITY + a] = x * d[0] + y * d[1] + z * d[2]
    if not full:
        return
    _write_drift(robot, s, i, centre, point)
    for a in range(3):
        for k in range(len(robot.dof)):
            s.foot_rows[3 * i + a, k] = 0.0
    k = robot.body_index[b, LAST_DOF]
    while k >= 0:
        x, y, z = at_point(s.cdof, k, point[0], point[1], point[2])
        for a in range(3):
            d = robot.world[NORMAL + a]
            s.foot_rows[3 * i + a, k] = x * d[0] + y * d[1] + z * d[2]
        k = robot.dof_index[k, DOF_PARENT]
