r"""The hopping leg in flight, in stance and at touchdown: functions of arrays, which numba compiles into the engine.

Equations, with B the selection of hip and knee, M the mass matrix with the rotors' inertia on its diagonal, and the
torques u - damping * w of the motors:

.. math::

    \begin{aligned}
    \text{flight:}\quad M \ddot q + C \dot q + G &= B u, \\
    \text{stance:}\quad M \ddot q + C \dot q + G &= B u + J^\top F, \qquad J \ddot q + \dot J \dot q = 0, \\
    \text{touchdown:}\quad M (\dot q^+ - \dot q^-) &= J^\top F_\mathrm{imp}, \qquad J \dot q^+ = 0.
    \end{aligned}

J has two rows: the foot neither moves along Y_hc, tangential to its circle about the boom, nor along Z_hc, up; it
slides freely along X_hc, radially. The frame hc is fixed at touchdown. F = (F_Y, F_Z) acts on the foot, F_Z > 0 is up.
M, C dq + G, J and dJ dq are those of a `rigid_chain`; `constrained` solves the equations.

Source: Ding & Ramos, section 2.2. With a third, radial row the leg would have one degree of freedom left, and a
touchdown would dissipate nearly all of its energy.
"""

import math

import numpy as np

from ..hybrid import indices
from . import constrained, rigid_chain
from .hopping_leg import HoppingLegParams

JOINTS = (2, 1, 0, 0)  # hinges about z, y, x, x


def numbers(params: HoppingLegParams) -> dict[str, np.ndarray]:
    """Return the numbers of the equations in the order of their vector `p`: links, motors, limits."""
    links = ("g", "HB", "LB", "DB", "LH", "LK", "DK", "mass", "com", "inertia")
    motors = ("armature", "damping", "torque_limits", "liftoff_force", "fall_height")
    return {name: np.asarray(getattr(params, name), float) for name in (*links, *motors)}


P = indices(numbers(HoppingLegParams()))


def links(p):
    """Return mass (4,), mass centres (4, 3) and inertia (4, 6) of the links."""
    com, inertia = p[P.com : P.com + 12].reshape(4, 3), p[P.inertia : P.inertia + 24].reshape(4, 6)
    return p[P.mass : P.mass + 4], com, inertia


def frames_of(q, dq, p):
    """Return the frames of world and links, shape (5, 7, 3)."""
    frames = np.empty((5, 7, 3))
    offset = (0.0, 0.0, p[P.HB]), (0.0, 0.0, 0.0), (p[P.LB], p[P.DB], 0.0), (0.0, 0.0, -p[P.LH])
    rigid_chain.link_frames(JOINTS, offset, q, dq, frames)
    return frames


def shank(p):
    """Return the distance from knee to foot [m]."""
    return math.sqrt(p[P.LK] * p[P.LK] + p[P.DK] * p[P.DK])


def leg_position(q, p, out):
    """Write the foot's (y, z) in the frame before the hip [m]."""
    out[0] = p[P.LH] * math.sin(q[2]) + shank(p) * math.sin(q[2] + q[3])
    out[1] = -p[P.LH] * math.cos(q[2]) - shank(p) * math.cos(q[2] + q[3])


def leg_jacobian(q, p, J):
    """Write the Jacobian of the foot's (y, z) in the frame before the hip, of hip and knee, shape (2, 2) [m]."""
    J[0, 1], J[1, 1] = shank(p) * math.cos(q[2] + q[3]), shank(p) * math.sin(q[2] + q[3])
    J[0, 0], J[1, 0] = p[P.LH] * math.cos(q[2]) + J[0, 1], p[P.LH] * math.sin(q[2]) + J[1, 1]


def toe_position(q, p, out):
    """Write where the foot is in the world, shape (3,) [m]."""
    leg = np.empty(2)
    leg_position(q, p, leg)
    radius, beside = p[P.LB] * math.cos(q[1]) + leg[1] * math.sin(q[1]), p[P.DB] + leg[0]
    out[0] = radius * math.cos(q[0]) - beside * math.sin(q[0])
    out[1] = radius * math.sin(q[0]) + beside * math.cos(q[0])
    out[2] = p[P.HB] - p[P.LB] * math.sin(q[1]) + leg[1] * math.cos(q[1])


