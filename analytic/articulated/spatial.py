"""Quaternions (w, x, y, z), and spatial vectors, whose angular part comes first; all for compiled code."""

from __future__ import annotations

import math

from ..compilation import jit


@jit(inline=True)
def rotate(q, x, y, z):
    """Return the vector x, y, z turned by the unit quaternion `q`, shape (4,)."""
    w, a, b, c = q[0], q[1], q[2], q[3]
    u, v, t = 2.0 * (b * z - c * y), 2.0 * (c * x - a * z), 2.0 * (a * y - b * x)
    return x + w * u + b * t - c * v, y + w * v + c * u - a * t, z + w * t + a * v - b * u


@jit(inline=True)
def product(p, w, x, y, z, out):
    """Write the product of the quaternions `p`, shape (4,), and w, x, y, z, which is that of turning by `p` last."""
    a, b, c, d = p[0], p[1], p[2], p[3]
    out[0] = a * w - b * x - c * y - d * z
    out[1] = a * x + b * w + c * z - d * y
    out[2] = a * y - b * z + c * w + d * x
    out[3] = a * z + b * y - c * x + d * w


@jit(inline=True)
def normalize(q):
    """Scale a quaternion, shape (4,), to length one."""
    scale = 1.0 / math.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    for k in range(4):
        q[k] *= scale


@jit(inline=True)
def motion_rate(velocity, motion, out):
    """Write the rate of a motion, shape (6,), that is fixed in a frame moving with `velocity`, shape (6,)."""
    a, b, c, d, e, f = velocity[0], velocity[1], velocity[2], velocity[3], velocity[4], velocity[5]
    u, v, w, x, y, z = motion[0], motion[1], motion[2], motion[3], motion[4], motion[5]
    out[0], out[1], out[2] = b * w - c * v, c * u - a * w, a * v - b * u
    out[3] = b * z - c * y + e * w - f * v
    out[4] = c * x - a * z + f * u - d * w
    out[5] = a * y - b * x + d * v - e * u


@jit(inline=True)
def add_force_rate(velocity, force, out):
    """Add the rate of a force or momentum, shape (6,), that is fixed in a frame moving with `velocity`, shape (6,)."""
    a, b, c, d, e, f = velocity[0], velocity[1], velocity[2], velocity[3], velocity[4], velocity[5]
    u, v, w, x, y, z = force[0], force[1], force[2], force[3], force[4], force[5]
    out[0] += b * w - c * v + e * z - f * y
    out[1] += c * u - a * w + f * x - d * z
    out[2] += a * v - b * u + d * y - e * x
    out[3] += b * z - c * y
    out[4] += c * x - a * z
    out[5] += a * y - b * x


@jit(inline=True)
def momentum(inertia, velocity, out):
    """Write the moment and the momentum of an inertia, shape (10,) as `Scratch.cinert`, at a velocity, shape (6,)."""
    a, b, c, d, e, f = velocity[0], velocity[1], velocity[2], velocity[3], velocity[4], velocity[5]
    m, x, y, z = inertia[0], inertia[1], inertia[2], inertia[3]
    out[0] = inertia[4] * a + inertia[7] * b + inertia[8] * c + y * f - z * e
    out[1] = inertia[7] * a + inertia[5] * b + inertia[9] * c + z * d - x * f
    out[2] = inertia[8] * a + inertia[9] * b + inertia[6] * c + x * e - y * d
    out[3], out[4], out[5] = m * d + b * z - c * y, m * e + c * x - a * z, m * f + a * y - b * x


@jit(inline=True)
def cross(a, b, c, x, y, z):
    """Return the vector product of a, b, c and x, y, z."""
    return b * z - c * y, c * x - a * z, a * y - b * x


@jit(inline=True)
def at_point(motion, x, y, z):
    """Return the linear part of a spatial velocity or acceleration, shape (6,), at the point x, y, z."""
    return (
        motion[3] + motion[1] * z - motion[2] * y,
        motion[4] + motion[2] * x - motion[0] * z,
        motion[5] + motion[0] * y - motion[1] * x,
    )
