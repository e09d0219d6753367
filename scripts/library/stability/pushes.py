"""Pushes of a closed loop: whether it stays up, and walks on as fast.

A push adds a horizontal velocity to the body at a phase of the steady gait. It is survived if the episode goes on for
`PERIODS` periods of the gait, and at least for `LEAST` seconds, and the speed over ground in the last two of them is at
least `RECOVERED` of what it was, in whatever direction. A gait that is a return map is pushed at its section, and comes
nearer to where it was in that time.
"""

import numpy as np

from tarsus.scripts.library.stability.ensembles import Trial
from tarsus.scripts.library.stability.gaits import Gait
from tarsus.scripts.library.stability.loop import Ended, Loop, State

PERIODS, LEAST = 4, 2.0  # how long after a push it is judged [periods], and at least [s]
WINDOW = 2  # over which speed is measured [periods]
RECOVERED = 0.5  # of the speed before
STILL = 0.02  # a slower machine stands, and need not walk on [m/s]


class FallsByItself(ValueError):
    """A policy falls without a push or a change: there is nothing to look for."""


def place(loop: Loop) -> np.ndarray:
    """Return the place of a loop's machine, shape (2,), or (1,) on a line [m]."""
    task = loop.base.task
    return np.atleast_1d(task.here * task.place_scale).copy()


def speed_after(loop: Loop, steps: int, window: int) -> float:
    """Continue for some steps, and return the mean speed of the last, a `window` [m/s]; -inf if the episode ended."""
    if not loop.advance(steps - window):
        return -np.inf
    before = place(loop)
    if not loop.advance(window):
        return -np.inf
    return float(np.linalg.norm(place(loop) - before)) / (window * loop.ctrl_dt)


def least_speed(speed: float) -> float:
    """Return the least speed of a machine that walks on, of its speed before [m/s]."""
    return RECOVERED * speed if speed > STILL else 0.0


class Pushed:
    """Whether pushes are survived: a function of a trial. The gait is steady after `seconds`."""

    def __init__(self, loop: Loop, steps_per_period: int, seconds: float = 6.0):
        self._loop, self._period, self._seconds = loop, steps_per_period, seconds
        self._window = WINDOW * steps_per_period
        self._steps = max(PERIODS * steps_per_period, round(LEAST / loop.ctrl_dt), self._window)
        self._steady: dict[int, tuple[list[State], float]] = {}

    def __call__(self, trial: Trial) -> bool:
        states, speed = self._of(trial.seed)
        self._loop.restore(states[int(trial.phase * len(states))])
        sideways = (np.sin(trial.direction),) if self._loop.chart.free else (0.0,)
        self._loop.push((trial.size * np.cos(trial.direction), *(trial.size * s for s in sideways), 0.0))
        return speed_after(self._loop, self._steps, self._window) >= least_speed(speed)

    def _of(self, seed: int) -> tuple[list[State], float]:
        """Return the states of a period of the steady gait, and its speed; FallsByItself if there is none."""
        if seed not in self._steady:
            try:
                states = [self._loop.steady(self._seconds, seed)]
            except Ended as error:
                raise FallsByItself(f"seed {seed}: {error}") from error
            for _ in range(self._period - 1):
                self._loop.advance(1)
                states.append(self._loop.state())
            self._loop.restore(states[0])
            self._steady[seed] = states, speed_after(self._loop, self._window, self._window)
        return self._steady[seed]


class PushedGait:
    """Whether pushes of a return map's gait are survived: a function of a trial, whose phase is that of the section."""

    def __init__(self, gait: Gait):
        self._gait, self._strides = gait, max(PERIODS, int(np.ceil(LEAST / gait.period)))

    def __call__(self, trial: Trial) -> bool:
        velocity = trial.size * np.array([np.cos(trial.direction), np.sin(trial.direction)])
        at = [self._gait.pushed(velocity, strides) for strides in (0, self._strides)]
        first, last = np.abs((np.array(at) - self._gait.system.at) / self._gait.system.scale).max(axis=1)
        return bool(last < first)  # NaN is not: it fell