def toe_jacobian(frames, p, J):
    """Write the Jacobian (6, 4) of foot and shank; return the foot's acceleration at ddq = 0, dJ dq [m/s^2]."""
    way = rigid_chain.along(frames[4], (0.0, 0.0, -shank(p)))
    rigid_chain.jacobian(JOINTS, frames, 3, way, J)
    return rigid_chain.acceleration(frames[4], way)


def mass_and_bias(frames, dq, p, M, h):
    """Write the mass matrix with the rotors' inertia, and C dq + G with the back-EMF."""
    mass, com, inertia = links(p)
    rigid_chain.mass_and_bias(JOINTS, frames, mass, com, inertia, (0.0, 0.0, -p[P.g]), M, h)
    for k in range(2):
        M[2 + k, 2 + k] += p[P.armature + k]
        h[2 + k] += p[P.damping + k] * dq[2 + k]


def constrained_rows(J, radial, Jc):
    """Write the rows of a Jacobian along Y_hc and Z_hc, shape (2, 4), for the unit vector (x, y) of X_hc."""
    for i in range(4):
        Jc[0, i] = radial[0] * J[1, i] - radial[1] * J[0, i]
        Jc[1, i] = J[2, i]


def flight_acceleration(q, dq, p, u, ddq):
    """Write ddq in flight; u are the torques of hip and knee before the back-EMF."""
    M, load = mass_and_load(frames_of(q, dq, p), dq, p, u)
    constrained.free(M, load, ddq)


def stance_acceleration(q, dq, p, radial, u, ddq, F):
    """Write ddq and the ground's force F = (F_Y, F_Z) on the foot in stance."""
    frames, J, Jc, drift = frames_of(q, dq, p), np.empty((6, 4)), np.empty((2, 4)), np.empty(2)
    a = toe_jacobian(frames, p, J)
    constrained_rows(J, radial, Jc)
    drift[0], drift[1] = radial[0] * a[1] - radial[1] * a[0], a[2]
    M, load = mass_and_load(frames, dq, p, u)
    constrained.solve(M, load, Jc, drift, ddq, F)


def mass_and_load(frames, dq, p, u):
    """Return the mass matrix (4, 4) and what drives it (4,), B u - C dq - G."""
    M, load = np.empty((4, 4)), np.empty(4)
    mass_and_bias(frames, dq, p, M, load)
    constrained.replace_bias(load, u)
    return M, load


def impact(q, dq, p, radial, impulse):
    """Replace dq by the speeds after touchdown; write the impulse (F_Y, F_Z) on the foot [N s]."""
    frames, M, h = frames_of(q, dq, p), np.empty((4, 4)), np.empty(4)
    J, Jc = np.empty((6, 4)), np.empty((2, 4))
    mass_and_bias(frames, dq, p, M, h)
    toe_jacobian(frames, p, J)
    constrained_rows(J, radial, Jc)
    constrained.impact(M, Jc, dq, impulse)


def delivered(torque, speed, peak, stall, slope):
    """Return the torque that a motor delivers for a commanded one at a speed; see `hopping_leg.limited_torque`."""
    lost = slope * speed
    return min(max(min(max(torque, -stall - lost), stall - lost), -peak), peak)


def limit_torque(dq, p, u):
    """Limit the torques of hip and knee to what the motors can give at their speeds."""
    for k in range(2):
        first = P.torque_limits + k
        u[k] = delivered(u[k], dq[2 + k], p[first], p[first + 2], p[first + 4])


def kinetic_energy(q, dq, p):
    """Return the kinetic energy, rotors included [J]."""
    M, h = np.empty((4, 4)), np.empty(4)
    mass_and_bias(frames_of(q, dq, p), dq, p, M, h)
    total = 0.0
    for i in range(4):
        for j in range(4):
            total += 0.5 * dq[i] * M[i, j] * dq[j]
    return total


def potential_energy(q, p):
    """Return the potential energy, zero with every mass centre on the ground [J]."""
    mass, com, _ = links(p)
    return rigid_chain.potential_energy(frames_of(q, np.zeros(4), p), mass, com, (0.0, 0.0, -p[P.g]))
