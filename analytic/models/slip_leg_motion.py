r"""The equations of motion of the articulated leg: in flight, on a hard point contact, and at the foot's impact.

.. math:: M \dot v + h = S^\top \tau + J^\top F, \qquad h = C v + g

F acts on the foot (report, eq. 4, erratum 3), S picks hip and knee.

State and parameters as in `slip_leg`. As a `rigid_chain` the leg moves in the plane of x and y: the chain's y is the
model's z, up. Plain functions of arrays, which the hybrid engine compiles.
"""

import numpy as np

from . import constrained
from .rigid_chain import acceleration, along, jacobian, link_frames, mass_and_bias
from .slip_leg import NQ, P, com_state, mass_of

JOINTS = (3, 4, 2, 2)  # slides along x and y, hinges about z


def terms(x: np.ndarray, p: np.ndarray) -> tuple:
    """Return M (4, 4), h = C v + g (4,), Jacobians of foot and centre of mass (2, 4), and dJ v of both (2,)."""
    frames, J = np.empty((NQ + 1, 7, 3)), np.empty((6, NQ))
    M, h = np.empty((NQ, NQ)), np.empty(NQ)
    offset, mass, com, inertia = links(p)
    link_frames(JOINTS, offset, x[:NQ], x[NQ:], frames)
    mass_and_bias(JOINTS, frames, mass, com, inertia, (0.0, -p[P.g], 0.0), M, h)
    foot = along(frames[NQ], (0.0, -p[P.shank_length], 0.0))
    jacobian(JOINTS, frames, NQ - 1, foot, J)
    drift = acceleration(frames[NQ], foot)
    J_com, drift_foot, drift_com = np.empty((2, NQ)), np.empty(2), np.empty(2)
    for i in range(2):  # the base only translates: the first rows are the momentum of the centre of mass
        for j in range(NQ):
            J_com[i, j] = M[i, j] / mass_of(p)
        drift_foot[i] = drift[i]
        drift_com[i] = h[i] / mass_of(p) - (p[P.g] if i == 1 else 0.0)
    return M, h, J[:2], J_com, drift_foot, drift_com


def links(p: np.ndarray) -> tuple:
    """Return offsets (4, 3), masses (4,), mass centres (4, 3) and inertia (4, 6): the foot is a point of the shank."""
    thigh, shank, foot = p[P.thigh_mass], p[P.shank_mass], p[P.foot_mass]
    centre = (shank * p[P.shank_com] + foot * p[P.shank_length]) / (shank + foot)
    spread = p[P.shank_gyration] ** 2 + (p[P.shank_com] - centre) ** 2
    turning = shank * spread + foot * (p[P.shank_length] - centre) ** 2
    none, nothing = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    return (
        (none, none, none, (0.0, -p[P.thigh_length], 0.0)),
        (0.0, p[P.base_mass], thigh, shank + foot),
        (none, none, (0.0, -p[P.thigh_com], 0.0), (0.0, -centre, 0.0)),
        (nothing, nothing, _about_z(thigh * p[P.thigh_gyration] ** 2), _about_z(turning)),
    )


def _about_z(moment: float) -> tuple:
    return 0.0, 0.0, moment, 0.0, 0.0, 0.0


def flight_rates(x: np.ndarray, p: np.ndarray, tau: np.ndarray, dx: np.ndarray) -> None:
    """Write the rates of the state in flight: M dv = S^T tau - h."""
    M, h, _, _, _, _ = terms(x, p)
    _begin(x, h, tau, dx)
    constrained.free(M, h, dx[NQ:])


def stance_rates(x: np.ndarray, p: np.ndarray, tau: np.ndarray, dx: np.ndarray, force: np.ndarray) -> None:
    """Write the rates of the state in stance, and the ground's force on the foot (x, z) [N].

    Hard contact: M dv + h = S^T tau + J^T F with J dv + dJ v = 0.
    """
    M, h, J, _, drift, _ = terms(x, p)
    _begin(x, h, tau, dx)
    constrained.solve(M, h, J, drift, dx[NQ:], force)


def _begin(x, h, tau, dx):
    """Write the speeds into dx; replace h by what drives the leg, S^T tau - h."""
    for i in range(NQ):
        dx[i] = x[NQ + i]
    constrained.replace_bias(h, tau)


def impact(x: np.ndarray, p: np.ndarray) -> None:
    """Replace the velocity by that after the foot's inelastic impact: v+ = (1 - M^-1 J^T Ls J) v- (report, IV-F)."""
    M, _, J, _, _, _ = terms(x, p)
    constrained.impact(M, J, x[NQ:], np.empty(2))


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
