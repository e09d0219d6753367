"""The multipod's kinematics against rotation matrices and finite differences, and what its parameters refuse."""

from dataclasses import fields, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tarsus.analytic.models.multipod import (
    MAX_LEGS,
    MIN_LEGS,
    NON_NEGATIVE,
    POSITIVE,
    MultipodParams,
    foot_positions,
    foot_velocities,
)

SIZES = range(MIN_LEGS, MAX_LEGS + 1, 2)


def rotation(yaw, roll):
    c, s, d, e = np.cos(yaw), np.sin(yaw), np.cos(roll), np.sin(roll)
    return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]) @ np.array([[1, 0, 0], [0, d, -e], [0, e, d]])


@given(st.integers(2, 25), st.integers(0, 2**32 - 1))
def test_feet_are_yaw_after_roll_of_the_axle(n_segments, seed):
    params = MultipodParams(n_legs=2 * n_segments)
    angles = np.random.default_rng(seed).uniform(-1, 1, (n_segments, 2))
    feet = foot_positions(params, angles)
    for k, (yaw, roll) in enumerate(angles):
        axle = np.array([(0.5 * (n_segments - 1) - k) * params.segment_length, 0, 0])
        for leg, side in ((2 * k, 1), (2 * k + 1, -1)):
            foot = axle + rotation(yaw, roll) @ (0, side * params.reach, -params.height)
            np.testing.assert_allclose(feet[leg], foot, atol=1e-14)


def test_velocities_are_the_derivative_of_positions():
    params, rng, h = MultipodParams(n_legs=8), np.random.default_rng(0), 1e-6
    angles, rates = rng.uniform(-0.5, 0.5, (2, 50, 4, 2))
    ahead, behind = (foot_positions(params, angles + sign * h * rates) for sign in (1, -1))
    # Central differences: an error of order h^2, and rounding over h.
    np.testing.assert_allclose(foot_velocities(params, angles, rates), (ahead - behind) / (2 * h), atol=1e-9)


def test_a_positive_roll_lifts_the_left_foot_and_a_positive_yaw_takes_it_back():
    params = MultipodParams(n_legs=4)
    at_rest = foot_positions(params, np.zeros((2, 2)))
    assert np.all(at_rest[:, 2] == -params.height) and np.all(at_rest[::2, 1] > 0)
    rolled = foot_positions(params, np.array([[0.0, 0.2], [0.0, 0.0]])) - at_rest
    assert rolled[0, 2] > 0.03 and rolled[1, 2] < -0.03
    yawed = foot_positions(params, np.array([[0.2, 0.0], [0.0, 0.0]])) - at_rest
    assert yawed[0, 0] < -0.03 and yawed[1, 0] > 0.03


@pytest.mark.parametrize("n_legs", SIZES)
def test_mass_is_linear_and_axles_are_centred(n_legs):
    params = MultipodParams(n_legs=n_legs)
    assert params.total_mass / n_legs == pytest.approx(MultipodParams().total_mass / 6)
    assert params.axle_x.sum() == pytest.approx(0, abs=1e-12) and params.axle_x[0] > 0
    assert len(set(params.leg_names())) == n_legs and params.leg_names()[:3] == ["left_0", "right_0", "left_1"]


@pytest.mark.parametrize("n_legs", [0, 2, 5, 51, 52, -6, 6.5])
def test_impossible_numbers_of_legs_are_refused(n_legs):
    with pytest.raises(ValueError, match="even number of legs from 4 to 50.*got"):
        MultipodParams(n_legs=n_legs)


def test_overlapping_legs_are_refused_and_the_sentence_says_what_would_do():
    with pytest.raises(ValueError, match="legs overlap.*yaw_range must be under 0.412 rad"):
        MultipodParams(yaw_range=0.42)
    MultipodParams(yaw_range=0.411)
    with pytest.raises(ValueError, match="legs overlap"):
        MultipodParams(segment_length=0.1)
    with pytest.raises(ValueError, match="outward and down"):
        MultipodParams(root_width=0.2)


@pytest.mark.parametrize("name", [*POSITIVE, *NON_NEGATIVE])
def test_values_that_make_no_sense_are_refused(name):
    bad = (0.0, -1.0, np.nan, np.inf) if name in POSITIVE else (-1.0, np.nan, np.inf)
    for value in bad:
        with pytest.raises(ValueError, match=name):
            replace(MultipodParams(), **{name: value})


def test_every_number_is_checked():
    numbers = {field.name for field in fields(MultipodParams)} - {"n_legs", "motor"}
    assert numbers == {*POSITIVE, *NON_NEGATIVE}


def test_angles_of_the_wrong_shape_are_refused():
    with pytest.raises(ValueError, match=r"angles of 6 legs have shape \(\.\.\., 3, 2\), got \(6,\)"):
        foot_positions(MultipodParams(), np.zeros(6))
