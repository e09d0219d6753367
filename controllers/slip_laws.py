"""The laws of SLIP running on the articulated leg, as plain functions (t, x, d, p) that numba can compile.

In stance hip and knee make the centre of mass accelerate as the SLIP template would (operational-space control); at
touchdown the spring is preloaded to return the energy lost in the impact; in flight the leg is held, retracted, and
extended to the angle of attack of the apex law.

x and the first entries of p are those of leg and ground (`analytic.models.slip_leg_hybrid`), K the indices of the
controller's parameters after them, D the indices of its memory.

Source: Hauter, Leitner, Freisinger (TUM 2021), eqs. 5, 6, 8, 11 and section IV; errata by number: docs/slip_leg.md.
"""

import math

import numpy as np

from ..analytic.hybrid import indices
from ..analytic.hybrid.names import items
from ..analytic.models import constrained
from ..analytic.models.slip_leg import (
    HIP,
    KNEE,
    NQ,
    P,
    com_state,
    foot_state,
    leg_angles,
    mass_of,
    reach_margin,
    two_link_angles,
)
from ..analytic.models.slip_leg_hybrid import MEMORY as FOOTHOLD
from ..analytic.models.slip_leg_hybrid import com_rise, gap, table
from ..analytic.models.slip_leg_motion import com_energy, impact, terms
from ..analytic.smooth import minimum_jerk
from .slip_parameters import MEMORY, SlipControl

PHASES = ("hold", "retract", "extend", "stance")
HOLD, RETRACT, EXTEND, STANCE = range(4)
K = indices(table() | items(SlipControl))
D = indices({**FOOTHOLD, **MEMORY})
REPORTS_THRESHOLD = 0.08  # of the force at which the report lifts off [N], erratum 10


def leg_length(x, p):
    """Return the distance from foot to centre of mass [m]: the length of the virtual SLIP leg."""
    com, foot = np.empty(4), np.empty(4)
    com_state(x, p, com)
    foot_state(x, p, foot)
    return math.hypot(com[0] - foot[0], com[1] - foot[1])


def spring_force(x, d, p, force):
    """Write the virtual spring's force on the centre of mass, F = k (l_rest - l) (c - f) / l, zero if longer [N]."""
    com, foot = np.empty(4), np.empty(4)
    com_state(x, p, com)
    foot_state(x, p, foot)
    dx, dz = com[0] - foot[0], com[1] - foot[1]
    length = math.hypot(dx, dz)
    push = p[K.stiffness] * max(d[D.rest_length] - length, 0.0) / length
    force[0], force[1] = push * dx, push * dz


def stance_torque(t, x, d, p, tau):
    r"""Write the torques that make the centre of mass move as the SLIP template does [N m].

    The desired acceleration keeps the foot at rest and moves the centre of mass; forces f_s and f_c on foot and centre
    of mass impose it:

    .. math::

        J_s \dot v + \dot J_s v = 0, \qquad J_c \dot v + \dot J_c v = F / m + g, \qquad
        M \dot v + h = J_s^\top f_s + J_c^\top f_c.

    Their sum f_s + f_c acts on the base and can be supplied by the ground; the motors make up for the part that does
    not act at the foot:

    .. math:: \tau = S\, (J_c - J_s)^\top f_c.

    These are the torques of the report's support-consistent projections (eqs. 5, 6, 11; Sentis and Khatib).
    """
    M, h, Js, Jc, drift_s, drift_c = terms(x, p)
    J, drift, force, rate = np.empty((4, NQ)), np.empty(4), np.empty(4), np.empty(NQ)
    spring_force(x, d, p, force)
    for i in range(2):
        for j in range(NQ):
            J[i, j], J[2 + i, j] = Js[i, j], Jc[i, j]
        wanted = force[i] / mass_of(p) - (p[P.g] if i == 1 else 0.0)
        drift[i], drift[2 + i] = drift_s[i], drift_c[i] - wanted
    for j in range(NQ):
        h[j] = -h[j]
    constrained.solve(M, h, J, drift, rate, force)
    for j in range(2):
        tau[j] = 0.0
        for i in range(2):
            tau[j] += (Jc[i, 2 + j] - Js[i, 2 + j]) * force[2 + i]


def flight_torque(t, x, d, p, tau):
    """Write the torques that track the reference by computed torque on the joints, the base eliminated [N m]."""
    M, h, _, _, _, _ = terms(x, p)
    wanted = np.empty(2)
    s, rate, acceleration = timed_move(t - d[D.started], d[D.duration])
    for i in range(2):
        start, way = d[D.from_hip + i], d[D.to_hip + i] - d[D.from_hip + i]
        error = start + way * s - x[2 + i]
        wanted[i] = way * acceleration + p[K.kp] * error + p[K.kd] * (way * rate - x[NQ + 2 + i])
    for i in range(2):
        tau[i] = h[2 + i]
        for k in range(2):
            tau[i] -= M[2 + i, k] * h[k] / M[0, 0]
            reflected = M[2 + i, 0] * M[0, 2 + k] + M[2 + i, 1] * M[1, 2 + k]
            tau[i] += (M[2 + i, 2 + k] - reflected / M[0, 0]) * wanted[k]


