"""The rows of constraints: against dense linear algebra, and forces of bodies that stand, roll and hang."""

import mujoco
import numpy as np
import pytest

from tarsus.analytic.articulated import constraints as at
from tarsus.analytic.articulated import evaluate
from tarsus.analytic.articulated.layout import new_scratch
from tarsus.analytic.articulated.mechanics import write_mechanics
from tarsus.mjcf.articulated import convert

ROBOT = """<mujoco><compiler angle="radian"/><option gravity="0 0 -9.81"/><worldbody><body pos="0 0 1"><freejoint/>
<geom type="box" size=".2 .1 .05" pos=".02 0 .01"/>
<body pos=".2 .1 0"><joint name="hip" axis="0 1 0" range="-1 1" limited="true" frictionloss=".3"/>
<geom type="capsule" size=".03 .1" pos="0 0 -.1"/><geom name="toe" size=".04" pos=".01 0 -.2"/></body>
<body pos="-.2 0 0"><joint name="knee" axis="1 1 0" frictionloss=".2"/>
<geom name="bar" type="capsule" size=".02 .1"/></body></body>
</worldbody><equality><joint joint1="hip" joint2="knee" polycoef=".1 .5 .2 0 0"/></equality></mujoco>"""


class Posed:
    """A robot in a state with its rows."""

    def __init__(self, text, feet, qpos, qvel=None, closed=None, limits=None, rate=0.0, **options):
        model = mujoco.MjModel.from_xml_string(text)
        self.robot = robot = convert(model, feet, **options)
        qpos = np.array(model.qpos0 if qpos is None else qpos, float)
        qvel = np.zeros(robot.nv) if qvel is None else np.array(qvel, float)
        self.found, self.scratch = evaluate(robot, qpos, qvel), new_scratch(robot.tables, robot.na)
        self.qacc, n_limits = np.zeros(robot.nv), len(robot.tables.limit)
        write_mechanics(robot.tables, self.scratch, qpos, qvel, np.zeros(robot.na), np.zeros(robot.nu), self.qacc)
        most = at.most_rows(robot.tables, len(self.scratch.equality))
        self.rows = at.new_rows(most, robot.nv)
        closed = np.array(np.ones(robot.n_feet) if closed is None else closed, np.int64)
        limits = np.array(np.zeros(n_limits) if limits is None else limits, np.int64)
        self.m = at.write_rows(robot.tables, self.scratch, self.rows, qpos, qvel, closed, limits, rate)
        whole = np.zeros((most, most))
        at.write_delassus(self.rows, self.m, whole)
        self.delassus, self.free, self.row = (
            whole[: self.m, : self.m],
            self.rows.free[: self.m],
            self.rows.row[: self.m],
        )

    def accelerated(self, force):
        qacc = np.zeros(self.robot.nv)
        at.write_acceleration(self.scratch, self.rows, self.m, np.array(force, float), qacc)
        return qacc


def random_state(seed):
    model, rng = mujoco.MjModel.from_xml_string(ROBOT), np.random.default_rng(seed)
    qpos = np.array(model.qpos0)
    mujoco.mj_integratePos(model, qpos, rng.normal(size=model.nv), 0.7)
    return qpos, 3 * rng.normal(size=model.nv)


@pytest.mark.parametrize("seed", range(4))
def test_rows_and_their_matrix_are_those_of_dense_algebra(seed):
    posed = Posed(ROBOT, ("toe", "bar"), *random_state(seed), closed=(1, 0, 1), limits=(0, 1), rate=7.0)
    found, (qpos, qvel) = posed.found, random_state(seed)
    kinds = [at.CONTACT] * 6 + [at.LIMIT] + [at.DRY] * 2 + [at.EQUALITY]
    owners = [0, 0, 0, 2, 2, 2, 1, 6, 7, 0]
    np.testing.assert_array_equal(posed.rows.what[: posed.m], np.column_stack((kinds, owners)))
    units = np.eye(8)
    rows = np.vstack((*found.foot_rows[[0, 2]], -units[6], units[6], units[7], found.equality_rows))
    np.testing.assert_allclose(posed.row, rows, atol=1e-15)
    inverse = np.linalg.inv(found.mass)
    np.testing.assert_allclose(posed.delassus, rows @ inverse @ rows.T, rtol=0, atol=1e-12 * posed.delassus.max())
    error = np.zeros(10)
    error[[0, 3]], error[6], error[9] = found.gap[[0, 2]], 1.0 - qpos[7], found.equality_error[0]
    drift = np.array([*found.foot_drift[[0, 2]].ravel(), 0, 0, 0, *found.equality_drift])
    free = rows @ found.qacc + drift + 14.0 * (rows @ qvel) + 49.0 * error
    np.testing.assert_allclose(posed.free, free, rtol=0, atol=1e-12 * np.abs(free).max())
    force = np.random.default_rng(seed).normal(size=posed.m)
    expected = np.linalg.solve(found.mass, found.mass @ found.qacc + rows.T @ force)
    np.testing.assert_allclose(posed.accelerated(force), expected, rtol=0, atol=1e-12 * np.abs(expected).max())
    np.testing.assert_allclose(posed.rows.velocity[: posed.m], rows @ qvel, atol=1e-12)


