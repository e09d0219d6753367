"""Steering on the model itself: strides that end where they should, biases that are found, holds, and refusals."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tarsus.analytic.contact import se2
from tarsus.analytic.models.multipod import MultipodParams
from tarsus.analytic.models.sliding_walk import SlidingWalk
from tarsus.controllers.connection_mpc import (
    ConnectionMPC,
    DecisionStatus,
    Limits,
    Steering,
    improved,
    off,
    poses_of,
)
from tarsus.controllers.connection_policy import SETTLE, ConnectionPolicy, SteeredGait
from tarsus.controllers.feasibility import longest_stride, plan_to, rehearse, smallest_radius
from tarsus.controllers.path import Path, relative
from tarsus.controllers.stride_bias import StrideBias

TWELVE = SlidingWalk(MultipodParams(n_legs=12), frames=12, law="viscous")  # few frames of a linear law: fast enough
BEND = Path(np.array([[0, 0], [0.5, 0.0], [1.0, 0.03], [1.5, 0.1]]), 0.05)


def follow(steerer, path, walk=TWELVE, strides=8, bias=(0.0, 0.0, 0.0)):
    """Follow a path a decision a stride, by a model that differs by a bias; return how far off it is after each."""
    pose, away = path(0.0), []
    for k in range(strides):
        t = k * walk.period
        decision = steerer(t, pose, 2 * np.pi * k)
        assert decision.status is DecisionStatus.STEERED
        pose = se2.compose(pose, walk.stride(decision.controls, derivatives=False).pose + np.array(bias))
        away.append(off(pose, path(t + walk.period)))
    return np.array(away)


def test_the_planner_is_on_the_path_after_every_stride():
    assert np.abs(follow(ConnectionMPC(TWELVE, BEND, adapt=False), BEND)[:, :2]).max() < 1e-3


ARC = np.arange(0.0, 9.0, 0.15)


def bends(radius, side):
    """Return an arc to the right (-1) or the left (1), and one to that side and then to the other."""
    arc = radius * np.stack([np.sin(ARC / radius), side * (1.0 - np.cos(ARC / radius))], axis=-1)
    half = ARC[30] / radius
    mirrored = (arc[:31] * [1, -1]) @ np.array(
        [[np.cos(half), side * np.sin(half)], [-side * np.sin(half), np.cos(half)]]
    )
    return Path(arc, 0.06), Path(np.concatenate([arc[:30], arc[30] + mirrored]), 0.06)


@pytest.mark.parametrize("legs, radius, side", [(6, 5.5, -1), (6, 5.5, 1), (6, 8.0, -1), (12, 4.0, 1)])
@pytest.mark.parametrize("beside, turned", [(0.05, 0.0), (-0.05, 0.0), (0.03, 0.05), (-0.03, -0.05)])
def test_from_beside_a_bend_it_comes_back(legs, radius, side, beside, turned):
    """Crab would take the yaw that the turn needs, and the robot would leave for good."""
    walk = SlidingWalk(MultipodParams(n_legs=legs))
    for path in (*bends(radius, side), *(bends(5.0, -1)[:1] if legs == 6 and turned == 0 else ())):
        steerer, pose = ConnectionMPC(walk, path, adapt=False), path(0.0) + [0.0, beside, turned]
        for k in range(40):
            controls = steerer(k * walk.period, pose, 0.0).controls
            pose = se2.compose(pose, walk.stride(controls, derivatives=False).pose)
        assert abs(relative(pose, path(40 * walk.period))[1]) < 0.01 * 0.08 * legs


def test_newton_gets_there_too():
    """Damped, it takes a few strides."""
    away = follow(Steering(TWELVE, BEND, adapt=False), BEND)
    assert np.abs(away[3:, :2]).max() < 3e-3


def test_it_comes_back_to_the_path_from_beside_it():
    steerer, pose = ConnectionMPC(TWELVE, BEND, knots=3, adapt=False), BEND(0.0) + [-0.02, 0.03, 0.05]
    for k in range(6):
        controls = steerer(k * TWELVE.period, pose, 2 * np.pi * k).controls
        pose = se2.compose(pose, TWELVE.stride(controls).pose)
    assert np.abs(pose - BEND(6 * TWELVE.period))[:2].max() < 2e-3


def test_a_bias_is_learned_and_then_taken_into_account():
    bias = np.array([-0.012, 0.004, 0.01])
    learning = ConnectionMPC(TWELVE, BEND, adapt=True)
    away = follow(learning, BEND, bias=bias)
    np.testing.assert_allclose(learning.bias.value, bias, rtol=0.35)
    plain = follow(ConnectionMPC(TWELVE, BEND, adapt=False), BEND, bias=bias)
    assert np.hypot(*away[-1, :2]) < 0.5 * np.hypot(*plain[-1, :2])


def test_adaptation_is_off_with_six_legs_by_default():
    assert ConnectionMPC(SlidingWalk(frames=12), BEND).bias is None and ConnectionMPC(TWELVE, BEND).bias is not None


def test_a_bias_beyond_reason_is_none():
    """A robot that is held does not move: the model is not wrong by a whole stride."""
    bias = StrideBias(TWELVE)
    for k in range(8):
        bias.add(np.zeros(3), np.array([0.3, 0, 0]), 2 * np.pi * k)
    assert bias.value[0] == -0.03


def test_derivatives_of_a_plan_are_those_of_its_poses():
    def stride(controls, phase):
        made = TWELVE.stride(controls, phase)
        return made.pose + [0.0, 0.002, 0.01], made.by_controls[:, 0]

    plan, start, h = np.array([[0.2, 0.02, 0.1], [0.15, -0.05, 0.0]]), np.array([0.1, 0.2, 0.5]), 1e-6
    _, slopes = poses_of(stride, plan, start, 0.7)
    for index in np.ndindex(2, 3):
        step = np.zeros((2, 3))
        step[index] = h
        ends = [poses_of(stride, plan + sign * step, start, 0.7)[0] for sign in (1, -1)]
        np.testing.assert_allclose(slopes[..., 3 * index[0] + index[1]], (ends[0] - ends[1]) / (2 * h), atol=1e-6)


def test_smoothing_keeps_a_plan_near_the_last_controls():
    """With no weight on the poses the plan becomes what came before it."""

    def stride(controls, phase):
        made = TWELVE.stride(controls, phase)
        return made.pose, made.by_controls[:, 0]

    last, plan = np.array([0.2, 0.01, 0.05]), np.array([[0.1, 0.0, 0.0], [0.3, 0.0, -0.05]])
    found = improved(stride, Limits(), plan, last, np.zeros(3), 0.0, np.zeros((2, 3)), 1, weights=np.zeros(3))
    np.testing.assert_allclose(found, [last, last], atol=2e-3)


@given(st.tuples(*3 * [st.floats(-2, 2)]))
def test_limits_hold_whatever_is_asked(controls):
    limits = Limits()
    a, c, s = limits.clip(np.array(controls))
    assert 0.02 <= a <= 0.3 and abs(c) <= 0.15 and abs(s) <= 0.2 and a + abs(c) + abs(s) <= 0.4 + 1e-12
    inside = np.array([a, c, s])
    np.testing.assert_allclose(limits.clip(inside), inside, atol=1e-12)
    assert c * controls[1] >= 0 and s * controls[2] >= 0


@pytest.mark.parametrize(
    "pose, measured, status",
    [
        (None, None, DecisionStatus.UNKNOWN),
        ([np.nan, 0.0, 0.0], None, DecisionStatus.UNKNOWN),
        ([0.0, 0.0, 0.0], -1.0, DecisionStatus.LATE),
    ],
)
def test_without_a_usable_pose_the_last_command_is_held(pose, measured, status):
    for kind in (Steering, ConnectionMPC):
        steerer = kind(TWELVE, BEND)
        first = steerer(0.0, BEND(0.0) + [0.0, 0.02, 0.0], 0.0)
        held = steerer(0.1, pose, 0.2, measured)
        assert held.status is status and "last command is held" in status.value
        np.testing.assert_array_equal(held.controls, first.controls)


def test_legs_that_do_not_carry_leave_the_last_command():
    fallen = SlidingWalk(MultipodParams(n_legs=4), frames=8, lost=(0, 1))
    for kind in (Steering, ConnectionMPC):
        decision = kind(fallen, BEND)(0.0, BEND(0.0), 0.0)
        assert decision.status is DecisionStatus.FELL and decision.controls[0] == 0.2
    with pytest.raises(ValueError, match="do not carry"):
        rehearse(fallen, BEND)
    with pytest.raises(ValueError, match="do not carry"):
        plan_to(fallen, [1.0, 0.0, 0.0])


def test_a_goal_is_reached():
    goal = np.array([1.0, 0.06, 0.08])
    plan = plan_to(TWELVE, goal)
    pose = np.zeros(3)
    for controls in plan.controls:
        pose = se2.compose(pose, TWELVE.stride(controls, derivatives=False).pose)
    np.testing.assert_allclose(pose, goal, atol=2e-3)
    np.testing.assert_allclose(plan.poses[-1], pose, atol=1e-12)


def test_a_goal_behind_the_smallest_radius_is_refused():
    radius = smallest_radius(TWELVE)
    assert 2.5 < radius < 4.0
    half = 0.3  # rad, on an arc of half the smallest radius
    goal = [0.5 * radius * np.sin(half), 0.5 * radius * (1 - np.cos(half)), half]
    with pytest.raises(ValueError, match=f"out of reach in 2 strides.*smallest radius is {radius:.1f} m"):
        plan_to(TWELVE, goal)
    for wrong in ([1.0, 0.0], [np.inf, 0.0, 0.0]):
        with pytest.raises(ValueError, match="a goal is a pose of three finite numbers"):
            plan_to(TWELVE, wrong)


def test_paths_are_rehearsed_and_those_beyond_reach_refused():
    made = rehearse(TWELVE, BEND)
    assert made.off.max() < 1e-3 and len(made.controls) == len(made.poses) - 1 == int(BEND.duration / TWELVE.period)
    too_fast = Path(BEND.points, 1.2 * longest_stride(TWELVE) / TWELVE.period)
    with pytest.raises(ValueError, match="cannot be followed at 0.1.*its longest stride is 0.298 m"):
        rehearse(TWELVE, too_fast)
    with pytest.raises(ValueError, match="its smallest radius, with no yaw left to correct, 3"):
        rehearse(TWELVE, Path.sine(0.2, 2.0, 2.0, 0.05))


def test_a_path_that_leaves_no_room_to_come_back_is_refused():
    """On 4.8 m six legs stay if they begin there, and do not come back; on 5.5 m they do, on either side."""
    six = SlidingWalk(MultipodParams(n_legs=6))
    with pytest.raises(ValueError, match="no room to come back.*48 mm to the (left|right) of it.*wider bends"):
        rehearse(six, bends(4.8, -1)[0])
    for side in (-1, 1):
        assert rehearse(six, bends(5.5, side)[1]).off.max() < 0.01


@pytest.mark.parametrize("knots, iterations", [(0, 1), (2, 0)])
def test_a_horizon_of_nothing_is_refused(knots, iterations):
    with pytest.raises(ValueError, match="at least 1"):
        ConnectionMPC(TWELVE, BEND, knots=knots, iterations=iterations)


@pytest.mark.parametrize("limits", [{"least_amplitude": 0.0}, {"amplitude": 0.5}, {"crab": -0.1}])
def test_impossible_limits_are_refused(limits):
    with pytest.raises(ValueError):
        Limits(**limits)


def test_the_policy_walks_the_path_from_where_the_robot_stands():
    """Set-points that follow at once, on a body that moves as the model says: the reference begins at its pose."""
    start, dt = np.array([3.0, -2.0, 1.0]), 0.02
    policy = ConnectionPolicy(lambda: SteeredGait(ConnectionMPC(TWELVE, BEND)), lambda info: info["pose"], dt, 10.0)
    info = {"time": 0.0, "joint_reference": np.zeros(12), "pose": start}
    for k in range(int((SETTLE + 0.5) / dt)):
        action = policy(None, info)
        assert action.dtype == np.float32 and np.abs(action).max() <= 1.0
        info["joint_reference"] = info["joint_reference"] + action * 10.0 * dt
        info["time"] = (k + 1) * dt
    np.testing.assert_allclose(relative(start, policy.gait.origin), BEND(0.0), atol=1e-12)
    assert len(policy.gait.decided) == 1 and policy.gait.decided[0].time == pytest.approx(0.0, abs=1e-9)
    expected = TWELVE.joints(policy.gait._controls, policy.gait.phase(info["time"]))[0].ravel()
    np.testing.assert_allclose(info["joint_reference"], expected, atol=1e-6)
    assert policy.gait.phase(SETTLE + TWELVE.period) == pytest.approx(2 * np.pi)
    policy(None, info | {"time": 0.0})
    assert not policy.gait.decided  # a new episode begins anew


def test_it_decides_twice_a_stride_and_once_with_six_legs():
    for walk, count in ((TWELVE, 7), (SlidingWalk(frames=8, law="viscous"), 4)):
        gait = SteeredGait(ConnectionMPC(walk, BEND))
        times = np.arange(0.0, SETTLE + 3 * walk.period + 0.01, 0.02)
        for t in times:
            gait.steer(t, lambda: np.zeros(3))
        assert len(gait.decided) == count


def test_a_missing_first_pose_waits_for_the_next():
    gait = SteeredGait(ConnectionMPC(TWELVE, BEND))
    assert gait.steer(SETTLE, lambda: None).status is DecisionStatus.UNKNOWN and gait.origin is None
    later = gait.steer(SETTLE + TWELVE.period, lambda: np.array([1.0, 2.0, 0.5]))
    assert later.status is DecisionStatus.STEERED and gait.origin is not None
