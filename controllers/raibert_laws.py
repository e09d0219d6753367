r"""The hopping leg's control laws as plain functions of arrays: Bezier ground force, Raibert placement, regulation.

`raibert` makes a controller of them. Functions take (t, x, d, p): the leg's state (q, dq), the memory (see `D`), which
only events change, and the numbers of the leg and then the gains (see `K`). With the foot (y, z) in the hip's frame,
J = d(y, z) / d(hip, knee), v = LB dth1:

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

import math
from dataclasses import dataclass, field, fields

import numpy as np

from ..analytic.hybrid import indices
from ..analytic.models.hopping_leg import START_LEG, HoppingLegParams, leg_angles
from ..analytic.models.hopping_leg_hybrid import MEMORY as FOOTHOLD
from ..analytic.models.hopping_leg_mechanics import (
    P,
    leg_jacobian,
    leg_position,
    limit_torque,
    numbers,
    toe_position,
)
from ..analytic.smooth import minimum_jerk


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


# What is stored from one event to the next.
MEMORY = {
    "t_event": 0.0,  # when the foot last landed or left [s]
    "from_y": 0.0,  # where it left, in the hip's frame [m]
    "from_z": 0.0,
    "mean_force": 0.0,  # of the present stance [N]
    "lean_now": 0.0,
    "apex_height": 0.0,  # of the hip over the last foothold at the last apex [m]
    "apex_speed": 0.0,  # [m/s]
    "foothold": 0.0,  # the ground's height there [m]
}
PHASES = ("ascent", "descent", "stance")
ASCENT, DESCENT, STANCE = range(3)
K = indices(numbers(HoppingLegParams()) | RaibertGains().numbers(HoppingLegParams()))
D = indices({**FOOTHOLD, **MEMORY})
YAW_RATE, PITCH_RATE = 4, 5  # places in the state; the boom's pitch is positive downward


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


def foot_target(t, x, d, p, target):
    """Write the swing law's target of the foot, (y, z) in the hip's frame [m]."""
    v = p[P.LB] * x[YAW_RATE]
    s = clip((t - d[D.t_event]) / p[K.swing_time], 0.0, 1.0)
    ahead = p[K.neutral] * p[K.stance_time] * v + p[K.krh] * (v - p[K.speed])
    share, away = minimum_jerk(s), 1.0 - s
    target[0] = d[D.from_y] + (ahead - d[D.from_y]) * share
    target[1] = d[D.from_z] + (-p[K.leg_length] - d[D.from_z]) * share + p[K.clearance] * 16.0 * s * s * away * away


def ground_force(t, x, d, p, F):
    """Write the force (y, z) on the foot that the stance law commands [N]."""
    s = clip((t - d[D.t_event]) / p[K.stance_time], 0.0, 1.0)
    shape = bezier(p[K.bezier : K.bezier + 5], s)
    F[1] = d[D.mean_force] * shape
    wanted = p[K.kvy] * (p[K.speed] - p[P.LB] * x[YAW_RATE]) * shape + d[D.lean_now] * F[1]
    most = p[K.friction] * abs(F[1])
    F[0] = clip(wanted, -most, most)


def swing_torque(t, x, d, p, u):
    """Write the torques of hip and knee in flight, limited as the motors are [N m]."""
    J, foot, target = np.empty((2, 2)), np.empty(2), np.empty(2)
    leg_position(x, p, foot)
    leg_jacobian(x, p, J)
    foot_target(t, x, d, p, target)
    u[0] = 0.0
    u[1] = 0.0
    for i in range(2):
        speed = J[i, 0] * x[6] + J[i, 1] * x[7]
        force = p[K.kp] * (target[i] - foot[i]) - p[K.kd] * speed
        u[0] += J[i, 0] * force
        u[1] += J[i, 1] * force
    limit_torque(x[4:], p, u)


def stance_torque(t, x, d, p, u):
    """Write the torques of hip and knee in stance, limited as the motors are [N m]."""
    J, F = np.empty((2, 2)), np.empty(2)
    leg_jacobian(x, p, J)
    ground_force(t, x, d, p, F)
    for j in range(2):
        u[j] = -(J[0, j] * F[0] + J[1, j] * F[1])
        u[j] += p[K.kp_stance] * (p[K.posture + j] - x[2 + j]) - p[K.kd_stance] * x[6 + j]
    limit_torque(x[4:], p, u)


def on_liftoff(t, x, d, p):
    """Store the time and position of the foot at liftoff, and the height of the ground there."""
    foot, toe = np.empty(2), np.empty(3)
    leg_position(x, p, foot)
    toe_position(x, p, toe)
    d[D.t_event] = t
    d[D.from_y] = foot[0]
    d[D.from_z] = foot[1]
    d[D.foothold] = toe[2]


def on_apex(t, x, d, p):
    """Store the height over the last foothold, and the speed."""
    d[D.apex_height] = p[P.HB] - p[P.LB] * math.sin(x[1]) - d[D.foothold]
    d[D.apex_speed] = p[P.LB] * x[YAW_RATE]


def on_touchdown(t, x, d, p):
    """Correct the force and its lean by the errors of the last apex."""
    d[D.t_event] = t
    d[D.mean_force] = clip(
        d[D.mean_force] + p[K.k_height] * (p[K.height] - d[D.apex_height]), p[K.force_min], p[K.force_max]
    )
    d[D.lean_now] = clip(d[D.lean_now] + p[K.k_speed] * (p[K.speed] - d[D.apex_speed]), -p[K.lean_max], p[K.lean_max])


def rising(t, x, d, p):
    """Return the speed at which the hip rises, positive before the apex [rad/s]."""
    return -x[PITCH_RATE]


def leave(t, x, d, p):
    """Note the liftoff; return the phase of flight. A leg that leaves the ground falling has no apex."""
    on_liftoff(t, x, d, p)
    if x[PITCH_RATE] < 0.0:
        return ASCENT
    on_apex(t, x, d, p)
    return DESCENT


def first_phase(t, x, d, p):
    """Start in flight over level ground, as if the foot had just lifted off and this were the apex."""
    on_liftoff(t, x, d, p)
    d[D.foothold] = 0.0
    d[D.mean_force] = p[K.force]
    d[D.lean_now] = p[K.lean]
    on_apex(t, x, d, p)
    return ASCENT if x[PITCH_RATE] < 0.0 else DESCENT
