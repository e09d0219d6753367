"""The joints of a gait in a step of walkers, compiled as the other `kernels`: every row of an array is a simulation.

A machine chooses its gait by number, `WalkerTask.GAIT`; a new one is a function of a joint and a line in `joint_of`.
"""

import math

import numpy as np

from ..analytic.clock import TURN, fast_phase, slow_phase

UNDULATION, SHAFT_CLOCK = range(2)


def joints_of_gait(
    kind: int, gait, cycles, times, lead: int, scale, share, action, correction, reference, rate, commands
):
    """Follow a gait, with corrections, and write the commands of the substeps.

    Of its own, beside what `kernels` share:
        kind: The gait, by number.
        gait: Its parameters, frequency [Hz] first, shape (n, n_parameters).
    """
    n, n_joints = len(times) - 1, correction.shape[1]
    for i in range(len(gait)):
        for j in range(n_joints):
            before = correction[i, j]
            if share > 0.0:
                correction[i, j] += share * (scale * action[i, j] - before)
            added = (correction[i, j] - before) / times[n]
            for k in range(n):
                angle, speed = joint_of(kind, gait[i], j, n_joints, cycles[i] + times[k + lead] * gait[i, 0])
                commands[i, k, j, 0] = angle + (before + times[k + lead] * added)
                commands[i, k, j, 1] = speed + added
            angle, speed = joint_of(kind, gait[i], j, n_joints, cycles[i] + times[n] * gait[i, 0])
            reference[i, j], rate[i, j] = angle + correction[i, j], speed + added
        cycles[i] += times[n] * gait[i, 0]


def pose_of_gait(kind: int, gait, cycles, angle):
    """Write the joints' angles, shape (n, n_joints) [rad], of a gait that has gone so many cycles, shape (n,)."""
    for i in range(len(gait)):
        for j in range(angle.shape[1]):
            angle[i, j], _ = joint_of(kind, gait[i], j, angle.shape[1], cycles[i])


def joint_of(kind, gait, j, n_joints, cycles):
    """Return angle [rad] and rate [rad/s] of a joint when its gait has gone so many cycles."""
    if kind == UNDULATION:
        return joint_of_undulation(gait, j, n_joints, cycles)
    return shaft_of_clock(gait, j, n_joints, cycles)


def joint_of_undulation(gait, j, n_joints, cycles):
    """Return those of a yaw or, if j is odd, a roll, as `analytic.undulation` does for all."""
    frequency, phase_offset, yaw, roll, steering = gait
    pair, last = float(j // 2), float(n_joints // 2 - 1)
    u, speed = TURN * cycles - phase_offset * pair, TURN * frequency
    if j % 2:
        return -roll * math.cos(u), speed * roll * math.sin(u)
    return steering * (1.0 - 2.0 * pair / last) + yaw * math.sin(u), speed * yaw * math.cos(u)


def shaft_of_clock(gait, j, n_joints, cycles):
    """Return those of a shaft of `BigAntTask.gait`: right legs from the rear, then left legs."""
    frequency, duty, sweep, lag, steering = gait
    right = j < n_joints // 2
    gone = cycles + (0.0 if right else 0.5) - lag * float(j % (n_joints // 2))
    period, swept = 1.0 / frequency, sweep * (1.0 + (steering if right else -steering))
    turns = np.floor(gone + 0.5)
    tau, slow_time = (gone - turns) * period, duty * period
    if -0.5 * slow_time <= tau < 0.5 * slow_time:
        angle, speed = slow_phase(tau, slow_time, swept)
    else:
        angle, speed = fast_phase(tau, 0.5 if tau > 0.0 else -0.5, period, slow_time, swept)
    return TURN * turns + angle, speed
