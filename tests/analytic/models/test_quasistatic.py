"""The compiled step of many multipods: against the parts it is made of, called one by one."""

import numpy as np
import pytest

from tarsus.analytic.contact import LAWS, Feet, se2, solve
from tarsus.analytic.models.multipod import MultipodParams, foot_positions, foot_velocities
from tarsus.analytic.models.quasistatic import Robots

DT = 0.02


def moving(n_legs=6, n=7, law="viscous", seed=0, steps=3):
    """Return robots after some random steps, and their parameters."""
    params, rng = MultipodParams(n_legs=n_legs), np.random.default_rng(seed)
    robots = Robots(n, params, LAWS[law], DT)
    robots.start(np.arange(n), 0.05 * rng.standard_normal((n, n_legs // 2, 2)))
    for _ in range(steps):
        robots.step(0.2 * rng.uniform(-1, 1, (n, n_legs)), np.zeros(n, bool))
    return robots, params, rng


@pytest.mark.parametrize("law", ["viscous", "coulomb"])
@pytest.mark.parametrize("n_legs", [4, 6, 10])
def test_a_step_is_kinematics_solver_and_exponential(n_legs, law):
    robots, params, rng = moving(n_legs, law=law)
    angle, pose, posture = robots.angle.copy(), robots.pose.copy(), robots.posture.copy()
    action = 0.2 * rng.uniform(-1, 1, (7, n_legs))
    robots.step(action, np.zeros(7, bool))
    limits = [params.yaw_range, params.roll_range]
    after = np.clip(angle + action.reshape(angle.shape) * params.motor.no_load_speed * DT, np.negative(limits), limits)
    rate = (after - angle) / DT
    np.testing.assert_allclose(robots.angle, after, atol=1e-14)
    np.testing.assert_allclose(robots.rate, rate, atol=1e-12)
    feet = Feet(params.leaf_k, params.friction_coeff, params.total_mass * params.g)
    found = solve(foot_positions(params, after), foot_velocities(params, after, rate), feet, LAWS[law])
    tolerance = {"viscous": 1e-11, "coulomb": 1e-4}[law]  # a gap of 1e-9 leaves the velocity its square root
    np.testing.assert_allclose(robots.twist, found.twist, atol=tolerance)
    np.testing.assert_allclose(robots.force[..., 2], found.load, atol=1e-9)
    np.testing.assert_allclose(robots.posture, np.stack([found.height, found.roll, found.pitch], -1), atol=1e-12)
    np.testing.assert_allclose(robots.posture_rate, (robots.posture - posture) / DT, atol=1e-10)
    moved = se2.compose(pose, se2.exponential(robots.twist, DT))
    np.testing.assert_allclose(robots.pose, moved, atol=1e-15)
    np.testing.assert_allclose(robots.velocity, (moved - pose)[:, :2] / DT, atol=1e-12)


@pytest.mark.parametrize("law", ["viscous", "coulomb"])
@pytest.mark.parametrize("n_legs", [4, 6, 10])
def test_a_robot_does_not_depend_on_those_beside_it(n_legs, law):
    """To the bit, for a robot in any place: also one that vectors of 2, 4 or 8 numbers leave over."""
    robots, params, rng = moving(n_legs, n=13, law=law)
    action = rng.uniform(-1, 1, (13, n_legs))
    alone = [Robots(1, params, LAWS[law], DT) for _ in range(13)]
    for i in range(13):
        for name in ("angle", "pose", "posture"):
            getattr(alone[i], name)[:] = getattr(robots, name)[i : i + 1]
        alone[i].step(action[i : i + 1], np.zeros(1, bool))
    robots.step(action, np.zeros(13, bool))
    for name in ("angle", "rate", "pose", "posture", "posture_rate", "velocity", "force", "out"):
        each = np.concatenate([getattr(one, name) for one in alone])
        np.testing.assert_array_equal(getattr(robots, name), each, err_msg=name)


def test_held_robots_stay_and_started_ones_rest_at_the_origin():
    robots, _, rng = moving()
    angle, pose = robots.angle.copy(), robots.pose.copy()
    hold = np.arange(7) % 2 == 0
    robots.step(rng.uniform(-1, 1, (7, 6)), hold)
    np.testing.assert_array_equal(robots.angle[hold], angle[hold])
    np.testing.assert_array_equal(robots.pose[hold], pose[hold])
    assert not robots.rate[hold].any() and not robots.twist[hold].any()
    assert not robots.velocity[hold].any() and not robots.posture_rate[hold].any() and robots.velocity[~hold].all()
    before = robots.pose.copy()
    robots.start(np.array([2, 5]), np.full((2, 3, 2), 9.0))
    np.testing.assert_allclose(robots.angle[2], np.tile([0.4, 0.5], (3, 1)))  # as far as joints go
    assert not robots.pose[[2, 5]].any() and not robots.posture_rate[[2, 5]].any()
    np.testing.assert_array_equal(robots.pose[[0, 1, 3, 4, 6]], before[[0, 1, 3, 4, 6]])


def test_limits_stop_a_joint_and_its_foot():
    robots, params, _ = moving(steps=0)
    for _ in range(20):
        robots.step(np.ones((7, 6)), np.zeros(7, bool))
    np.testing.assert_allclose(robots.angle, np.broadcast_to([0.4, 0.5], robots.angle.shape))
    assert not robots.rate.any()
    np.testing.assert_allclose(robots.twist, 0.0, atol=1e-12)


@pytest.mark.parametrize("law", ["viscous", "coulomb"])
def test_feet_that_go_back_at_one_speed_push_the_body_forward_at_it(law):
    """Left and right feet are down by turns along the body and go straight back: nothing slips."""
    params = MultipodParams(n_legs=8)
    robots = Robots(1, params, LAWS[law], DT)
    down = np.array([-1.0, 1.0, -1.0, 1.0])  # sign of the roll: the left foot is down where it is negative
    robots.start(np.array([0]), np.stack([0 * down, 0.3 * down], axis=-1)[None])
    rate = 0.01
    action = np.stack([-rate * down, 0 * down], axis=-1).reshape(1, 8)
    robots.step(action, np.zeros(1, bool))
    across = params.reach * np.cos(0.3) - params.height * np.sin(0.3)  # from the spine to the lower foot
    forward = across * rate * params.motor.no_load_speed
    np.testing.assert_allclose(robots.twist[0], [forward, 0.0, 0.0], atol=0.01 * forward)  # yaw has turned a little


def test_a_mirrored_robot_mirrors():
    """Swapping left and right: yaw and roll change sign, so do v and omega."""
    robots, params, rng = moving(law="viscous", n=1, steps=0)
    robots.angle[:] = 0.2 * rng.uniform(-1, 1, robots.angle.shape)
    mirrored = Robots(1, params, LAWS["viscous"], DT)
    mirrored.angle[:] = -robots.angle
    action = 0.3 * rng.uniform(-1, 1, (1, 6))
    robots.step(action, np.zeros(1, bool))
    mirrored.step(-action, np.zeros(1, bool))
    np.testing.assert_allclose(mirrored.twist, robots.twist * [1, -1, -1], atol=1e-12)
    np.testing.assert_allclose(mirrored.posture, robots.posture * [1, -1, 1], atol=1e-12)
