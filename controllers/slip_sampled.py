"""Sampled control of SLIP running: detects the events between samples and calls their laws.

Plain functions, compiled as one piece by `SlipController`.
"""

from __future__ import annotations

import numpy as np

from ..analytic.models.slip_leg import NQ, foot_z
from ..analytic.models.slip_leg_hybrid import EXTEND, HOLD, RETRACT, STANCE, com_rise
from ..analytic.models.slip_leg_motion import flight_rates, stance_rates
from .slip_laws import (
    K,
    flight_torque,
    leg_length,
    on_apex,
    on_clear,
    on_liftoff,
    on_touchdown,
    spring,
    stance_torque,
)


def sample(t, x, d, p, phase, last, ground, hold, tau):
    """Write the torques for one sample; return the phase, which may have changed since the last one.

    Args:
        t: Time [s].
        x: State of the leg, shape (8,).
        d: The controller's memory.
        p: Parameters of leg and controller.
        phase: The phase at the last sample; -1 before the first.
        last: Time, state and torques of the last sample, (11,); overwritten with the current ones.
        ground: Height of the ground under the foot [m].
        hold: How long the torques will be held [s].
        tau: The torques, shape (2,) [N m].
    """
    phase = next_phase(t, x, d, p, phase, last, ground)
    torque_of(t, x, d, p, phase, tau)
    if hold > 0.0:
        middle, force = np.empty(2 * NQ), np.empty(2)
        if phase == STANCE:
            stance_rates(x, p, tau, middle, force)
        else:
            flight_rates(x, p, tau, middle)
        for i in range(2 * NQ):
            middle[i] = x[i] + 0.5 * hold * middle[i]
        torque_of(t + 0.5 * hold, middle, d, p, phase, tau)
    last[0] = t
    last[1 : 1 + 2 * NQ] = x
    last[1 + 2 * NQ :] = tau
    return phase


def torque_of(t, x, d, p, phase, tau):
    """Write the torques of a phase."""
    if phase == STANCE:
        stance_torque(t, x, d, p, tau)
    else:
        flight_torque(t, x, d, p, tau)


def next_phase(t, x, d, p, phase, last, ground):
    """Return the phase after the events since the last sample, having called their laws."""
    if phase == STANCE and spring(t, x, d, p) <= 0.0:
        # Where the impact sped the centre of mass up, the spring is too short at first: only a lengthening leg leaves.
        if leg_length(x, p) > leg_length(last[1 : 1 + 2 * NQ], p):
            on_liftoff(t, x, d, p)
            phase = HOLD
    height = foot_z(x, p) - ground
    if phase == -1 and com_rise(x, p) > 0.0 or phase == HOLD and height >= p[K.clearance]:
        on_clear(t, x, d, p)
        phase = RETRACT
    if phase != STANCE and phase != EXTEND and com_rise(x, p) <= 0.0:
        on_apex(t, x, d, p)
        return EXTEND  # the last sample is no flight to predict from
    if phase == EXTEND:
        # The foot may have touched since the last sample and bounced up again: where would it be without the ground?
        free = without_ground(t, x, p, last)
        if min(height, foot_z(free, p) - ground) <= 0.0:
            free[:NQ] = x[:NQ]
            on_touchdown(t, free, d, p)
            phase = STANCE
    return phase


def without_ground(t, x, p, last):
    """Return the state predicted by flight alone since the last sample.

    The foot may have hit the ground meanwhile, and the impact is over within milliseconds.
    """
    rates, free, elapsed = np.empty(2 * NQ), x.copy(), t - last[0]
    flight_rates(last[1 : 1 + 2 * NQ], p, last[1 + 2 * NQ :], rates)
    for i in range(NQ):
        free[NQ + i] = last[1 + NQ + i] + elapsed * rates[NQ + i]
        free[i] = last[1 + i] + elapsed * (last[1 + NQ + i] + 0.5 * elapsed * rates[NQ + i])
    return free
