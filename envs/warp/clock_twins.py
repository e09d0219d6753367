"""The clocks and gaits of walkers for a device: twins of `clock_kernels` and `gait_kernels`, in Warp; see `twins`."""

from __future__ import annotations

import warp as wp

from ...analytic.clock import TURN as A_TURN
from ..clock_kernels import GATHERING as FASTEST
from ..gait_kernels import UNDULATION

F = wp.float64
TURN, GATHERING = wp.constant(F(A_TURN)), wp.constant(F(FASTEST))
ENDLESS = wp.constant(F(1e300))  # what is above is held nowhere
Rows, Row = wp.array2d[F], wp.array[F]


@wp.func
def within(value: F, low: F, high: F):
    """Return a value, or the bound that it is beyond."""
    return wp.min(wp.max(value, low), high)


@wp.func
def profile(tau: F, period: F, slow_time: F, sweep: F):
    """Return angle and rate of `clock.slow_phase` or `clock.fast_phase`, whichever it is at tau."""
    angle, rate = sweep / slow_time * tau, sweep / slow_time
    if not (F(-0.5) * slow_time <= tau and tau < F(0.5) * slow_time):
        edge = wp.where(tau > F(0.0), F(0.5), F(-0.5))
        rate = (TURN - sweep) / (period - slow_time)
        angle = edge * sweep + rate * (tau - edge * slow_time)
    return angle, rate


@wp.func
def leg_of_clock(gait: Rows, i: int, phase: F, side: F, cycles: F):
    """As `clock_kernels.leg_of_clock`."""
    period = gait[i, 0]
    slow_time, sweep = (gait[i, 1] + side * gait[i, 4]) * period, gait[i, 2] + side * gait[i, 6]
    turns = wp.floor(cycles + phase + F(0.5))
    tau = (cycles + phase - turns) * period
    angle, speed = profile(tau, period, slow_time, sweep)
    width = gait[i, 7] * period
    into = wp.abs(tau) - F(0.5) * (slow_time - width)
    if F(0.0) < into and into < width:
        slow_rate = sweep / slow_time
        jump = (TURN - sweep) / (period - slow_time) - slow_rate
        angle = wp.sign(tau) * (slow_rate * wp.abs(tau) + F(0.5) * jump * into * into / width)
        speed = slow_rate + jump * into / width
    return -(TURN * turns + angle + gait[i, 3] + side * gait[i, 5]), -speed


@wp.func
def straight_down(angle: F):
    """As `clock_kernels.straight_down`."""
    return TURN * wp.rint(angle / TURN)


@wp.kernel(enable_backward=False)
def legs_of_clock(
    gait: Rows, phase: Row, side: Row, cycles: Row, times: Row, lead: int, scale: F, share: F,
    action: Rows, correction: Rows, held: Rows, turned: Rows, reference: Rows, rate: Rows, commands: wp.array4d[F],
):  # fmt: skip
    """As `clock_kernels.legs_of_clock`."""
    i = wp.tid()
    n = times.shape[0] - 1
    aslant = F(0.0)
    for j in range(phase.shape[0]):
        if held[i, j] < ENDLESS and held[i, j] != straight_down(held[i, j]):
            aslant += F(1.0)
    stands = aslant > F(0.0)
    frequency = wp.where(stands, F(0.0), F(1.0) / gait[i, 0])
    for j in range(phase.shape[0]):
        before = correction[i, j]
        correction[i, j] = before + share * (scale * action[i, j] - before)
        added = (correction[i, j] - before) / times[n]
        wait = held[i, j]
        waits = wait < ENDLESS
        goal, toward = wait, F(0.0)
        if waits:
            goal = straight_down(wait)
            toward = within((goal - wait) / times[n], -GATHERING, GATHERING)
        for k in range(n + 1):
            at = wp.where(k < n, k + lead, n)
            angle, speed = leg_of_clock(gait, i, phase[j], side[j], cycles[i] + times[at] * frequency)
            angle = angle + turned[i, j]
            if stands:
                speed = F(0.0)
            if waits:
                angle, speed = wait + times[at] * toward, toward
            if k < n:
                commands[i, k, j, 0] = angle + (before + times[at] * added)
                commands[i, k, j, 1] = added + speed
            else:
                reference[i, j] = angle + correction[i, j]
                rate[i, j] = added + speed
        if waits and stands:
            held[i, j] = wp.where(wp.abs(goal - wait) <= GATHERING * times[n], goal, wait + times[n] * toward)
        elif waits:
            first, _r = leg_of_clock(gait, i, phase[j], side[j], cycles[i])
            last, _s = leg_of_clock(gait, i, phase[j], side[j], cycles[i] + times[n] * frequency)
            if wp.floor((wait - first) / TURN) != wp.floor((wait - last) / TURN):
                held[i, j] = F(wp.inf)
                turned[i, j] = TURN * wp.rint((wait - last) / TURN)
    cycles[i] = cycles[i] + times[n] * frequency


@wp.func
def joint_of(kind: int, gait: Rows, i: int, j: int, n_joints: int, cycles: F):
    """As `gait_kernels.joint_of`."""
    if kind == wp.static(UNDULATION):
        pair, last = j // 2, n_joints // 2 - 1
        u, speed = TURN * cycles - gait[i, 1] * F(pair), TURN * gait[i, 0]
        if j % 2 == 1:
            return -gait[i, 3] * wp.cos(u), speed * gait[i, 3] * wp.sin(u)
        held = gait[i, 4] * (F(1.0) - F(2.0) * F(pair) / F(last))
        return held + gait[i, 2] * wp.sin(u), speed * gait[i, 2] * wp.cos(u)
    half = n_joints // 2
    right = j < half
    gone = cycles + wp.where(right, F(0.0), F(0.5)) - gait[i, 3] * F(j % half)
    period, swept = F(1.0) / gait[i, 0], gait[i, 2] * (F(1.0) + wp.where(right, gait[i, 4], -gait[i, 4]))
    turns = wp.floor(gone + F(0.5))
    angle, rate = profile((gone - turns) * period, period, gait[i, 1] * period, swept)
    return TURN * turns + angle, rate


@wp.kernel(enable_backward=False)
def joints_of_gait(
    kind: int, gait: Rows, cycles: Row, times: Row, lead: int, scale: F, share: F,
    action: Rows, correction: Rows, reference: Rows, rate: Rows, commands: wp.array4d[F],
):  # fmt: skip
    """As `gait_kernels.joints_of_gait`."""
    i = wp.tid()
    n, n_joints = times.shape[0] - 1, correction.shape[1]
    for j in range(n_joints):
        before = correction[i, j]
        if share > F(0.0):
            correction[i, j] = before + share * (scale * action[i, j] - before)
        added = (correction[i, j] - before) / times[n]
        for k in range(n):
            at = times[k + lead]
            angle, speed = joint_of(kind, gait, i, j, n_joints, cycles[i] + at * gait[i, 0])
            commands[i, k, j, 0] = angle + (before + at * added)
            commands[i, k, j, 1] = speed + added
        angle, speed = joint_of(kind, gait, i, j, n_joints, cycles[i] + times[n] * gait[i, 0])
        reference[i, j] = angle + correction[i, j]
        rate[i, j] = speed + added
    cycles[i] = cycles[i] + times[n] * gait[i, 0]
