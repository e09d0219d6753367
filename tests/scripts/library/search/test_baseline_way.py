"""What the search for a baseline scores: the way that is made good, not the path."""

import re
from types import SimpleNamespace

import mujoco
import numpy as np
import pytest

from tarsus.envs.own_task import OwnRobotTask
from tarsus.mjcf.own_robot import OwnRobot, standing
from tarsus.scripts.library.search import baseline
from tests.envs.strangers import robots

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


def task_of(text):
    return OwnRobotTask(shape=(), params=OwnRobot(text), baseline=None)


def test_tendons_of_a_leg_are_levels_and_swing_the_way_their_foot_moves():
    plain = task_of(robots.QUADRUPED)
    leg, level, way = baseline.levels(plain)
    assert leg.tolist() == [0, 0, 1, 1, 2, 2, 3, 3] and level.tolist() == [0, 1] * 4
    tendons, motors = "", ""
    for name in robots.CORNERS:
        turn = -1.0 if name == "FR" else 1.0  # one leg is built the other way round
        for kind, knee in (("swing", 0.0), ("fold", -1.0)):
            joints = f'<joint joint="{name}_hip" coef="{turn}"/>' + f'<joint joint="{name}_knee" coef="{turn * knee}"/>'
            tendons += f'<fixed name="{name}_{kind}">{joints if knee else joints[: joints.index("/>") + 2]}</fixed>'
            motors += f'<position tendon="{name}_{kind}" kp="60" kv="2" ctrlrange="-1 1"/>'
    text = re.sub(
        "<actuator>.*</actuator>", f"<tendon>{tendons}</tendon><actuator>{motors}</actuator>", robots.QUADRUPED
    )
    tied = task_of(text)
    leg_t, level_t, way_t = baseline.levels(tied)
    assert leg_t.tolist() == leg.tolist() and level_t.tolist() == level.tolist()
    assert (way_t[::2] == way[::2] * [1, -1, 1, 1]).all()  # a hip alone, in its direction
    data = standing(tied.model)
    for k in range(8):  # the foot moves forward by what is said to be forward
        arm = np.zeros(tied.model.nv)
        hip = tied.model.joint(f"{tied.actuators[k].split('_')[0]}_hip").dofadr[0]
        turn = -1.0 if tied.actuators[k].startswith("FR") else 1.0
        arm[hip], arm[hip + 1] = turn, -turn * (k % 2)
        jacobian = np.zeros((3, tied.model.nv))
        mujoco.mj_jacSite(tied.model, data, jacobian, None, tied.model.site(f"foot_{leg[k]}").id)
        assert np.sign(jacobian[0] @ arm) == way_t[k]
    waist = text.replace('coef="1.0"', 'coef="1.0"/><joint joint="RR_knee" coef="1"', 1)
    with pytest.raises(ValueError, match="FL_swing does not drive joints of one leg with a foot"):
        baseline.levels(task_of(waist))
