"""The legs of a clock in a step of walkers, compiled as the other `kernels`: every row of an array is a simulation."""

import numpy as np

from ..analytic.clock import TURN, blended_corner, fast_phase, slow_phase

GATHERING = 12.0  # speed at which a leg that is out of step goes to where it stands [rad/s]


def legs_of_clock(
    gait, phase, side, cycles, times, lead: int, scale, share,
    action, correction, held, turned, reference, rate, commands,
):  # fmt: skip
    """Follow a clock whose legs have phases and sides, with corrections, and write the commands of the substeps.

    The arithmetic is that of `servos.gait_commands` with `hexapod.tripod_gait`, to the bit. A leg that is held at an
    angle first goes the short way to straight down, while the clock stands still: a robot whose legs point anywhere
    rolls over before they all carry it. There it waits until the clock's leg comes by.

    Of its own, beside what `kernels` share:
        gait: Cycle time [s], duty factor, sweep and offset angle [rad], and the differences of duty, offset and sweep
            [rad] that the sides add, and the width of cubic blends [cycle], shape (n, 8).
        phase: Of each leg, shape (n_legs,) [cycle].
        side: Of each leg, +1 or -1, shape (n_legs,).
        held: Where legs are that wait for the clock, infinite for those that follow it, shape (n, n_legs) [rad].
        turned: Whole turns that hips are ahead of the clock, shape (n, n_legs) [rad].
    """
    n = len(times) - 1
    for i in range(len(gait)):
        stands = gathers(held[i])
        frequency = 0.0 if stands else 1.0 / gait[i, 0]
        for j in range(len(phase)):
            own, before = gait[i], correction[i, j]
            correction[i, j] += share * (scale * action[i, j] - before)
            added = (correction[i, j] - before) / times[n]
            wait, waits = held[i, j], held[i, j] < np.inf
            goal = straight_down(wait) if waits else wait
            toward = min(max((goal - wait) / times[n], -GATHERING), GATHERING) if waits else 0.0
            for k in range(n + 1):
                at = k + lead if k < n else n
                angle, speed = leg_of_clock(own, phase[j], side[j], cycles[i] + times[at] * frequency)
                angle += turned[i, j]
                if stands:
                    speed = 0.0
                if waits:
                    angle, speed = wait + times[at] * toward, toward
                if k < n:
                    commands[i, k, j, 0] = angle + (before + times[at] * added)
                    commands[i, k, j, 1] = added + speed
                else:
                    reference[i, j], rate[i, j] = angle + correction[i, j], added + speed
            if waits and stands:
                arrives = abs(goal - wait) <= GATHERING * times[n]
                held[i, j] = goal if arrives else wait + times[n] * toward
            elif waits:
                first, _ = leg_of_clock(own, phase[j], side[j], cycles[i])
                last, _ = leg_of_clock(own, phase[j], side[j], cycles[i] + times[n] * frequency)
                first, last = (wait - first) / TURN, (wait - last) / TURN
                if np.floor(first) != np.floor(last):  # it came by
                    held[i, j], turned[i, j] = np.inf, TURN * np.rint(last)
        cycles[i] += times[n] * frequency


def gathers(held):
    """Return whether any leg that waits for the clock, of those held at these angles [rad], is not straight down."""
    for j in range(len(held)):
        angle = held[j]
        if angle < np.inf and angle != straight_down(angle):
            return True
    return False


def straight_down(angle):
    """Return the angle nearest to this one at which a leg points straight down [rad]."""
    return TURN * np.rint(angle / TURN)


def leg_of_clock(gait, phase, side, cycles):
    """Return angle [rad] and rate [rad/s] of a leg of `legs_of_clock` when its clock has gone so many cycles."""
    cycle_time, duty, sweep, offset, duty_difference, offset_difference, sweep_difference, blend = gait
    slow_time, sweep = (duty + side * duty_difference) * cycle_time, sweep + side * sweep_difference
    gone = cycles + phase
    turns = np.floor(gone + 0.5)
    tau = (gone - turns) * cycle_time
    if -0.5 * slow_time <= tau < 0.5 * slow_time:
        angle, speed = slow_phase(tau, slow_time, sweep)
    else:
        angle, speed = fast_phase(tau, 0.5 if tau > 0.0 else -0.5, cycle_time, slow_time, sweep)
    width = blend * cycle_time
    into = abs(tau) - 0.5 * (slow_time - width)
    if 0.0 < into < width:
        line, slow_rate = slow_phase(abs(tau), slow_time, sweep)
        _, fast_rate = fast_phase(tau, 0.5, cycle_time, slow_time, sweep)
        rise, more = blended_corner(into, width, True, fast_rate - slow_rate)
        angle, speed = np.copysign(line + rise, tau), slow_rate + more
    return -(TURN * turns + angle + offset + side * offset_difference), -speed
