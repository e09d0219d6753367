"""Quaternions (w, x, y, z), and spatial vectors, whose angular part comes first; all for compiled code.

Vectors are rows of arrays, given by array and row: a view of a row would be counted, which takes longer than what is
computed of it. For the same reason these functions neither branch nor loop.
"""

from __future__ import annotations

import math

from ..compilation import jit


@jit(inline=True)
def rotate(q, i, x, y, z):
    """Return the vector x, y, z turned by a unit quaternion, row i of shape (n, 4)."""
    w, a, b, c = q[i, 0], q[i, 1], q[i, 2], q[i, 3]
    u, v, t = 2.0 * (b * z - c * y), 2.0 * (c * x - a * z), 2.0 * (a * y - b * x)
    return x + w * u + b * t - c * v, y + w * v + c * u - a * t, z + w * t + a * v - b * u


@jit(inline=True)
def product(p, i, w, x, y, z, out, j):
    """Write the product of the quaternions p, row i, and w, x, y, z, which is that of turning by p last, to row j."""
    a, b, c, d = p[i, 0], p[i, 1], p[i, 2], p[i, 3]
    out[j, 0] = a * w - b * x - c * y - d * z
    out[j, 1] = a * x + b * w + c * z - d * y
    out[j, 2] = a * y - b * z + c * w + d * x
    out[j, 3] = a * z + b * y - c * x + d * w


@jit(inline=True)
def normalize(q, i):
    """Scale a quaternion, row i of shape (n, 4), to length one."""
    w, x, y, z = q[i, 0], q[i, 1], q[i, 2], q[i, 3]
    scale = 1.0 / math.sqrt(w * w + x * x + y * y + z * z)
    q[i, 0], q[i, 1], q[i, 2], q[i, 3] = scale * w, scale * x, scale * y, scale * z


@jit(inline=True)
def cross(a, b, c, x, y, z):
    """Return the vector product of a, b, c and x, y, z."""
    return b * z - c * y, c * x - a * z, a * y - b * x


@jit(inline=True)
def at_point(motion, i, x, y, z):
    """Return the linear part of a spatial velocity or acceleration, row i of shape (n, 6), at the point x, y, z."""
    a, b, c = motion[i, 0], motion[i, 1], motion[i, 2]
    return motion[i, 3] + b * z - c * y, motion[i, 4] + c * x - a * z, motion[i, 5] + a * y - b * x


@jit(inline=True)
def motion_rate(velocity, i, motion, j, out):
    """Write the rate of a motion, row j, that is fixed in a frame moving with a velocity, row i, to row j of `out`."""
    a, b, c, d, e, f = velocity[i, 0], velocity[i, 1], velocity[i, 2], velocity[i, 3], velocity[i, 4], velocity[i, 5]
    u, v, w, x, y, z = motion[j, 0], motion[j, 1], motion[j, 2], motion[j, 3], motion[j, 4], motion[j, 5]
    out[j, 0], out[j, 1], out[j, 2] = b * w - c * v, c * u - a * w, a * v - b * u
    out[j, 3] = b * z - c * y + e * w - f * v
    out[j, 4] = c * x - a * z + f * u - d * w
    out[j, 5] = a * y - b * x + d * v - e * u


@jit(inline=True)
def add_force_rate(velocity, i, force, j, out):
    """Add the rate of a force or momentum, row j, fixed in a frame moving with a velocity, row i, to row i of `out`."""
    a, b, c, d, e, f = velocity[i, 0], velocity[i, 1], velocity[i, 2], velocity[i, 3], velocity[i, 4], velocity[i, 5]
    u, v, w, x, y, z = force[j, 0], force[j, 1], force[j, 2], force[j, 3], force[j, 4], force[j, 5]
    out[i, 0] += b * w - c * v + e * z - f * y
    out[i, 1] += c * u - a * w + f * x - d * z
    out[i, 2] += a * v - b * u + d * y - e * x
    out[i, 3] += b * z - c * y
    out[i, 4] += c * x - a * z
    out[i, 5] += a * y - b * x


@jit(inline=True)
def momentum(inertia, i, velocity, j, out, k):
    """Write moment and momentum of an inertia, row i as of `Scratch.cinert`, at a velocity, row j, to row k."""
    a, b, c, d, e, f = velocity[j, 0], velocity[j, 1], velocity[j, 2], velocity[j, 3], velocity[j, 4], velocity[j, 5]
    m, x, y, z = inertia[i, 0], inertia[i, 1], inertia[i, 2], inertia[i, 3]
    out[k, 0] = inertia[i, 4] * a + inertia[i, 7] * b + inertia[i, 8] * c + y * f - z * e
    out[k, 1] = inertia[i, 7] * a + inertia[i, 5] * b + inertia[i, 9] * c + z * d - x * f
    out[k, 2] = inertia[i, 8] * a + inertia[i, 9] * b + inertia[i, 6] * c + x * e - y * d
    out[k, 3], out[k, 4], out[k, 5] = m * d + b * z - c * y, m * e + c * x - a * z, m * f + a * y - b * x
