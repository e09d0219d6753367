"""A chain of rigid links by the geometric recipe, to check equations of motion that were derived otherwise.

Jacobians are cross products with the joint axes, never derivatives. All functions are analytic in q, so their
derivatives are taken by a complex step, which is exact to rounding: Martins, Sturdza & Alonso (2003).
"""

from dataclasses import dataclass

import numpy as np

STEP = 1e-30  # of the complex step: its square is below rounding, and nothing is subtracted


@dataclass(frozen=True)
class Link:
    """A rigid link behind a joint; its frame sits on the joint and turns with the link."""

    joint: str  # "hinge" or "slide"
    axis: tuple  # unit vector in the frame before the joint
    offset: tuple  # of the joint in the frame before it [m]
    mass: float  # [kg]
    com: tuple  # in the link's frame [m]
    inertia: tuple  # about the mass centre: xx, yy, zz, xy, xz, yz [kg m^2]


def turned(axis, angle):
    """Rodrigues' formula."""
    x, y, z = axis
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * (K @ K)


def poses(chain, q):
    """Return rotation, origin and the world axis of each link's joint."""
    R, o, made = np.eye(3, dtype=complex), np.zeros(3, complex), []
    for link, x in zip(chain, q, strict=True):
        o = o + R @ np.array(link.offset)
        axis = R @ np.array(link.axis, float)
        if link.joint == "hinge":
            R = R @ turned(link.axis, x)
        else:
            o = o + axis * x
        made.append((R, o, axis))
    return made


def cross(a, b):
    return np.array([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


def jacobians(chain, q, k, local):
    """Return position, linear and angular Jacobian of a point of link k, or of the chain's mass centre if k is None."""
    if k is None:
        parts = [jacobians(chain, q, i, link.com) for i, link in enumerate(chain)]
        share = np.array([link.mass for link in chain]) / sum(link.mass for link in chain)
        return tuple(sum(w * part[j] for w, part in zip(share, parts, strict=True)) for j in range(3))
    made = poses(chain, q)
    point = made[k][1] + made[k][0] @ np.array(local)
    linear, angular = np.zeros((3, len(chain)), complex), np.zeros((3, len(chain)), complex)
    for i in range(k + 1):
        _, o, axis = made[i]
        if chain[i].joint == "hinge":
            linear[:, i], angular[:, i] = cross(axis, point - o), axis
        else:
            linear[:, i] = axis
    return point, linear, angular


def _mass_matrix(chain, q):
    M = np.zeros((len(chain), len(chain)), complex)
    for k, link in enumerate(chain):
        R = poses(chain, q)[k][0]
        xx, yy, zz, xy, xz, yz = link.inertia
        inertia = R @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ R.T
        _, linear, angular = jacobians(chain, q, k, link.com)
        M += link.mass * linear.T @ linear + angular.T @ inertia @ angular
    return M


def mass_matrix(chain, q):
    return _mass_matrix(chain, q).real


def mass_matrix_derivative(chain, q):
    """Return dM_ij / dq_k at [k, i, j]."""
    steps = 1j * STEP * np.eye(len(chain))
    return np.array([_mass_matrix(chain, q + step).imag / STEP for step in steps])


def coriolis_matrix(chain, q, dq):
    """Return Christoffel's C."""
    D = mass_matrix_derivative(chain, q)
    C = np.zeros((len(chain), len(chain)))
    for i in range(len(chain)):
        for j in range(len(chain)):
            for k in range(len(chain)):
                C[i, j] += 0.5 * (D[k, i, j] + D[j, i, k] - D[i, j, k]) * dq[k]
    return C


def potential(chain, q, gravity, up):
    heights = [jacobians(chain, q, k, link.com)[0] @ np.array(up) for k, link in enumerate(chain)]
    return gravity * sum(link.mass * height for link, height in zip(chain, heights, strict=True))


def gravity_vector(chain, q, gravity, up):
    steps = 1j * STEP * np.eye(len(chain))
    return np.array([potential(chain, q + step, gravity, up).imag / STEP for step in steps])


def point(chain, q, k, local):
    return jacobians(chain, q, k, local)[0].real


def point_jacobian(chain, q, k, local):
    return jacobians(chain, q, k, local)[1].real


def point_jacobian_rate(chain, q, dq, k, local):
    return jacobians(chain, q + 1j * STEP * np.asarray(dq), k, local)[1].imag / STEP


def angular_momentum(chain, q, dq, up):
    """Return the component along `up` of the angular momentum about the world's origin."""
    total = np.zeros(3)
    for k, link in enumerate(chain):
        R = poses(chain, q)[k][0].real
        xx, yy, zz, xy, xz, yz = link.inertia
        inertia = R @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ R.T
        where, linear, angular = (part.real for part in jacobians(chain, q, k, link.com))
        total += link.mass * np.cross(where, linear @ dq) + inertia @ (angular @ dq)
    return total @ np.array(up)
