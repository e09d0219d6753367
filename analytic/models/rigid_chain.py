r"""A chain of rigid links: mass matrix, bias and Jacobians by recursion over the links.

.. math:: M(q)\, \ddot q + h(q, \dot q) = \tau, \qquad h = C \dot q + G

with the generalised forces :math:`\tau`. Joint k turns link k about an axis of the frame before it, or slides it along
one; the link's frame sits on the joint and moves with the link. A chain of n links is described by

    joints      (n,)    0, 1, 2: hinge about x, y, z;  3, 4, 5: slide along x, y, z
    offset      (n, 3)  of the joint from the frame before, in that frame [m]
    mass        (n,)    [kg]
    com         (n, 3)  mass centre, in the link's frame [m]
    inertia     (n, 6)  about the mass centre, in the link's frame: xx, yy, zz, xy, xz, yz [kg m^2]

`frames`, shape (n + 1, 7, 3), holds the world and then the links, all in the world's axes: a frame's unit vectors (rows
0 to 2), the vector to its origin from the frame before, its angular velocity, and, at ddq = 0, its angular acceleration
and the acceleration of its origin. No term depends on absolute position: far from the origin no digits are lost.

Newton's and Euler's equations of the links, projected on the chain's motions (Kane): with J_k the Jacobian of link k's
mass centre and rotation, and f_k the force and moment that its motion at ddq = 0 requires,

.. math:: M = \sum_k J_k^\top \operatorname{diag}(m_k, I_k)\, J_k, \qquad h = \sum_k J_k^\top f_k.

Source: Featherstone, Rigid Body Dynamics Algorithms (2008), chapters 2 and 5, for recursion and notation.

Plain functions of arrays, results written into the last; numba compiles them into their callers.
"""

import math

import numpy as np

SLIDE = 3  # joints from here on slide
WAY, SPIN, SPIN_RATE, ACCELERATION = 3, 4, 5, 6  # rows of a frame


def cross(a, b):
    """Return the vector product."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def along(frame, local):
    """Return a link's vector in the world's axes."""
    x, y, z = local[0], local[1], local[2]
    return (
        frame[0, 0] * x + frame[1, 0] * y + frame[2, 0] * z,
        frame[0, 1] * x + frame[1, 1] * y + frame[2, 1] * z,
        frame[0, 2] * x + frame[1, 2] * y + frame[2, 2] * z,
    )


def acceleration(frame, way):
    """Return the acceleration at ddq = 0 of a point fixed in a link, `way` from its origin in the world's axes."""
    a, b = cross(frame[SPIN_RATE], way), cross(frame[SPIN], cross(frame[SPIN], way))
    origin = frame[ACCELERATION]
    return origin[0] + a[0] + b[0], origin[1] + a[1] + b[1], origin[2] + a[2] + b[2]


def link_frames(joints, offset, q, dq, frames):
    """Write the frames of world and links, shape (n + 1, 7, 3), from the joints' positions and speeds."""
    for row in range(7):
        for i in range(3):
            frames[0, row, i] = 1.0 if row == i else 0.0
    for k in range(len(joints)):
        before, link, axis = frames[k], frames[k + 1], joints[k] % 3
        hinge = joints[k] < SLIDE
        way = along(before, offset[k])
        e = before[axis, 0], before[axis, 1], before[axis, 2]
        gyration = cross(before[SPIN], e)  # rate of the axis
        if not hinge:
            way = way[0] + e[0] * q[k], way[1] + e[1] * q[k], way[2] + e[2] * q[k]
        _turn(before, link, axis, q[k] if hinge else 0.0)
        a, turning, sliding = acceleration(before, way), dq[k] if hinge else 0.0, 0.0 if hinge else 2.0 * dq[k]
        for i in range(3):
            link[WAY, i] = way[i]
            link[SPIN, i] = before[SPIN, i] + e[i] * turning
            link[SPIN_RATE, i] = before[SPIN_RATE, i] + gyration[i] * turning
            link[ACCELERATION, i] = a[i] + gyration[i] * sliding


