"""The standing check: what it measures of a robot that stands, and a sentence with a cure for each bound."""

import dataclasses
import re

import gymnasium
import mujoco
import numpy as np
import pytest

from tarsus.envs import own_check, own_robot, own_verdict
from tarsus.envs.own_trial import Trial
from tarsus.mjcf import own_robot as models
from tests.envs.strangers import robots

TEXT = models.EXAMPLE.read_text(encoding="utf-8")
GOOD = own_check.StandingCheck(
    Trial(3.0, "", "", 1.0, 0.0, (), 1.0, 0.0, 0.0, 0.0, 0.0, 0.0), 0.2, 5.0, 0.3, 1e-4, (0.0, ""),
    (4, 100), 1.0, 0, "", (1.0, 1.0),
)  # fmt: skip


def tried(**changes):
    return dataclasses.replace(GOOD.trial, **changes)


def checked(text, **options):
    env = own_robot.OwnRobotEnv(params=models.OwnRobot(text, **options), baseline=None)
    return own_check.standing_check(env)


def test_a_robot_that_stands_carries_its_weight_and_nothing_is_said():
    found = checked(TEXT)
    assert found.sentences() == [] and found.mass == pytest.approx(5.04, rel=1e-6)
    assert found.trial.feet == pytest.approx(1.0, abs=2e-3) and found.shaken == pytest.approx(1.0, abs=0.05)
    assert 0 < found.penetration < own_check.DEEP and 0 < found.iterations[0] < found.iterations[1] == 100
    assert dict(found.lines())["stands"] == "yes" and 0 < found.trial.way < 0.1 * own_check.DRIFT * found.legs


def test_a_robot_that_glides_is_measured_and_said_to_drift():
    """Without friction the mass centre keeps the velocity that it starts with."""
    env = own_robot.OwnRobotEnv(params=models.OwnRobot(TEXT, friction=0.0), baseline=None)
    env.reset(seed=0)  # as a trial does
    mujoco.mj_subtreeVel(env.model, env.data)
    begun = np.linalg.norm(env.data.subtree_linvel[1, :2])
    found = own_check.standing_check(env)
    assert found.trial.way == pytest.approx(begun, rel=0.1) and begun > 0.005
    assert any("the robot drifts" in sentence for sentence in found.sentences())


def test_the_force_is_the_mean_of_physics_steps_and_the_robot_stays_where_it_is():
    env = own_robot.OwnRobotEnv(params=models.OwnRobot(TEXT), baseline=None, reset_noise=0.0)
    env.reset(seed=0)
    env.data.qvel[2], before = -0.05, env.data.qpos.copy()
    feet, others = own_check._loads(env)
    assert len(feet) == round(own_check.STEADY / env.model.opt.timestep) and np.ptp(feet) > 0.1
    taken = 0.05 / (env.task.config.params.g * own_check.STEADY)  # of the falling robot's momentum, in weights
    assert feet.mean() == pytest.approx(1.0 + taken, abs=1e-2) and abs(others).max() < 1e-12
    np.testing.assert_array_equal(env.data.qpos, before)


def test_parts_in_each_other_are_measured():
    inside = (
        '<geom name="box" type="box" size="0.03 0.03 0.03" pos="0 0 -0.02" mass="0.1" contype="1" conaffinity="1"/>'
    )
    other = inside.replace('"box" type', '"other" type').replace("0 0 -0.02", "0.16 0.06 0.0")
    text = TEXT.replace('<joint name="FL_thigh" class="thigh"/>', f'<joint name="FL_thigh" class="thigh"/>{inside}')
    text = text.replace("<freejoint/>", f"<freejoint/>{other}")
    depth, names = checked(text).overlap
    assert depth > 0.01 and "box" in names and "other" in names


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"trial": tried(feet=0.8, others=0.2, touching=("belly",))}, "carry 0.800 .* touching with belly"),
        ({"trial": tried(ending="toppled", seconds=1.5)}, "does not stand: after 1.50 s toppled; try pose='found'"),
        ({"trial": tried(way=0.004)}, "drifts: 4.00 mm/s, 0.0133 of its legs' length in a second"),
        ({"trial": tried(turn=-0.02)}, "drifts: 0.00 mm/s, .* turning by -1.15 deg/s"),
        ({"penetration": 0.02}, "20.0 mm deep in the ground: preset='reference'"),
        ({"overlap": (0.02, "a and b")}, "a and b are 20.0 mm deep in each other: <exclude> them"),
        ({"iterations": (100, 100)}, "takes all of its 100 iterations"),
        ({"shaken": 7.0}, "pushed by 7.0 weights on average: lower reach"),
        ({"shaken": np.inf}, "half-random actions the robot diverges"),
        ({"trial": tried(feet=0.5), "carried": "; gravcomp carries trunk"}, "gravcomp carries trunk"),
    ],
)  # fmt: skip
def test_what_is_beyond_a_bound_is_said_with_its_cure(change, words):
    (said,) = dataclasses.replace(GOOD, **change).sentences()
    assert re.search(words, said), said
    assert GOOD.sentences() == []


