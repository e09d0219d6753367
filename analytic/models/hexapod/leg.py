r"""One leg of the hexapod: kinematics and forces. Scalar functions for the compiled field.

A leg is a vector from hip to toe with length rho, splay theta and hip angle phi (`hexapod.leg_vector`); its axes are

.. math::

    u = v / \rho, \qquad e_\theta = (\cos\theta,\ -\sin\theta \sin\varphi,\ \sin\theta \cos\varphi), \qquad
    e_\varphi = (0,\ \cos\varphi,\ \sin\varphi)

and it pushes its toe, in the body frame, with

.. math:: q = F_r u + \frac{\tau_\theta}{\rho} e_\theta + \frac{\tau_\varphi}{\rho \cos\theta} e_\varphi,

and the body with -q at the toe's place. The power of q is
:math:`F_r \dot\rho + \tau_\theta \dot\theta + \tau_\varphi \dot\varphi`.
Source: SimSect manual 5.1.2 and 5.1.8, with the rates as projections instead of the printed expressions (errata 13-16).
"""

import math

from .layout import P
from .parameters import RPM
from .state import TOES


def rotation(x):
    """Return the rotation matrix row by row (9), body axes to world axes; the quaternion may have any length."""
    w, a, b, c = x[3], x[4], x[5], x[6]
    s = 2.0 / (w * w + a * a + b * b + c * c)
    return (
        1.0 - s * (b * b + c * c),
        s * (a * b - w * c),
        s * (a * c + w * b),
        s * (a * b + w * c),
        1.0 - s * (a * a + c * c),
        s * (b * c - w * a),
        s * (a * c - w * b),
        s * (b * c + w * a),
        1.0 - s * (a * a + b * b),
    )


def to_world(R, x, y, z):
    """Return a vector of the body frame in the world frame."""
    return R[0] * x + R[1] * y + R[2] * z, R[3] * x + R[4] * y + R[5] * z, R[6] * x + R[7] * y + R[8] * z


def to_body(R, x, y, z):
    """Return a vector of the world frame in the body frame."""
    return R[0] * x + R[3] * y + R[6] * z, R[1] * x + R[4] * y + R[7] * z, R[2] * x + R[5] * y + R[8] * z


def place(x, p, leg, R):
    """Return the toe relative to the body's centre (3, body frame) [m], and rho, sin th, cos th, sin ph, cos ph."""
    k = TOES + 6 * leg
    wx, wy, wz = to_body(R, x[k] - x[0], x[k + 1] - x[1], x[k + 2] - x[2])
    a = P.attach0_x + 3 * leg
    lx, ly, lz = wx - p[a], wy - p[a + 1], wz - p[a + 2]
    c = ly * ly + lz * lz
    rho = math.sqrt(lx * lx + c)
    c = math.sqrt(c)
    return wx, wy, wz, rho, lx / rho, c / rho, ly / c, -lz / c


def motion(x, R, at, vx, vy, vz):
    """Return the rates rho' [m/s], th' and ph' [rad/s] of a leg at a place, its toe moving at (vx, vy, vz), world."""
    wx, wy, wz, rho, st, ct, sp, cp = at
    bx, by, bz = to_body(R, vx - x[7], vy - x[8], vz - x[9])
    bx -= x[11] * wz - x[12] * wy
    by -= x[12] * wx - x[10] * wz
    bz -= x[10] * wy - x[11] * wx
    across = sp * by - cp * bz  # along the leg's projection on the plane of its hip circle
    return st * bx + ct * across, (ct * bx - st * across) / rho, (cp * by + sp * bz) / (rho * ct)


def hip_angles(x, p, R):
    """Return the six hip angles in (-pi, pi] [rad]."""
    a0, a1, a2 = place(x, p, 0, R), place(x, p, 1, R), place(x, p, 2, R)
    a3, a4, a5 = place(x, p, 3, R), place(x, p, 4, R), place(x, p, 5, R)
    return (
        math.atan2(a0[6], a0[7]),
        math.atan2(a1[6], a1[7]),
        math.atan2(a2[6], a2[7]),
        math.atan2(a3[6], a3[7]),
        math.atan2(a4[6], a4[7]),
        math.atan2(a5[6], a5[7]),
    )


def wrap(angle):
    """Return an angle in (-pi, pi]."""
    if -math.pi < angle <= math.pi:
        return angle
    return math.pi - (math.pi - angle) % (2.0 * math.pi)


def limit_torque(p, torque, speed):
    """Return the torque delivered by the hip motor [N m], as `motor.Motor.limit`."""
    most = p[P.max_torque]
    lost = speed * most / (p[P.max_speed] * RPM * p[P.gear_ratio])
    low = min(max(-most - lost, -most), most)
    high = min(max(most - lost, -most), most)
    return min(max(torque, low), high)


def stop_force(p, leg, rho):
    """Return the force of the end stop of the leg's extension [N], negative: it pulls the toe back (erratum 9)."""
    over = rho - p[P.rho0_r0 + leg]
    if p[P.stop_force] == 0.0 or over <= 0.0:
        return 0.0
    return -p[P.stop_force] * (math.exp(over / p[P.stop_length]) - 1.0)


def spring_forces(p, leg, at):
    """Return the springs' radial force [N] and splay torque [N m]."""
    _, _, _, rho, st, ct, _, _ = at
    radial = -p[P.rho0_k + leg] * (rho - p[P.rho0_r0 + leg]) + stop_force(p, leg, rho)
    return radial, -p[P.theta0_k + leg] * (math.atan2(st, ct) - p[P.theta0_r0 + leg])


def push(at, radial, splay, hip):
    """Return the leg's force on its toe, body frame [N], from radial force [N], splay and hip torque [N m]."""
    _, _, _, rho, st, ct, sp, cp = at
    aside, ahead = splay / rho, hip / (rho * ct)
    across = radial * ct - aside * st
    return radial * st + aside * ct, across * sp + ahead * cp, -across * cp + ahead * sp
