"""The hopping leg in flight, in stance and at touchdown: functions of arrays, which numba compiles into the engine.

Equations, with B the selection of hip and knee, M the mass matrix with the rotors' inertia on its diagonal, and the
torques u - damping * w of the motors:

    flight      M ddq + C dq + G = B u
    stance      M ddq + C dq + G = B u + J^T F,   J ddq + dJ dq = 0
    touchdown   M (dq+ - dq-) = J^T F_imp,        J dq+ = 0

J has two rows: the foot neither moves along Y_hc, tangential to its circle about the boom, nor along Z_hc, up; it
slides freely along X_hc, radially. The frame hc is fixed at touchdown. F = (F_Y, F_Z) acts on the foot, F_Z > 0 is up.

Source: Ding & Ramos, section 2.2. With a third, radial row the leg would have one degree of freedom left, and a
touchdown would take nearly all of its energy.
"""

from __future__ import annotations

import math

import numpy as np

from ..hybrid import indices
from .hopping_leg import HoppingLegParams
from .hopping_leg_dynamics import all_terms, mass_matrix, toe_jacobian
from .hopping_leg_dynamics import potential_energy as potential_of


def numbers(params: HoppingLegParams) -> dict[str, np.ndarray]:
    """Return what the equations need, in the order of their vector `p`: the links', then the motors' and the limits."""
    links = ("g", "HB", "LB", "DB", "LH", "LK", "DK", "mass", "com", "inertia")
    motors = ("armature", "damping", "torque_limits", "liftoff_force", "fall_height")
    return {name: np.asarray(getattr(params, name), float) for name in (*links, *motors)}


P = indices(numbers(HoppingLegParams()))


def mass_and_bias(q, dq, p, M, h, J, dJ):
    """Write the mass matrix with rotors, C dq + G plus the back-EMF, and the foot's Jacobian with its rate."""
    C, toe = np.empty((4, 4)), np.empty(3)
    all_terms(q, dq, p, M, C, h, toe, J, dJ)
    for i in range(4):
        for j in range(4):
            h[i] += C[i, j] * dq[j]
    for k in range(2):
        M[2 + k, 2 + k] += p[P.armature + k]
        h[2 + k] += p[P.damping + k] * dq[2 + k]


def factor(M):
    """Replace the lower half of a positive definite matrix by its Cholesky factor."""
    n = M.shape[0]
    for j in range(n):
        for k in range(j):
            M[j, j] -= M[j, k] * M[j, k]
        M[j, j] = math.sqrt(M[j, j])
        for i in range(j + 1, n):
            for k in range(j):
                M[i, j] -= M[i, k] * M[j, k]
            M[i, j] /= M[j, j]


def solve(L, b):
    """Replace b by the solution of L L^T x = b."""
    n = L.shape[0]
    for i in range(n):
        for k in range(i):
            b[i] -= L[i, k] * b[k]
        b[i] /= L[i, i]
    for m in range(n):
        i = n - 1 - m
        for k in range(i + 1, n):
            b[i] -= L[k, i] * b[k]
        b[i] /= L[i, i]


def constrained_rows(J, radial, Jc):
    """Write the rows of a Jacobian along Y_hc and Z_hc, shape (2, 4), for the unit vector (x, y) of X_hc."""
    for i in range(4):
        Jc[0, i] = radial[0] * J[1, i] - radial[1] * J[0, i]
        Jc[1, i] = J[2, i]


def constraint(M, J, radial, Jc, Z, S):
    """Factor M; write the constrained Jacobian Jc (2, 4), Z^T = Jc M^-1 (2, 4) and the inverse of Jc M^-1 Jc^T."""
    factor(M)
    constrained_rows(J, radial, Jc)
    for k in range(2):
        for i in range(4):
            Z[k, i] = Jc[k, i]
        solve(M, Z[k])
    a, b, d = 0.0, 0.0, 0.0
    for i in range(4):
        a += Jc[0, i] * Z[0, i]
        b += Jc[0, i] * Z[1, i]
        d += Jc[1, i] * Z[1, i]
    det = a * d - b * b
    S[0, 0], S[0, 1], S[1, 0], S[1, 1] = d / det, -b / det, -b / det, a / det


