"""The hexapod's leg forces from their potentials: an independent reference for the compiled field.

Springs have a potential V, dampers a dissipation function D, motors a virtual work: the generalised force on any
coordinate is -dV/dq - dD/dq' + tau dphi/dq. Derivatives are central differences; nothing is imported from `tarsus`.
"""

import numpy as np

STEP = 1e-6


def exponential(turn):
    """Return the rotation matrix of a small rotation vector (Rodrigues)."""
    angle = np.linalg.norm(turn)
    if angle == 0.0:
        return np.eye(3)
    x, y, z = turn / angle
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross


def coordinates(toe, body, matrix, attach):
    """Return length, splay and hip angle of a leg by their geometric meaning."""
    leg = matrix.T @ (toe - body) - attach
    in_plane = np.hypot(leg[1], leg[2])
    return np.array([np.linalg.norm(leg), np.arctan2(leg[0], in_plane), np.arctan2(leg[1], -leg[2])])


def rates(toe, toe_velocity, body, velocity, matrix, spin, attach):
    """Return the rates of the coordinates, by moving everything for a moment."""

    def later(t):
        return coordinates(toe + t * toe_velocity, body + t * velocity, matrix @ exponential(t * spin), attach)

    return (later(STEP) - later(-STEP)) / (2 * STEP)


def forces(toe, toe_velocity, body, velocity, matrix, spin, attach, k, d, rest, torque):
    """Return force on the toe, force on the body (both world frame) and moment on the body (body frame).

    Args: as named; `k`, `d` and `rest` of (length, splay), `torque` of the hip.
    """
    now = rates(toe, toe_velocity, body, velocity, matrix, spin, attach)
    q = coordinates(toe, body, matrix, attach)
    generalised = np.array([-k[0] * (q[0] - rest[0]) - d[0] * now[0], -k[1] * (q[1] - rest[1]) - d[1] * now[1], torque])

    def slope(move):
        gradient = [(move(STEP * axis) - move(-STEP * axis)) / (2 * STEP) for axis in np.eye(3)]
        return np.array(gradient) @ generalised

    on_toe = slope(lambda e: coordinates(toe + e, body, matrix, attach))
    on_body = slope(lambda e: coordinates(toe, body + e, matrix, attach))
    moment = slope(lambda e: coordinates(toe, body, matrix @ exponential(e), attach))
    return on_toe, on_body, moment
