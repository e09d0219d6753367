"""Servos of the exact hexapod's hips whose set-points are given from outside, as a policy's actions are.

Each set-point moves at a constant rate from a given time on, and a torque may be added; all are parameters of a run,
so that one compiled model follows any policy. A set-point and its hip count full turns, as MuJoCo's servos do: the
error is not the short way round, but as large as it is.
"""

import numpy as np

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
    Without `gains` only the torques act.
    """
    return HipControl(
        _table(params.KP, params.KD) if gains else _table(0.0, 0.0), servo_torque,
        memory={f"near{leg}": 0.0 for leg in range(N_LEGS)},
        table=tuple(Guard(f"half_turn_{leg}", sampled=True) for leg in range(N_LEGS)),
        sampled=half_turns, transition=servo_transition,
    )  # fmt: skip


def servo_error(t, d, p, leg, angle):
    """Return a hip's lag behind its set-point [rad]."""
    near = d[leg]
    return near + wrap(p[S.angle_0 + leg] + p[S.rate_0 + leg] * (t - p[S.since]) - angle - near)


def servo_torque(t, x, own, d, p, mode, leg, angle, speed):
    """Return the torque asked of a hip [N m]."""
    pull = p[S.KP] * servo_error(t, d, p, leg, angle) + p[S.KD] * (p[S.rate_0 + leg] - speed)
    return pull + p[S.torque_0 + leg]


def half_turns(t, x, own, d, p, mode, hips, g):
    """Write the angle left to where an error must be counted anew."""
    for leg in range(N_LEGS):
        g[leg] = FAR - abs(servo_error(t, d, p, leg, hips[leg]) - d[leg])


def servo_transition(t, x, own, d, p, mode, hips, fired):
    """Count an error from where it is now."""
    for leg in range(N_LEGS):
        if fired[leg]:
            d[leg] = servo_error(t, d, p, leg, hips[leg])
    return mode


SAME_RATE = 1e-9  # of two samples of a set-point on one line [rad/s]
SAME_TIME = 1e-9  # of two kinks [s]


def split(times, angle, rate, ends, angles, rates):
    """Split a period into parts in which every set-point moves at a constant rate, and return how many there are.

    Between two samples of different rates a set-point has a kink, where their lines cross. To be compiled.

    Args:
        times: Of the samples, from the period's begin, at 0, to its end, shape (n,) [s].
        angle: Of each set-point, shape (n, n_joints) [rad].
        rate: Its rate [rad/s].
        ends: Receives the end of each part, shape (n_parts,) [s]; where there is no room for more, parts are joined.
        angles: Receives the set-points at time zero on each part's lines, shape (n_parts, n_joints) [rad].
        rates: Receives their rates.
    """
    n, n_joints = angle.shape
    line, k, t, last, count = np.zeros(n_joints, np.int64), 0, times[0], times[n - 1], 0
    while True:
        nearest = last
        for j in range(n_joints):
            until = last
            for i in range(line[j], n - 1):
                if abs(rate[i + 1, j] - rate[line[j], j]) > SAME_RATE:
                    k = line[j]
                    rise = angle[i + 1, j] - rate[i + 1, j] * times[i + 1] - angle[k, j] + rate[k, j] * times[k]
                    until = min(max(rise / (rate[k, j] - rate[i + 1, j]), times[i]), times[i + 1])
                    break
            if until <= t + SAME_TIME and until < last:  # it is on its next line from here
                line[j] = i + 1
                until = t
            nearest = min(nearest, until)
        if nearest <= t and t < last:
            continue
        end = last if nearest >= last - SAME_TIME or count == len(ends) - 1 else nearest
        ends[count] = end
        for j in range(n_joints):
            rates[count, j] = rate[line[j], j]
            angles[count, j] = angle[line[j], j] - rate[line[j], j] * times[line[j]]
        count, t = count + 1, end
        if end == last:
            return count
