"""Servos of the exact hexapod's hips whose set-points are given from outside, as a policy's actions are.

Each set-point moves at a constant rate from a given time on, and a torque may be added; all are parameters of a run, so
that one compiled model follows any policy. A set-point and its hip count full turns, as MuJoCo's servos do: the error is
not the short way round, but as large as it is.
"""

from __future__ import annotations

from ...hybrid import Guard, indices
from .control import FAR, HipControl
from .leg import wrap
from .parameters import N_LEGS, HexapodParams


def _table(kp: float, kd: float) -> dict[str, float]:
    joints = {f"{what}_{leg}": 0.0 for what in ("angle", "rate", "torque") for leg in range(N_LEGS)}
    return {"KP": kp, "KD": kd, "since": 0.0} | joints


S = indices(_table(0.0, 0.0))


def servo(params: HexapodParams, gains: bool = True) -> HipControl:
    """Return the controller: parameters `angle_i` [rad] at the time `since` [s], `rate_i` [rad/s], `torque_i` [N m].

    The memory `near_i` is an error near the present one, from which it is counted; an event `half_turn_i` updates it.

    Args:
        params: The robot; its gains are used.
        gains: Whether the servos are on; if not, only the torques act.
    """
    return HipControl(
        _table(params.KP, params.KD) if gains else _table(0.0, 0.0), servo_torque,
        memory={f"near{leg}": 0.0 for leg in range(N_LEGS)},
        table=tuple(Guard(f"half_turn_{leg}") for leg in range(N_LEGS)),
        guards=servo_guards, transition=servo_transition,
    )  # fmt: skip


def servo_error(t, d, p, leg, angle):
    """Return how far a hip is behind its set-point [rad]."""
    near = d[leg]
    return near + wrap(p[S.angle_0 + leg] + p[S.rate_0 + leg] * (t - p[S.since]) - angle - near)


def servo_torque(t, x, own, d, p, mode, leg, angle, speed):
    """Return the torque asked of a hip [N m]."""
    pull = p[S.KP] * servo_error(t, d, p, leg, angle) + p[S.KD] * (p[S.rate_0 + leg] - speed)
    return pull + p[S.torque_0 + leg]


def servo_guards(t, x, own, d, p, mode, hips, g):
    """Write the angle left to where an error must be counted anew."""
    for leg in range(N_LEGS):
        g[leg] = FAR - abs(servo_error(t, d, p, leg, hips[leg]) - d[leg])


def servo_transition(t, x, own, d, p, mode, hips, fired):
    """Count an error from where it is now."""
    for leg in range(N_LEGS):
        if fired[leg]:
            d[leg] = servo_error(t, d, p, leg, hips[leg])
    return mode
