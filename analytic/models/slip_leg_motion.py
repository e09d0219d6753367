"""The equations of motion of the articulated leg: in flight, on a hard point contact, and at the foot's impact.

    M dv + C v + g = S^T tau + J^T F      F acts on the foot (report, eq. 4, erratum 3); S picks hip and knee

State and parameters as in `slip_leg`. Plain functions of arrays, which the hybrid engine compiles.
"""

from __future__ import annotations

import numpy as np

from ..small import inverse_2x2, inverse_spd, product, product_transposed
from .slip_leg import NQ, P, com_state, mass_of
from .slip_leg_dynamics import all_terms


def terms(x: np.ndarray, p: np.ndarray) -> tuple:
    """Return M (4, 4), h = C v + g (4,), Jacobians of foot and centre of mass (2, 4), and dJ v of both (2,)."""
    q, v = x[:NQ], x[NQ:]
    M, C, g = np.empty((NQ, NQ)), np.empty((NQ, NQ)), np.empty(NQ)
    foot, com = np.empty(2), np.empty(2)
    J_foot, dJ_foot, J_com, dJ_com = np.empty((2, NQ)), np.empty((2, NQ)), np.empty((2, NQ)), np.empty((2, NQ))
    all_terms(q, v, p, M, C, g, foot, J_foot, dJ_foot, com, J_com, dJ_com)
    drift_foot, drift_com = np.zeros(2), np.zeros(2)
    for j in range(NQ):
        for i in range(NQ):
            g[i] += C[i, j] * v[j]
        for i in range(2):
            drift_foot[i] += dJ_foot[i, j] * v[j]
            drift_com[i] += dJ_com[i, j] * v[j]
    return M, g, J_foot, J_com, drift_foot, drift_com


def flight_rates(x: np.ndarray, p: np.ndarray, tau: np.ndarray, dx: np.ndarray) -> None:
    """Write the rates of the state in flight: M dv = S^T tau - h."""
    M, h, _, _, _, _ = terms(x, p)
    inverse = np.empty((NQ, NQ))
    inverse_spd(M, inverse)
    for i in range(NQ):
        dx[i] = x[NQ + i]
        s = 0.0
        for j in range(NQ):
            s += inverse[i, j] * ((tau[j - 2] if j >= 2 else 0.0) - h[j])
        dx[NQ + i] = s


def stance_rates(x: np.ndarray, p: np.ndarray, tau: np.ndarray, dx: np.ndarray, force: np.ndarray) -> None:
    """Write the rates of the state in stance, and the ground's force on the foot (x, z) [N].

    Hard contact: M dv + h = S^T tau + J^T F with J dv + dJ v = 0.
    """
    M, h, J, _, drift, _ = terms(x, p)
    inverse, to_force, inertia = np.empty((NQ, NQ)), np.empty((2, NQ)), np.empty((2, 2))
    inverse_spd(M, inverse)
    product(J, inverse, to_force)  # J M^-1
    support_inertia(to_force, J, inertia)
    load = np.empty(NQ)
    for j in range(NQ):
        load[j] = (tau[j - 2] if j >= 2 else 0.0) - h[j]
    missing = np.empty(2)
    for i in range(2):
        s = drift[i]
        for j in range(NQ):
            s += to_force[i, j] * load[j]
        missing[i] = s
    for i in range(2):
        force[i] = -inertia[i, 0] * missing[0] - inertia[i, 1] * missing[1]
    for i in range(NQ):
        dx[i] = x[NQ + i]
        s = to_force[0, i] * force[0] + to_force[1, i] * force[1]
        for j in range(NQ):
            s += inverse[i, j] * load[j]
        dx[NQ + i] = s


def support_inertia(to_force: np.ndarray, J: np.ndarray, out: np.ndarray) -> None:
    """Write the inertia (J M^-1 J^T)^-1 (2, 2) felt at the foot, given J M^-1."""
    mobility = np.empty((2, 2))
    product_transposed(to_force, J, mobility)
    inverse_2x2(mobility, out)


def impact(x: np.ndarray, p: np.ndarray) -> None:
    """Replace the velocity by that after the foot's inelastic impact: v+ = (1 - M^-1 J^T Ls J) v- (report, IV-F)."""
    M, _, J, _, _, _ = terms(x, p)
    inverse, to_force, inertia = np.empty((NQ, NQ)), np.empty((2, NQ)), np.empty((2, 2))
    inverse_spd(M, inverse)
    product(J, inverse, to_force)
    support_inertia(to_force, J, inertia)
    speed, impulse = np.zeros(2), np.zeros(2)
    for i in range(2):
        for j in range(NQ):
            speed[i] += J[i, j] * x[NQ + j]
    for i in range(2):
        impulse[i] = -inertia[i, 0] * speed[0] - inertia[i, 1] * speed[1]
    for i in range(NQ):
        x[NQ + i] += to_force[0, i] * impulse[0] + to_force[1, i] * impulse[1]


def energy(x: np.ndarray, p: np.ndarray) -> float:
    """Return the mechanical energy of the whole leg, kinetic and potential, without the virtual spring [J]."""
    M, h, _, _, _, _ = terms(x, p)
    com = np.empty(4)
    com_state(x, p, com)
    kinetic = 0.0
    for i in range(NQ):
        for j in range(NQ):
            kinetic += 0.5 * x[NQ + i] * M[i, j] * x[NQ + j]
    return kinetic + mass_of(p) * p[P.g] * com[1]


def com_energy(x: np.ndarray, p: np.ndarray) -> float:
    """Return the energy of a point of the leg's mass at its centre of mass, as the SLIP model counts it [J]."""
    com = np.empty(4)
    com_state(x, p, com)
    return mass_of(p) * (0.5 * (com[2] * com[2] + com[3] * com[3]) + p[P.g] * com[1])
