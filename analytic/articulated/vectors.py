"""Quaternions (w, x, y, z, as MuJoCo's) and spatial vectors (angular, linear) in plain loops, for compiled callers."""

import math

from ..compilation import jit


@jit(inline=True, views=True)
def rotated(quat, x, y, z):
    """Return the vector (x, y, z) turned by a unit quaternion."""
    w, a, b, c = quat[0], quat[1], quat[2], quat[3]
    u, v, s = 2.0 * (b * z - c * y), 2.0 * (c * x - a * z), 2.0 * (a * y - b * x)
    return x + w * u + b * s - c * v, y + w * v + c * u - a * s, z + w * s + a * v - b * u


@jit(inline=True, views=True)
def product(p0, p1, p2, p3, q0, q1, q2, q3):
    """Return the product of two quaternions."""
    w, x = p0 * q0 - p1 * q1 - p2 * q2 - p3 * q3, p0 * q1 + p1 * q0 + p2 * q3 - p3 * q2
    return w, x, p0 * q2 - p1 * q3 + p2 * q0 + p3 * q1, p0 * q3 + p1 * q2 - p2 * q1 + p3 * q0


@jit(inline=True, views=True)
def copy(source, target):
    """Copy a vector to another."""
    for k in range(len(target)):
        target[k] = source[k]


@jit(inline=True, views=True)
def fill(value, vector):
    """Set all numbers of a vector to a value."""
    for k in range(len(vector)):
        vector[k] = value


@jit(inline=True, views=True)
def add(source, target):
    """Add a vector to another, in place."""
    for k in range(len(target)):
        target[k] += source[k]


@jit(inline=True, views=True)
def add_scaled(factor, source, target):
    """Add a multiple of a vector to another, in place."""
    for k in range(len(target)):
        target[k] += factor * source[k]


@jit(inline=True, views=True)
def clear(vector):
    """Set a vector to zero."""
    fill(0.0, vector)


@jit(views=True)
def largest(vector):
    """Return the largest size of a vector's numbers, or zero."""
    found = 0.0
    for k in range(len(vector)):
        found = max(found, abs(vector[k]))
    return found


@jit(views=True)
def largest_difference(a, b):
    """Return the largest size of the difference of two vectors' numbers, or zero."""
    found = 0.0
    for k in range(len(a)):
        found = max(found, abs(a[k] - b[k]))
    return found


@jit(views=True)
def multiply(p, q, out):
    """Write the product of two quaternions, which may be one of them."""
    out[0], out[1], out[2], out[3] = product(p[0], p[1], p[2], p[3], q[0], q[1], q[2], q[3])


@jit(views=True)
def normalise(quat):
    """Scale a quaternion to length one, in place."""
    size = math.sqrt(quat[0] * quat[0] + quat[1] * quat[1] + quat[2] * quat[2] + quat[3] * quat[3])
    for k in range(4):
        quat[k] /= size


@jit(inline=True, views=True)
def cross(a0, a1, a2, b0, b1, b2):
    """Return the vector product a x b."""
    return a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0


@jit(inline=True, views=True)
def velocity_at(twist, x, y, z):
    """Return the linear velocity, at the point (x, y, z) from the origin, of a spatial velocity."""
    u, v, w = cross(twist[0], twist[1], twist[2], x, y, z)
    return twist[3] + u, twist[4] + v, twist[5] + w


@jit(views=True)
def cross_motion(velocity, axis, out):
    """Write the rate of a spatial axis that moves with `velocity`: the product of motions."""
    out[0], out[1], out[2] = cross(velocity[0], velocity[1], velocity[2], axis[0], axis[1], axis[2])
    a0, a1, a2 = cross(velocity[0], velocity[1], velocity[2], axis[3], axis[4], axis[5])
    b0, b1, b2 = cross(velocity[3], velocity[4], velocity[5], axis[0], axis[1], axis[2])
    out[3], out[4], out[5] = a0 + b0, a1 + b1, a2 + b2


@jit(views=True)
def add_cross_force(velocity, momentum, out):
    """Add the rate of a momentum (moment, linear) that moves with `velocity`: the product of motion and force."""
    a0, a1, a2 = cross(velocity[0], velocity[1], velocity[2], momentum[0], momentum[1], momentum[2])
    b0, b1, b2 = cross(velocity[3], velocity[4], velocity[5], momentum[3], momentum[4], momentum[5])
    c0, c1, c2 = cross(velocity[0], velocity[1], velocity[2], momentum[3], momentum[4], momentum[5])
    out[0] += a0 + b0
    out[1] += a1 + b1
    out[2] += a2 + b2
    out[3] += c0
    out[4] += c1
    out[5] += c2


@jit(views=True)
def momentum(inertia, velocity, out):
    """Write the momentum (moment, linear) of an inertia (mass, first moments, xx, yy, zz, xy, xz, yz) at a velocity."""
    m, hx, hy, hz = inertia[0], inertia[1], inertia[2], inertia[3]
    p, q, r = velocity[0], velocity[1], velocity[2]
    a0, a1, a2 = cross(hx, hy, hz, velocity[3], velocity[4], velocity[5])
    b0, b1, b2 = cross(p, q, r, hx, hy, hz)
    out[0] = inertia[4] * p + inertia[7] * q + inertia[8] * r + a0
    out[1] = inertia[7] * p + inertia[5] * q + inertia[9] * r + a1
    out[2] = inertia[8] * p + inertia[9] * q + inertia[6] * r + a2
    out[3], out[4], out[5] = m * velocity[3] + b0, m * velocity[4] + b1, m * velocity[5] + b2


@jit(fast=True, inline=True, views=True)
def dot(a, b):
    """Return the product of two vectors, summed in any order."""
    total = 0.0
    for k in range(len(a)):
        total += a[k] * b[k]
    return total


@jit(inline=True, views=True)
def plain_dot(a, b):
    """Return the product of two vectors, summed in their order."""
    total = 0.0
    for k in range(len(a)):
        total += a[k] * b[k]
    return total


@jit(inline=True, views=True)
def dot6(a, b):
    """Return the product of a motion and a force."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] + a[4] * b[4] + a[5] * b[5]
