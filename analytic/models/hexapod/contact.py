r"""A toe of the hexapod on the ground: contact force, sliding, and touchdown.

World frame. W is the force on the toe without the ground's: the leg's force and its weight, T its tangential part. On
a surface of normal n that curves by k along the toe's path, with the toe at f and sliding at :math:`s = \dot f`,

.. math::

    \begin{aligned}
    \text{stick:}\quad N &= -n \cdot W \quad\text{while } \lvert T\rvert \le \mu N, \\
    \text{slide:}\quad N &= -n \cdot W + m\, n \cdot k, \qquad
    m \ddot f = W + N n - \mu N \frac{s}{\sqrt{\lvert s\rvert^2 + \varepsilon^2}},
    \end{aligned}

and the first-order variant solves :math:`(b + G)\, s + \mu N s / \lvert s\rvert = T(s = 0)`, where G is the leg's
damping seen at the toe. Source: SimSect manual 5.1.5 and 5.3.3, with errata 5, 6, 8, 12 and 26.
"""

import math

from ..ground import curvature
from .layout import P

FLIGHT, STICK, SLIDE = 0, 1, 2  # modes of a toe
GRIP = 0.999  # of the friction cone, where a sliding toe may stick: not at once slide again


def normal(gradient, x, y, p):
    """Return the upward unit normal of the ground (3), and the norm of (-h_x, -h_y, 1)."""
    hx, hy = gradient(x, y, p)
    length = math.sqrt(1.0 + hx * hx + hy * hy)
    return -hx / length, -hy / length, 1.0 / length, length


def loads(n, wx, wy, wz):
    """Return N at rest and the tangential part (3) of the force W on the toe [N]."""
    along = n[0] * wx + n[1] * wy + n[2] * wz
    return -along, wx - along * n[0], wy - along * n[1], wz - along * n[2]


def centripetal(gradient, n, x, y, vx, vy, p):
    """Return the contribution of curved ground to N of a sliding toe [N]: mass times normal acceleration."""
    return p[P.leg_mass] * curvature(gradient, x, y, vx, vy, p) / n[3]


def friction(p, pressure, vx, vy, vz):
    """Return friction over velocity [N s/m] of a toe that slides at a velocity under a normal force `pressure`."""
    eps = p[P.slide_speed]
    return p[P.friction_coeff] * pressure / math.sqrt(vx * vx + vy * vy + vz * vz + eps * eps)


def impact(p, n, vx, vy, vz):
    """Return a toe's velocity after touchdown (3): it does not bounce; friction acts as far as its cone allows."""
    if p[P.full_stop] == 1.0 or p[P.first_order_slide] == 1.0:
        return 0.0, 0.0, 0.0
    into = n[0] * vx + n[1] * vy + n[2] * vz
    tx, ty, tz = vx - into * n[0], vy - into * n[1], vz - into * n[2]
    speed = math.sqrt(tx * tx + ty * ty + tz * tz)
    taken = p[P.friction_coeff] * abs(into)
    if speed <= taken:
        return 0.0, 0.0, 0.0
    rest = 1.0 - taken / speed
    return rest * tx, rest * ty, rest * tz


def tangents(n):
    """Return two unit vectors (6) that span the plane with unit normal n."""
    size = math.sqrt(n[0] * n[0] + n[2] * n[2])
    ax, az = n[2] / size, -n[0] / size
    return ax, 0.0, az, n[1] * az, n[2] * ax - n[0] * az, -n[1] * ax


def first_order_speed(b, mu, rest, load, slope):
    """Return the sliding velocity (2) of a massless toe in the tangent plane [m/s], zero inside the friction cone.

    Solves (b + G) s + mu N s / |s| = T with N = rest - slope.s; b is the mobility [N s/m], `load` has T at s = 0 (2),
    and G row by row (4). Friction over speed, kappa = mu N / |s|, is the unknown: s = (b + G + kappa)^-1 T, and
    kappa |s| - mu N is negative at kappa = 0 and positive for large kappa.
    """
    t0, t1, g00, g01, g10, g11 = load
    if math.sqrt(t0 * t0 + t1 * t1) <= mu * rest:
        return 0.0, 0.0
    low, high, at_low, at_high, s0, s1 = 0.0, math.inf, -1.0, 1.0, 0.0, 0.0
    kappa = 0.0
    for _ in range(200):
        a, c = b + g00 + kappa, b + g11 + kappa
        det = a * c - g01 * g10
        s0, s1 = (c * t0 - g01 * t1) / det, (a * t1 - g10 * t0) / det
        excess = kappa * math.sqrt(s0 * s0 + s1 * s1) - mu * max(rest - slope[0] * s0 - slope[1] * s1, 0.0)
        if abs(excess) <= 1e-12 * mu * rest or high * (1.0 - 1e-15) <= low:
            break
        if excess > 0.0:
            high, at_high, at_low = kappa, excess, 0.5 * at_low  # halved: the Illinois rule
        else:
            low, at_low, at_high = kappa, excess, 0.5 * at_high
        if high == math.inf:
            kappa = 2.0 * kappa + b
        else:
            kappa = (low * at_high - high * at_low) / (at_high - at_low)
    return s0, s1
