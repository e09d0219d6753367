"""The disc's feet against rotation matrices and finite differences, and what its parameters refuse."""

from dataclasses import fields, replace

import numpy as np
import pytest

from tarsus.scripts.laboratory.models.disc import (
    MAX_LEGS,
    MIN_LEGS,
    NON_NEGATIVE,
    POSITIVE,
    DiscParams,
    foot_positions,
    foot_velocities,
)


def test_feet_are_swing_after_sway_below_the_lift():
    params = DiscParams(n_legs=7)
    joints = np.random.default_rng(0).uniform(-0.5, 0.5, (7, 3))
    for hip, (lift, a, b), foot in zip(params.hips, joints, foot_positions(params, joints), strict=True):
        about_y = np.array([[np.cos(a), 0, np.sin(a)], [0, 1, 0], [-np.sin(a), 0, np.cos(a)]])
        about_x = np.array([[1, 0, 0], [0, np.cos(b), -np.sin(b)], [0, np.sin(b), np.cos(b)]])
        expected = hip + (0, 0, lift) + about_y @ about_x @ (0, 0, -params.leg_length)
        np.testing.assert_allclose(foot, expected, atol=1e-15)


def test_velocities_are_the_derivative_of_positions():
    params, h = DiscParams(n_legs=5), 1e-6
    joints, rates = np.random.default_rng(1).uniform(-0.4, 0.4, (2, 20, 5, 3))
    slope = (foot_positions(params, joints + h * rates) - foot_positions(params, joints - h * rates)) / (2 * h)
    np.testing.assert_allclose(foot_velocities(params, joints, rates), slope, atol=1e-9)  # h^2, and rounding over h


@pytest.mark.parametrize("n_legs", range(MIN_LEGS, MAX_LEGS + 1))
def test_workspaces_never_overlap_and_mass_is_linear(n_legs):
    params = DiscParams(n_legs=n_legs)
    corners = params.angle_range * np.array([[0, a, b] for a in (-1, 1) for b in (-1, 1)])
    reach = foot_positions(params, np.broadcast_to(corners[:, None], (4, n_legs, 3)))[..., :2]
    gaps = np.linalg.norm(reach[:, None, 0] - reach[None, :, 1], axis=-1)  # of any two corners of neighbours
    assert gaps.min() > 0
    radius = np.linalg.norm(reach[:, 0] - params.hips[0, :2], axis=-1).max()
    assert 2 * radius < np.linalg.norm(params.hips[1] - params.hips[0])
    assert params.total_mass / n_legs == pytest.approx(0.21)


@pytest.mark.parametrize("n_legs", [2, 51, 0, 4.5])
def test_impossible_numbers_of_legs_are_refused(n_legs):
    with pytest.raises(ValueError, match="from 3 to 50 legs, got"):
        DiscParams(n_legs=n_legs)


@pytest.mark.parametrize("name", [*POSITIVE, *NON_NEGATIVE])
def test_values_that_make_no_sense_are_refused(name):
    for value in (0.0, -1.0, np.nan, np.inf) if name in POSITIVE else (-1.0, np.nan, np.inf):
        with pytest.raises(ValueError, match=name):
            replace(DiscParams(), **{name: value})


def test_every_number_is_checked():
    assert {field.name for field in fields(DiscParams)} - {"n_legs", "motor"} == {*POSITIVE, *NON_NEGATIVE}
    with pytest.raises(ValueError, match="lift_range must be less than leg_length"):
        DiscParams(lift_range=0.2)
    with pytest.raises(ValueError, match=r"shape \(\.\.\., 6, 3\), got \(6, 2\)"):
        foot_positions(DiscParams(), np.zeros((6, 2)))
