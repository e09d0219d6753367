"""Strides of a steered undulation: their derivatives, what symmetry says of them, and the gait they are of."""

import numpy as np
import pytest

from tarsus.analytic.contact import Coulomb, Feet, se2, solve
from tarsus.analytic.models.multipod import MultipodParams, foot_positions, foot_velocities
from tarsus.analytic.models.sliding_walk import SlidingWalk
from tarsus.controllers.pair_gaits import undulation

SIX = SlidingWalk(frames=20, law=Coulomb(1e-10))
TURNED = np.array([0.2, 0.03, 0.1])


def differences(walk, controls, phase, strides=1.0, h=1e-5):
    """Return central differences of the last pose by all controls, (3, knots, 3)."""
    controls = np.atleast_2d(controls)
    found = np.empty((3, *controls.shape))
    for index in np.ndindex(controls.shape):
        step = np.zeros(controls.shape)
        step[index] = h
        ends = [walk.stride(controls + sign * step, phase, strides, derivatives=False).pose for sign in (1, -1)]
        found[:, *index] = (ends[0] - ends[1]) / (2 * h)
    return found


@pytest.mark.parametrize("law, error", [("viscous", 1e-8), (Coulomb(1e-10), 2e-3)])  # a foot sticks for the half of it
def test_derivatives_of_a_stride_are_those_of_its_end(law, error):
    walk = SlidingWalk(frames=20, law=law)
    made = walk.stride(TURNED, 0.3)
    assert made.without == 0 and not made.fell
    np.testing.assert_allclose(made.by_controls, differences(walk, TURNED, 0.3), atol=error)


def test_knots_share_the_time_and_each_has_its_derivatives():
    walk = SlidingWalk(frames=16, law="viscous")
    knots = np.array([TURNED, [0.15, -0.05, 0.0], [0.25, 0.0, -0.1]])
    made = walk.stride(knots, 1.1, strides=1.5)
    np.testing.assert_allclose(made.by_controls, differences(walk, knots, 1.1, 1.5), atol=1e-8)
    phase, pose = 1.1, np.zeros(3)
    for controls in knots:
        pose = se2.compose(pose, walk.stride(controls, phase, strides=0.5).pose)
        phase += np.pi
    np.testing.assert_allclose(made.pose, pose, atol=1e-12)


def test_a_stride_is_the_solvers_twists_integrated():
    """Frames in the middle of equal steps, of the gait of `pair_gaits`, solved in one batch."""
    walk = SlidingWalk(MultipodParams(n_legs=8), frames=25, law="viscous")
    gait, params = undulation(8, yaw=0.2, steering=0.1, crab=0.03), walk.params
    angle, rate = gait(gait.period * (np.arange(25) + 0.5) / 25)
    feet = Feet(params.leaf_k, params.friction_coeff, params.total_mass * params.g)
    twist = solve(foot_positions(params, angle), foot_velocities(params, angle, rate)[..., :2], feet).twist
    np.testing.assert_allclose(walk.stride(TURNED).pose, se2.integrate(twist, gait.period / 25)[-1], atol=1e-12)


def test_its_joints_are_those_of_the_undulation():
    gait = undulation(12, yaw=0.2, steering=0.1, crab=0.03)
    walk = SlidingWalk(MultipodParams(n_legs=12))
    for t in (0.0, 0.7, 2.9):
        found = walk.joints(TURNED, 2 * np.pi * gait.frequency * t)
        for ours, theirs in zip(found, gait(t), strict=True):
            np.testing.assert_allclose(ours, theirs, atol=1e-12)


def test_the_mirror_image_goes_to_the_other_side():
    """Left and right swapped, half a stride later: crab and steering change sign, and so do y and heading."""
    for a, c, s in ((0.2, 0.1, 0.0), (0.2, 0.0, 0.1), (0.15, -0.08, 0.12)):
        left, right = SIX.stride([a, c, s], 0.4).pose, SIX.stride([a, -c, -s], 0.4 + np.pi).pose
        np.testing.assert_allclose(right, left * [1, -1, -1], atol=1e-6)


def test_controls_do_what_their_names_say():
    walk = SlidingWalk(MultipodParams(n_legs=12), frames=30)
    straight, crab, steering = (walk.stride(u).pose for u in ([0.2, 0, 0], [0.2, 0.1, 0], [0.2, 0, 0.1]))
    assert straight[0] > 0.19 and abs(straight[2]) < 1e-6
    assert crab[1] > 0.015 and abs(crab[2]) < 5e-3
    assert steering[2] > 0.028
    backward = SlidingWalk(MultipodParams(n_legs=12), frames=30, roll=-0.15)
    assert backward.stride([0.2, 0, 0]).pose[0] < -0.19


def test_wet_feet_on_the_right_turn_it_to_the_left():
    """The dry side pulls more; friction enters per foot."""
    dry, wet = SIX.stride([0.2, 0, 0]).pose, SlidingWalk(mu=(1.0, 0.3) * 3, frames=20).stride([0.2, 0, 0]).pose
    assert wet[2] != pytest.approx(dry[2], abs=1e-3)


def test_a_robot_that_is_not_carried_says_so():
    """Without its front legs the centre of mass lies before all feet."""
    walk = SlidingWalk(MultipodParams(n_legs=4), frames=8, lost=(0, 1))
    made = walk.stride([0.1, 0.0, 0.0])
    assert made.fell and np.isnan(made.pose).all() and np.isnan(made.by_controls).all()


@pytest.mark.parametrize("controls", [[0.2, 0.1], np.zeros((2, 2)), np.zeros((0, 3)), [0.2, np.nan, 0.0]])
def test_controls_of_another_kind_are_refused(controls):
    with pytest.raises(ValueError, match="controls must"):
        SIX.stride(controls)


@pytest.mark.parametrize(
    "option", [{"frequency": 0.0}, {"frames": 0}, {"law": "epsilon"}, {"roll": np.nan}, {"lost": (6,)}]
)
def test_walks_of_another_kind_are_refused(option):
    with pytest.raises(ValueError):
        SlidingWalk(**option)