def flight_acceleration(q, dq, p, u, ddq):
    """Write ddq in flight; u are the torques of hip and knee before the back-EMF."""
    M, J, dJ = np.empty((4, 4)), np.empty((3, 4)), np.empty((3, 4))
    mass_and_bias(q, dq, p, M, ddq, J, dJ)
    for i in range(4):
        ddq[i] = -ddq[i]
    ddq[2] += u[0]
    ddq[3] += u[1]
    factor(M)
    solve(M, ddq)


def stance_acceleration(q, dq, p, radial, u, ddq, F):
    """Write ddq and the ground's force F = (F_Y, F_Z) on the foot in stance."""
    M, J, dJ = np.empty((4, 4)), np.empty((3, 4)), np.empty((3, 4))
    Jc, dJc, Z, S = np.empty((2, 4)), np.empty((2, 4)), np.empty((2, 4)), np.empty((2, 2))
    mass_and_bias(q, dq, p, M, ddq, J, dJ)
    for i in range(4):
        ddq[i] = -ddq[i]
    ddq[2] += u[0]
    ddq[3] += u[1]
    constraint(M, J, radial, Jc, Z, S)
    solve(M, ddq)
    constrained_rows(dJ, radial, dJc)
    lack = np.zeros(2)
    for k in range(2):
        for i in range(4):
            lack[k] -= dJc[k, i] * dq[i] + Jc[k, i] * ddq[i]
    for k in range(2):
        F[k] = S[k, 0] * lack[0] + S[k, 1] * lack[1]
    for i in range(4):
        ddq[i] += Z[0, i] * F[0] + Z[1, i] * F[1]


def impact(q, dq, p, radial, impulse):
    """Replace dq by the speeds after touchdown; write the impulse (F_Y, F_Z) on the foot [N s]."""
    M, J = np.empty((4, 4)), np.empty((3, 4))
    Jc, Z, S = np.empty((2, 4)), np.empty((2, 4)), np.empty((2, 2))
    mass_matrix(q, p, M)
    toe_jacobian(q, p, J)
    for k in range(2):
        M[2 + k, 2 + k] += p[P.armature + k]
    constraint(M, J, radial, Jc, Z, S)
    speed = np.zeros(2)
    for k in range(2):
        for i in range(4):
            speed[k] -= Jc[k, i] * dq[i]
    for k in range(2):
        impulse[k] = S[k, 0] * speed[0] + S[k, 1] * speed[1]
    for i in range(4):
        dq[i] += Z[0, i] * impulse[0] + Z[1, i] * impulse[1]


def limit_torque(dq, p, u):
    """Limit the torques of hip and knee to what the motors can give at their speeds."""
    for k in range(2):
        peak, stall = p[P.torque_limits + k], p[P.torque_limits + 2 + k]
        lost = p[P.torque_limits + 4 + k] * dq[2 + k]
        u[k] = min(max(u[k], max(-peak, -stall - lost)), min(peak, stall - lost))


def kinetic_energy(q, dq, p):
    """Return the kinetic energy, rotors included [J]."""
    M = np.empty((4, 4))
    mass_matrix(q, p, M)
    total = 0.0
    for i in range(4):
        for j in range(4):
            total += 0.5 * dq[i] * M[i, j] * dq[j]
    for k in range(2):
        total += 0.5 * p[P.armature + k] * dq[2 + k] * dq[2 + k]
    return total


def potential_energy(q, p):
    """Return the potential energy, zero with every mass centre on the ground [J]."""
    V = np.empty(1)
    potential_of(q, p, V)
    return V[0]