def test_without_forces_the_acceleration_is_the_free_one():
    posed = Posed(ROBOT, ("toe",), *random_state(5))
    np.testing.assert_allclose(posed.accelerated(np.zeros(posed.m)), posed.qacc, rtol=1e-12)


def test_forces_on_feet_are_what_the_robot_s_momentum_gains():
    posed = Posed(ROBOT, ("toe", "bar"), *random_state(6))
    force = np.zeros(posed.m)
    force[:9] = np.random.default_rng(6).normal(size=9)
    gained = (posed.found.mass @ posed.accelerated(force) + posed.found.bias)[:3]
    np.testing.assert_allclose(gained, force[:9].reshape(3, 3).sum(0)[[1, 2, 0]], atol=1e-12)


@pytest.mark.parametrize("slope", [0.0, 0.3, 0.8])
def test_a_ball_rolls_down_a_slope_at_five_sevenths(slope):
    text = """<mujoco><option gravity="0 0 -9.81"/><worldbody><body><freejoint/>
<geom name="ball" size=".2" density="300"/></body></worldbody></mujoco>"""
    normal = np.array([np.sin(slope), 0, np.cos(slope)])
    posed = Posed(text, ["ball"], [*0.2 * normal, 1, 0, 0, 0], ground=((0, 0, 0), normal))
    force = np.linalg.solve(posed.delassus, -posed.free)
    weight = posed.found.mass[0, 0] * 9.81
    np.testing.assert_allclose(force, [weight * np.cos(slope), -2 / 7 * weight * np.sin(slope), 0], atol=1e-12 * weight)
    qacc = posed.accelerated(force)
    down = np.array([np.cos(slope), 0, -np.sin(slope)])
    np.testing.assert_allclose(qacc[:3], 5 / 7 * 9.81 * np.sin(slope) * down, atol=1e-12)
    np.testing.assert_allclose(qacc[3:], [0, qacc[:3] @ down / 0.2, 0], atol=1e-11)


@pytest.mark.parametrize("limit, angle", [(0, -0.5), (1, 0.5)])
def test_a_limit_holds_the_moment_of_the_weight(limit, angle):
    text = """<mujoco><compiler angle="radian"/><option gravity="0 0 -10"/><worldbody><body>
<joint axis="0 1 0" range="-.5 .5" limited="true"/><geom size=".1" pos="0 0 1" mass="2"/></body></worldbody></mujoco>"""
    posed = Posed(text, (), [angle], limits=np.arange(2) == limit)
    (force,) = np.linalg.solve(posed.delassus, -posed.free)
    assert force == pytest.approx(2 * 10 * np.sin(0.5))  # it falls outward, and the limit pushes inward
    np.testing.assert_allclose(posed.accelerated([force]), 0, atol=1e-13)


def test_errors_decay_at_the_rate_that_is_given():
    qpos, qvel = [0, 0, 0.17, 1, 0, 0, 0], [0, 0, 0.5, 0, 0, 0]
    text = '<mujoco><worldbody><body><freejoint/><geom name="ball" size=".2"/></body></worldbody></mujoco>'
    posed = Posed(text, ["ball"], qpos, qvel, rate=20.0)
    qacc = posed.accelerated(np.linalg.solve(posed.delassus, -posed.free))
    # gap'' + 2 rate gap' + rate^2 gap = 0
    assert qacc[2] == pytest.approx(-2 * 20 * 0.5 + 20**2 * 0.03)


def test_there_is_room_for_all_rows():
    posed = Posed(ROBOT, ("toe", "bar"), None, limits=(1, 1))
    assert posed.m == len(posed.rows.free) == 9 + 2 + 2 + 1


def test_what_is_open_has_no_rows():
    posed = Posed(ROBOT, ("toe", "bar"), None, closed=(0, 0, 0))
    np.testing.assert_array_equal(posed.rows.what[: posed.m, 0], [at.DRY, at.DRY, at.EQUALITY])
