"""A closed loop of which it is known what pushes it survives."""

from types import SimpleNamespace
from typing import NamedTuple

import numpy as np


class Stand(NamedTuple):
    """Where a cart is in its period, and how fast."""

    step: int
    speed: float

    @property
    def qpos(self):
        return np.array([float(self.step)])

    @property
    def qvel(self):
        return np.array([self.speed])


class Cart:
    """A cart that falls once it is 1 m/s too fast ahead, 0.5 m/s aside; else it is back at 1 m/s within a second.

    In the second half of its period of ten steps it bears half as much. A push backward by more than 0.8 m/s stops it.
    """

    ctrl_dt, steps_per_period = 0.1, 10

    def __init__(self, free=True, speed=1.0):
        self.usual = speed
        self.chart = SimpleNamespace(free=free)
        self.base = SimpleNamespace(task=SimpleNamespace(here=np.zeros(2 if free else 1), place_scale=1.0))
        self.candidate = SimpleNamespace(name="cart")
        self.step, self.speed, self.ended = 0, self.usual, ""

    def steady(self, seconds, seed):
        self.step, self.speed, self.ended = 0, self.usual, ""
        return self.state()

    def state(self):
        return Stand(self.step, self.speed)

    def restore(self, state):
        (self.step, self.speed), self.ended = state, ""

    def push(self, velocity):
        ahead, left, up = velocity
        assert up == 0.0 and (self.chart.free or left == 0.0)
        bears = 1.0 if self.step % 10 < 5 else 0.5
        if ahead > bears or abs(left) > 0.5 * bears:
            self.ended = "fell"
        if ahead < -0.8:
            self.speed = 0.1

    def advance(self, steps=1):
        self.step += steps
        self.base.task.here[0] += self.speed * steps * self.ctrl_dt
        return not self.ended
