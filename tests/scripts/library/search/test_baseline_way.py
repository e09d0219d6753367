"""What the search for a baseline scores: the way that is made good, not the path."""

from types import SimpleNamespace

import numpy as np
import pytest

from tarsus.scripts.library.search import baseline

DT = 0.02


class Circling:
    """Bodies that move at constant speeds and yaw rates, and are paid for their speed."""

    num_envs = 3

    def __init__(self, speed, rate):
        self.speed, self.rate, self.yaw = np.array(speed), np.array(rate), np.zeros(3)
        self.unwrapped = SimpleNamespace(task=SimpleNamespace(FORWARD=0, ctrl_dt=DT, here=np.zeros((3, 2))))
        self._face()

    def _face(self):
        task, c, s = self.unwrapped.task, np.cos(self.yaw), np.sin(self.yaw)
        task.forward_axis, task.rotation = np.stack([c, s], -1), np.zeros((3, 3, 3))
        task.rotation[:, 0, 0], task.rotation[:, 1, 0] = c, s

    def reset(self, seed):
        return None, {"time": np.zeros(3)}

    def step(self, actions):
        self.yaw += self.rate * DT
        self._face()
        task = self.unwrapped.task
        task.here = task.here + (self.speed * DT)[:, None] * task.forward_axis
        return None, self.speed.copy(), np.zeros(3, bool), np.zeros(3, bool), {"time": np.zeros(3)}


def test_a_gait_that_circles_scores_the_way_it_makes_good_in_an_episode():
    shape = SimpleNamespace(actions=lambda numbers, time: np.zeros((3, 1)))
    circle = 2 * np.pi / baseline.EPISODE  # one turn in an episode
    envs = Circling([0.3, 0.4, 0.4], [0.0, circle, circle / 4])
    totals, speeds = baseline.walked(envs, shape, np.zeros((3, 1)), 250)
    np.testing.assert_allclose(speeds, [0.3, 0.0, 0.4 * np.sinc(0.5)], atol=1e-3)
    assert totals.argmax() == 0 and totals[1] == pytest.approx(0.0, abs=0.1)
