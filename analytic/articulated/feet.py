"""Gap and motion of the feet's contact points on the plane of the ground.

A foot is a sphere (radius 0: a corner). Its contact point is at its centre C less radius times the ground's normal. The
row is the material's velocity there; its drift, what the acceleration of that velocity is at zero joint acceleration,
counts that the point moves with the centre, not with the material: a sphere rolls without centripetal force.
"""

from ..compilation import jit
from .layout import CENTRE, DRIFT, GAP, LAST_DOF, NEXT, RADIUS, VELOCITY
from .modes import FREE
from .vectors import clear, cross, rotated, velocity_at


@jit(views=True)
def feet(robot, work):
    """Write gap [m], velocity [m/s], drift [m/s^2] and Jacobian of all feet, along normal and tangents."""
    for i in range(len(robot.foot)):
        _motion(robot, work, i)


@jit(views=True)
def closed_feet(robot, work, contact):
    """Write what the modes' field asks for: of feet in the air their gap alone, so that far ones cost little."""
    for i in range(len(robot.foot)):
        if contact.foot[i] == FREE:
            _centre(robot, work, i)
        else:
            _motion(robot, work, i)


@jit(views=True)
def _centre(robot, work, i):
    """Write the gap; return the foot's centre, along the world's axes."""
    b, u, ground = robot.foot_of[i], robot.foot[i], robot.ground
    x, y, z = rotated(work.xquat[b], u[CENTRE], u[CENTRE + 1], u[CENTRE + 2])
    x, y, z = work.xpos[b, 0] + x, work.xpos[b, 1] + y, work.xpos[b, 2] + z
    gap = (x - ground[0, 0]) * ground[1, 0] + (y - ground[0, 1]) * ground[1, 1] + (z - ground[0, 2]) * ground[1, 2]
    work.foot[i, GAP] = gap - u[RADIUS]
    return x, y, z


@jit(views=True)
def _motion(robot, work, i):
    b, r, ground, row = robot.foot_of[i], robot.foot[i, RADIUS], robot.ground, work.foot[i]
    n0, n1, n2 = ground[1, 0], ground[1, 1], ground[1, 2]
    c0, c1, c2 = _centre(robot, work, i)
    c0, c1, c2 = c0 - work.origin[0], c1 - work.origin[1], c2 - work.origin[2]
    p0, p1, p2 = c0 - r * n0, c1 - r * n1, c2 - r * n2
    v0, v1, v2 = velocity_at(work.velocity[b], p0, p1, p2)
    w0, w1, w2 = work.velocity[b, 0], work.velocity[b, 1], work.velocity[b, 2]
    m0, m1, m2 = velocity_at(work.velocity[b], c0, c1, c2)
    a0, a1, a2 = velocity_at(work.drift[b], p0, p1, p2)
    s0, s1, s2 = cross(w0, w1, w2, m0, m1, m2)
    for k in range(3):
        t = ground[1 + k]
        row[VELOCITY + k] = v0 * t[0] + v1 * t[1] + v2 * t[2]
        row[DRIFT + k] = (a0 + s0) * t[0] + (a1 + s1) * t[1] + (a2 + s2) * t[2]
        clear(work.jacobian[i, k])
    dof = robot.body_of[b, LAST_DOF]
    while dof >= 0:
        s0, s1, s2 = velocity_at(work.axis[dof], p0, p1, p2)
        for k in range(3):
            work.jacobian[i, k, dof] = s0 * ground[1 + k, 0] + s1 * ground[1 + k, 1] + s2 * ground[1 + k, 2]
        dof = robot.dof_of[dof, NEXT]
