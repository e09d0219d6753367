"""A sampled controller in many machines at once, as a baseline that a policy corrects.

A policy asks for a correction of each torque, a share of the motor's largest, and for a tempo: a factor on the speed
that the controller is asked for. All follow what is asked with a first-order lag, for a controller's steps are
planned for the present speed, and noise, with which policies explore, should not reach the joints whole. Where nothing
is asked there is the controller itself.
"""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ..analytic.hybrid.automaton import Automaton
from ..analytic.hybrid.closing import Plant
from ..analytic.hybrid.sampled import MOST_EVENTS, sampling
from ..analytic.models.hopping_leg_mechanics import delivered

N_JOINTS = 2
# Columns of what follows with a lag: the corrections, the tempo, and the speed without it [m/s].
CORRECTION, TEMPO, PACE = 0, 2, 3
# Columns of what is shown: the controller's torque over the largest, the torque delivered [N m], their mean power
# since the control period began [W], and when the phase last changed [s].
LAW, TORQUE, POWER, CHANGED = 0, 2, 4, 5
N_LAGGED, N_SHOWN, N_STATE = 4, 6, 8
N_LAST = 2 + N_STATE + N_JOINTS  # of what is remembered of the last sample
# The kernel's numbers: the largest correction, a share of the largest torque; the shares of a wish that arrive in a
# sample, of corrections and of tempo and pace; the logarithm of the tempo of a wish of one; and a `Baseline`'s.
REACH, SHARE, TEMPO_SHARE, STRETCH, SETTLE, HOLD = range(6)
LONG_AGO = -1e9  # when contact last changed, before it ever did [s]


class Baseline(NamedTuple):
    """A controller that is corrected."""

    automaton: Automaton  # the controller
    kernel: Callable[[], Callable]  # returns the compiled function of `correcting`
    memory: np.ndarray  # its first memory, shape (n_memory,)
    beliefs: np.ndarray  # what it takes machine, ground and controller for, shape (n_beliefs,)
    # settle, hold: as of `analytic.hybrid.sampled.Sampled` [s]
    settle: float = 0.0
    hold: float = 0.0

    @property
    def down(self) -> np.ndarray:
        """Whether the controller takes the foot to stand, by phase, shape (n_phases,)."""
        return np.array([phase in self.automaton.down for phase in self.automaton.phases])


def remember_nothing(t, x, last):
    """Write what is remembered at a first sample, as if the one before had been the same without commands."""
    last[0], last[1] = t, LONG_AGO
    for i in range(N_STATE):  # numba compiles 30 functions for `last[2:] = x`
        last[2 + i] = x[i]
    for j in range(N_JOINTS):
        last[2 + N_STATE + j] = 0.0


def speed_asked(numbers, wanted, lagged):
    """Let corrections, tempo and pace follow what is wanted; return the speed that they ask for [m/s]."""
    for j in range(N_LAGGED):
        lagged[j] += numbers[SHARE if j < TEMPO else TEMPO_SHARE] * (wanted[j] - lagged[j])
    return lagged[PACE] * math.exp(numbers[STRETCH] * lagged[TEMPO])


def drive(numbers, weight, x, u, limits, lagged, shown, last, controls):
    """Write a machine's corrected torques for those of the controller, u, and what is shown of both."""
    power = 0.0
    for j in range(N_JOINTS):
        most, speed = limits[0, j], x[6 + j]
        shown[LAW + j] = min(max(u[j] / most, -1.0), 1.0)
        asked = min(max(u[j] + numbers[REACH] * lagged[CORRECTION + j] * most, -most), most)
        shown[TORQUE + j] = delivered(asked, speed, most, limits[1, j], limits[2, j])
        power += abs(shown[TORQUE + j] * speed)
        controls[j] = asked
        last[2 + N_STATE + j] = asked
    if weight < 0.0:
        shown[POWER] = 0.0
    shown[POWER] += abs(weight) * power


def correcting(automaton: Automaton, plant: Plant, ask: Callable) -> Callable:
    """Return the function that takes samples of machines, to be compiled.

    It is `correct(rows, numbers, weight, time, qpos, qvel, foot, ground, wanted, limits, beliefs, memory, phase, last,
    lagged, shown, controls)`. `rows` are the machines of this sample; arrays but `numbers` have a row for each of all:
    `foot` is the reading of its sensor and `ground` the height below it, `wanted` what `lagged` follows, `limits` as of
    `limited_torque`. `weight` is a sample's share of the control period, negative for its first. `ask(p, speed,
    height)` writes speed [m/s] and height of the ground [m] into what the controller believes.
    """
    sample, n_phases = sampling(automaton, plant), len(automaton.phases)

    def correct(
        rows,
        numbers,
        weight,
        time,
        qpos,
        qvel,
        foot,
        ground,
        wanted,
        limits,
        beliefs,
        memory,
        phase,
        last,
        lagged,
        shown,
        controls,
    ):
        x, u, notes = np.empty(N_STATE), np.empty(N_JOINTS), np.empty((1 + MOST_EVENTS, 1 + memory.shape[1]))
        for i in rows:
            for j in range(N_STATE // 2):
                x[j], x[N_STATE // 2 + j] = qpos[i, j], qvel[i, j]
            t, p, before = time[i], beliefs[i], phase[i]
            ask(p, speed_asked(numbers, wanted[i], lagged[i]), ground[i])
            if before < 0:
                remember_nothing(t, x, last[i])
            for j in range(N_JOINTS):
                u[j] = 0.0
            found = sample(
                t, x, memory[i], p, before, last[i], foot[i, 0] > 0.0, numbers[SETTLE], numbers[HOLD], u, notes
            )
            phase[i] = found % n_phases
            if phase[i] != before:
                shown[i, CHANGED] = t
            drive(numbers, weight, x, u, limits[:, i], lagged[i], shown[i], last[i], controls[i])

    return correct
