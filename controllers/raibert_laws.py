r"""The hopping leg's control laws as plain functions of arrays: Bezier ground force, Raibert placement, regulation.

`controllers.raibert.Raibert` wraps them for a simulator; the hybrid model compiles them. Every function gets time,
q, dq, the machine's numbers `p` (see `hopping_leg_mechanics.P`), the gains `k` (see `K`) and the memory `m` (see
`MEMORY`), which only events change. With the foot (y, z) in the hip's frame, J = d(y, z) / d(hip, knee), v = LB dth1:

.. math::

    \begin{aligned}
    \text{flight:}\quad u &= J^\top \left( k_p (p_\mathrm{ref} - p) - k_d\, \dot p \right), \\
    \text{stance:}\quad u &= -J^\top (F_y, F_z) + k_p^\mathrm{st} (\bar q - q) - k_d^\mathrm{st}\, \dot q, \\
    F_z &= F_0\, b(s), \qquad s = t / T_\mathrm{st}, \\
    F_y &= \operatorname{clip}\left( k_\mathrm{vy} (v_d - v)\, b(s) + \lambda F_z,\ \pm \mu F_z \right).
    \end{aligned}

p is the foot and q the joints, b the profile `bezier`. The reference runs from where the foot left to
:math:`(n T_\mathrm{st} v + k_\mathrm{rh} (v - v_d), -l)`, lifted on the way, with n = `neutral` and l the leg's length.
From hop to hop F_0 = `force` grows by `k_height` (h_d - h_apex) and :math:`\lambda` = `lean` by `k_speed`
(v_d - v_apex), both limited.

The minus sign holds the leg up: -J^T (0, 32 N) balances a massless leg under the boom's weight.

Source: Ding & Ramos, sections 2.2.1 and 2.2.2, with the sign of the stance torque corrected and the missing foot target
and horizontal force added. With a purely vertical force the placement of the foot has no authority over speed: the
posture feedback even inverts it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields

import numpy as np

from ..hybrid import indices
from ..smooth import minimum_jerk
from .hopping_leg import START_LEG, HoppingLegParams, leg_angles
from .hopping_leg_mechanics import P, leg_jacobian, leg_position, toe_position


@dataclass(frozen=True, eq=False)
class RaibertGains:
    """Gains of the hopping controller, tuned on the default leg; the instructions give none."""

    speed: float = 0.5  # v_d, commanded [m/s]
    height: float = 0.40  # h_d, commanded height of the hip over the last foothold at the apex [m]
    stance_time: float = 0.20  # T_st, that the force profile is stretched over [s]; stance ends before
    bezier: np.ndarray = field(default_factory=lambda: np.array([0, 2.5, 2.5, 0, 0.0]))  # mean 1: force is a mean force
    force: float = 70.0  # a, mean vertical force of the first hop [N]
    force_min: float = 40.0  # [N]
    force_max: float = 130.0  # [N]
    lean: float = 0.0  # b, horizontal over vertical force of the first hop
    lean_max: float = 0.3
    kp: float = 700.0  # of the foot in flight [N/m]
    kd: float = 18.0  # [N s/m]
    krh: float = 0.03  # Raibert's placement gain [s]
    neutral: float = 0.5  # share of the stance's way that the foot is put ahead
    leg_length: float = -START_LEG[1]  # hip to foot before touchdown [m]
    swing_time: float = 0.16  # of the foot's way forward [s]
    clearance: float = 0.03  # that the foot is lifted by, half way [m]
    kp_stance: float = 5.0  # of the joints in stance [N m/rad]
    kd_stance: float = 0.4  # [N m s/rad]; 0.1 often hops irregularly
    kvy: float = 20.0  # horizontal force per speed error [N s/m]
    friction: float = 0.4  # largest horizontal over vertical force asked for
    k_height: float = 120.0  # [N/m] per hop
    k_speed: float = 0.05  # [s/m] per hop

    def __post_init__(self) -> None:
        bezier = np.array(self.bezier, float)
        if bezier.shape != (5,):
            raise ValueError(f"bezier must have five coefficients, got shape {bezier.shape}")
        bezier.flags.writeable = False
        object.__setattr__(self, "bezier", bezier)
        for name in ("stance_time", "swing_time", "leg_length", "force_min", "height"):
            if not getattr(self, name) > 0:
                raise ValueError(f"{name} must be positive, got {getattr(self, name)}")
        if not self.force_min <= self.force <= self.force_max:
            raise ValueError(f"force must lie between {self.force_min} and {self.force_max} N, got {self.force}")

    def numbers(self, params: HoppingLegParams) -> dict[str, np.ndarray]:
        """Return the gains in the order of `K`, and the posture of a leg of those parameters.

        Raises:
            ValueError: If the leg cannot be that long.
        """
        table = {entry.name: np.asarray(getattr(self, entry.name)) for entry in fields(self)}
        return table | {"posture": leg_angles(params, np.array([0.0, -self.leg_length]))}


K = indices(RaibertGains().numbers(HoppingLegParams()))
MEMORY = ("t_event", "from_y", "from_z", "mean_force", "lean_now", "apex_height", "apex_speed", "foothold")
T_EVENT, FROM_Y, FROM_Z, FORCE, LEAN, APEX_HEIGHT, APEX_SPEED, FOOTHOLD = range(len(MEMORY))


def bezier(coefficients, s):
    """Return the Bezier polynomial of degree 4 at s in [0, 1]; its mean over s is that of its coefficients."""
    r = 1.0 - s
    c = coefficients
    return (
        c[0] * r * r * r * r
        + 4.0 * c[1] * s * r * r * r
        + 6.0 * c[2] * s * s * r * r
        + 4.0 * c[3] * s * s * s * r
        + c[4] * s * s * s * s
    )


def clip(value, low, high):
    """Return the value clipped to its limits."""
    return min(max(value, low), high)


def foot_target(t, dq, p, k, m, target):
    """Write the swing law's target of the foot, (y, z) in the hip's frame [m]."""
    v = p[P.LB] * dq[0]
    x = clip((t - m[T_EVENT]) / k[K.swing_time], 0.0, 1.0)
    ahead = k[K.neutral] * k[K.stance_time] * v + k[K.krh] * (v - k[K.speed])
    share, away = minimum_jerk(x), 1.0 - x
    target[0] = m[FROM_Y] + (ahead - m[FROM_Y]) * share
    target[1] = m[FROM_Z] + (-k[K.leg_length] - m[FROM_Z]) * share + k[K.clearance] * 16.0 * x * x * away * away


def ground_force(t, dq, p, k, m, F):
    """Write the force (y, z) on the foot that the stance law commands [N]."""
    s = clip((t - m[T_EVENT]) / k[K.stance_time], 0.0, 1.0)
    shape = bezier(k[K.bezier : K.bezier + 5], s)
    F[1] = m[FORCE] * shape
    wanted = k[K.kvy] * (k[K.speed] - p[P.LB] * dq[0]) * shape + m[LEAN] * F[1]
    most = k[K.friction] * abs(F[1])
    F[0] = clip(wanted, -most, most)


def swing_torque(t, q, dq, p, k, m, u):
    """Write the torques of hip and knee in flight [N m]."""
    J, foot, target = np.empty((2, 2)), np.empty(2), np.empty(2)
    leg_position(q, p, foot)
    leg_jacobian(q, p, J)
    foot_target(t, dq, p, k, m, target)
    u[0] = 0.0
    u[1] = 0.0
    for i in range(2):
        speed = J[i, 0] * dq[2] + J[i, 1] * dq[3]
        force = k[K.kp] * (target[i] - foot[i]) - k[K.kd] * speed
        u[0] += J[i, 0] * force
        u[1] += J[i, 1] * force


def stance_torque(t, q, dq, p, k, m, u):
    """Write the torques of hip and knee in stance [N m]."""
    J, F = np.empty((2, 2)), np.empty(2)
    leg_jacobian(q, p, J)
    ground_force(t, dq, p, k, m, F)
    for j in range(2):
        u[j] = -(J[0, j] * F[0] + J[1, j] * F[1])
        u[j] += k[K.kp_stance] * (k[K.posture + j] - q[2 + j]) - k[K.kd_stance] * dq[2 + j]


def at_liftoff(t, q, dq, p, k, m):
    """Store the time and position of the foot at liftoff, and the height of the ground there."""
    foot, toe = np.empty(2), np.empty(3)
    leg_position(q, p, foot)
    toe_position(q, p, toe)
    m[T_EVENT] = t
    m[FROM_Y] = foot[0]
    m[FROM_Z] = foot[1]
    m[FOOTHOLD] = toe[2]


def at_apex(t, q, dq, p, k, m):
    """Store the height over the last foothold, and the speed."""
    m[APEX_HEIGHT] = p[P.HB] - p[P.LB] * math.sin(q[1]) - m[FOOTHOLD]
    m[APEX_SPEED] = p[P.LB] * dq[0]


def at_touchdown(t, q, dq, p, k, m):
    """Correct the force and its lean by the errors of the last apex."""
    m[T_EVENT] = t
    m[FORCE] = clip(m[FORCE] + k[K.k_height] * (k[K.height] - m[APEX_HEIGHT]), k[K.force_min], k[K.force_max])
    m[LEAN] = clip(m[LEAN] + k[K.k_speed] * (k[K.speed] - m[APEX_SPEED]), -k[K.lean_max], k[K.lean_max])


def at_start(t, q, dq, p, k, m):
    """Start in flight over level ground, as if the foot had just lifted off and this were the apex."""
    at_liftoff(t, q, dq, p, k, m)
    m[FOOTHOLD] = 0.0
    m[FORCE] = k[K.force]
    m[LEAN] = k[K.lean]
    at_apex(t, q, dq, p, k, m)