def _turn(before, link, axis, angle):
    """Write the unit vectors of a link turned about one of those before it."""
    c, s = math.cos(angle), math.sin(angle)
    y, z = (axis + 1) % 3, (axis + 2) % 3
    for i in range(3):
        link[axis, i] = before[axis, i]
        link[y, i] = c * before[y, i] + s * before[z, i]
        link[z, i] = c * before[z, i] - s * before[y, i]


def jacobian(joints, frames, k, way, J):
    """Write the Jacobian (6, n) of a point fixed in link k: velocity, then angular velocity, in the world's axes.

    Args:
        joints: Of the chain, shape (n,).
        frames: Of the chain.
        k: The link.
        way: From the link's origin to the point, in the world's axes.
        J: The result.
    """
    for row in range(6):
        for i in range(J.shape[1]):
            J[row, i] = 0.0
    for i in range(k, -1, -1):
        link = frames[i + 1]
        e = link[joints[i] % 3]
        if joints[i] < SLIDE:
            J[0, i], J[1, i], J[2, i] = cross(e, way)
            J[3, i], J[4, i], J[5, i] = e[0], e[1], e[2]
        else:
            J[0, i], J[1, i], J[2, i] = e[0], e[1], e[2]
        way = way[0] + link[WAY, 0], way[1] + link[WAY, 1], way[2] + link[WAY, 2]


def mass_and_bias(joints, frames, mass, com, inertia, gravity, M, h):
    """Write the mass matrix (n, n) and the bias (n,); `gravity` is its acceleration, a vector of the world."""
    n = len(joints)
    J = np.empty((6, n))
    for i in range(n):
        h[i] = 0.0
        for j in range(n):
            M[i, j] = 0.0
    for k in range(n):
        link, m = frames[k + 1], mass[k]
        way = along(link, com[k])
        jacobian(joints, frames, k, way, J)
        a, spin = acceleration(link, way), link[SPIN]
        about = _spun(link, inertia[k], link[SPIN_RATE])
        gyroscopic = cross(spin, _spun(link, inertia[k], spin))
        for j in range(k + 1):
            x, y, z = m * J[0, j], m * J[1, j], m * J[2, j]  # momentum of a unit speed of joint j
            turn = _spun(link, inertia[k], J[3:, j])
            h[j] += x * (a[0] - gravity[0]) + y * (a[1] - gravity[1]) + z * (a[2] - gravity[2])
            for i in range(3):
                h[j] += J[3 + i, j] * (about[i] + gyroscopic[i])
            for i in range(j + 1):
                M[i, j] += J[0, i] * x + J[1, i] * y + J[2, i] * z
                M[i, j] += J[3, i] * turn[0] + J[4, i] * turn[1] + J[5, i] * turn[2]
    for j in range(n):
        for i in range(j):
            M[j, i] = M[i, j]


def potential_energy(frames, mass, com, gravity):
    """Return the potential energy of the links, zero with every mass centre at the world's origin."""
    total, x, y, z = 0.0, 0.0, 0.0, 0.0
    for k in range(len(mass)):
        link = frames[k + 1]
        x, y, z = x + link[WAY, 0], y + link[WAY, 1], z + link[WAY, 2]
        c = along(link, com[k])
        total -= mass[k] * (gravity[0] * (x + c[0]) + gravity[1] * (y + c[1]) + gravity[2] * (z + c[2]))
    return total


def _spun(link, inertia, spin):
    """Return the angular momentum R I R^T w of a link about its mass centre, all but I in the world's axes."""
    x = link[0, 0] * spin[0] + link[0, 1] * spin[1] + link[0, 2] * spin[2]
    y = link[1, 0] * spin[0] + link[1, 1] * spin[1] + link[1, 2] * spin[2]
    z = link[2, 0] * spin[0] + link[2, 1] * spin[1] + link[2, 2] * spin[2]
    xx, yy, zz, xy, xz, yz = inertia[0], inertia[1], inertia[2], inertia[3], inertia[4], inertia[5]
    return along(link, (xx * x + xy * y + xz * z, xy * x + yy * y + yz * z, xz * x + yz * y + zz * z))