@pytest.mark.extra
def test_the_clock_is_taken_where_it_walks_and_else_said_to_be_none(recwarn):
    own_robot.register("Clocked-v0", TEXT)
    kwargs = gymnasium.registry.pop("Clocked-v0").kwargs
    assert kwargs["baseline"] == "clock" and kwargs["baseline_period"] > 0
    assert not [said for said in recwarn.list if issubclass(said.category, own_verdict.RobotWarning)]
    assert (
        kwargs["typical_speed"]
        > own_verdict.froude_speed(own_verdict.OwnRobotTask(shape=(), params=kwargs["params"])) / 5
    )
    with pytest.warns(own_verdict.RobotWarning, match="no clock was found that walks"):
        own_robot.register("Clocked-v0", TEXT.replace('range="-0.6 2.2"', 'range="0.79 0.81"'))
    assert gymnasium.registry.pop("Clocked-v0").kwargs["baseline"] is None


@pytest.mark.parametrize("check", [True, False])
def test_a_clock_of_a_given_period_is_not_sought(check):
    own_robot.register("Clocked-v0", TEXT, baseline_period=0.3, check=check)
    kwargs = gymnasium.registry.pop("Clocked-v0").kwargs
    assert (kwargs["baseline"], kwargs["baseline_period"]) == ("clock", 0.3)
    assert ("typical_power" in kwargs) == check  # that of its trial


def test_a_robot_that_faces_y_and_is_taken_to_face_x_is_told_so():
    places = {name: (y, x) for name, (x, y) in robots.CORNERS.items()}
    text = robots.robot(places).replace('axis="0 1 0"', 'axis="-1 0 0"').replace('size="0.17 0.07', 'size="0.07 0.17')
    text = re.sub('euler="0 (.*?) 0"', r'euler="-\1 0 0"', text).replace('"--', '"')
    with pytest.warns(own_verdict.RobotWarning, match="no clock .*; along y one walks at 0.[2-9]. m/s: forward='y'"):
        own_robot.register("Aside-v0", text)
    own_robot.register("Aside-v0", text, forward="y")
    assert gymnasium.registry.pop("Aside-v0").kwargs["baseline"] == "clock"


@pytest.mark.parametrize(
    ("foot", "floor", "words"),
    [
        ("0.7", "1", "1, by the file's floor: its feet say 0.7, and of two geoms MuJoCo takes the larger"),
        ("0.7", "0.5", "0.7"),
        ('0.7" priority="1', "1", "0.7"),
    ],
)
def test_a_friction_that_the_floor_decides_is_said_so(foot, floor, words):
    foot = f'<geom name="foot" type="sphere" size=".1" mass="1" friction="{foot}"/>'
    leg = f'<geom size=".05" pos="0 0 .3"/><body><joint name="hip" axis="0 1 0"/>{foot}</body>'
    ground = f'<geom type="plane" size="9 9 1" friction="{floor}"/>'
    text = f'<mujoco><worldbody>{ground}<body pos="0 0 .1"><freejoint/>{leg}</body></worldbody></mujoco>'
    assert models.OwnRobot(text, feet=("foot",)).friction_in_words == words