def timed_move(elapsed, duration):
    """Return position, rate [1/s] and acceleration [1/s^2] of a minimum-jerk move from 0 to 1."""
    if elapsed >= duration:
        return 1.0, 0.0, 0.0
    s = max(elapsed, 0.0) / duration
    rest = 1.0 - s
    rate = 30.0 * s * s * rest * rest / duration
    return minimum_jerk(s), rate, 60.0 * s * rest * (1.0 - 2.0 * s) / (duration * duration)


def spring(t, x, d, p):
    """Return the virtual spring's distance from liftoff [m]: positive while the leg stands."""
    load = p[K.liftoff_under_weight] * (mass_of(p) * p[P.g] + REPORTS_THRESHOLD)  # erratum 10
    return d[D.rest_length] - leg_length(x, p) - load / p[K.stiffness]


def below_clearance(t, x, d, p):
    """Return the foot's depth below the height from which the leg is retracted, positive below [m]."""
    return p[K.clearance] - gap(x, p)


def shown(t, x, d, p, phase, out):
    """Write centre of mass and foot with velocities (4 each), compression and rest length of the virtual spring [m]."""
    com_state(x, p, out[0:4])
    foot_state(x, p, out[4:8])
    out[8] = max(d[D.rest_length] - leg_length(x, p), 0.0) if phase == STANCE else 0.0
    out[9] = d[D.rest_length]


def energy_wanted(p):
    """Return the energy of the centre of mass at the apex of the gait [J]."""
    return mass_of(p) * (0.5 * p[K.speed] * p[K.speed] + p[P.g] * p[K.apex_height])


def _begin(t, x, d, duration):
    d[D.started], d[D.duration] = t, duration
    d[D.from_hip], d[D.from_knee] = x[HIP], x[KNEE]


def on_liftoff(t, x, d, p):
    """Start to hold the joints where they are."""
    _begin(t, x, d, 1.0)
    d[D.to_hip], d[D.to_knee] = x[HIP], x[KNEE]


def on_clear(t, x, d, p):
    """Begin to retract the leg."""
    _begin(t, x, d, p[K.retract_time])
    target = np.empty(2)
    d[D.reach] = leg_angles(p, p[K.retraction] * p[K.rest_length], p[K.angle_of_attack], target)
    d[D.to_hip], d[D.to_knee] = target[0], target[1]


def on_apex(t, x, d, p):
    """Begin to extend the leg to the angle of the apex law, alpha = alpha* + Ka (z_apex - z_wanted)."""
    com = np.empty(4)
    com_state(x, p, com)
    wanted = d[D.apex_height] if p[K.previous_apex] > 0.0 else p[K.apex_height]  # erratum 17
    angle = p[K.angle_of_attack] + p[K.apex_gain] * (com[1] - wanted)
    d[D.apex_height], d[D.apex_energy], d[D.angle] = com[1], com_energy(x, p), angle
    _begin(t, x, d, p[K.extend_time])
    target = np.empty(2)
    if p[K.frozen_com] > 0.0:
        d[D.reach] = frozen_angles(x, p, com, angle, target)
    else:
        d[D.reach] = leg_angles(p, p[K.rest_length], angle, target)
    d[D.to_hip], d[D.to_knee] = target[0], target[1]


def first_phase(t, x, d, p):
    """Start in flight: a rising leg is retracted, a falling one extended as from an apex."""
    if com_rise(t, x, d, p) > 0.0:
        on_clear(t, x, d, p)
        return RETRACT
    on_apex(t, x, d, p)
    return EXTEND


def leave(t, x, d, p):
    """Note the liftoff; return the phase of flight. A leg that leaves the ground falling has no apex: it extends."""
    on_liftoff(t, x, d, p)
    if com_rise(t, x, d, p) > 0.0:
        return HOLD
    on_apex(t, x, d, p)
    return EXTEND


def frozen_angles(x, p, com, angle, target):
    """Write the report's joint angles, as if neither base nor centre of mass moved with the leg (erratum 9)."""
    rx = com[0] + p[K.rest_length] * math.cos(angle) - x[0]
    rz = com[1] - p[K.rest_length] * math.sin(angle) - x[1]
    return reach_margin(p, two_link_angles(p[P.thigh_length], p[P.shank_length], rx, rz, target))


def impact_loss(x, p):
    """Return the energy the centre of mass loses in the impact, m/2 (|Jc v-|^2 - |Jc Ns v-|^2), before it [J]."""
    after = x.copy()
    impact(after, p)
    return com_energy(x, p) - com_energy(after, p)


def on_touchdown(t, x, d, p):
    """Set the spring, from the state before the impact, so that it returns the energy lost in the impact.

    l_rest = l_touchdown + sign(dE) sqrt(2 |dE| / k), with the length the leg really has (erratum 8) and the sign kept
    (erratum 7). For sampled control dE includes a share of the energy missing at the last apex.
    """
    d[D.energy_lost] = impact_loss(x, p)
    stored = d[D.energy_lost]
    if p[K.absolute_loss] > 0.0:
        stored = abs(stored)
    stored = p[K.compensate] * stored + p[K.energy_gain] * (energy_wanted(p) - d[D.apex_energy])
    length = p[K.rest_length] if p[K.nominal_length] > 0.0 else leg_length(x, p)
    d[D.rest_length] = length + math.copysign(math.sqrt(2.0 * abs(stored) / p[K.stiffness]), stored)
