"""BigANT's four-bar linkage against a root finder and finite differences; its foot path; what its parameters refuse."""

from dataclasses import fields, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import least_squares

from tarsus.analytic.models.bigant import (
    NON_NEGATIVE,
    POSITIVE,
    BigAntParams,
    foot_path_rate,
    foot_positions,
    foot_velocities,
    linkage,
)

PARAMS = BigAntParams()
angles = st.floats(-10, 10, allow_nan=False)


def foot_by_root_finding(crank, pivot, coupler, rocker, along, down, angle):
    """Return the foot (x, z) of a linkage whose crank is `angle` from +z towards +x; complex numbers x + i z.

    Unknown are the directions of coupler and rocker. Of the two ways to close, the one with the rocker pin on the left
    of the line from crank pin to pivot is found from a start on that side, and checked.
    """
    pin = crank * np.exp(1j * (np.pi / 2 - angle))
    pivot = complex(*pivot)

    def gap(directions):
        at_coupler = pin + coupler * np.exp(1j * directions[0])
        at_rocker = pivot + rocker * np.exp(1j * directions[1])
        return [(at_coupler - at_rocker).real, (at_coupler - at_rocker).imag]

    line = pivot - pin
    for turn in np.linspace(0.1, 3.0, 30):
        start = np.angle(line) - turn
        found = least_squares(gap, [start, start + np.pi / 2], xtol=1e-15, ftol=1e-15, gtol=1e-15)
        bar = np.exp(1j * found.x[0])
        if found.cost < 1e-24 and (np.conj(line) * bar).imag < 0:
            at = pin + bar * (along - 1j * down)
            return at.real, at.imag
    raise AssertionError("the linkage does not close")


@settings(max_examples=40)
@given(angles)
def test_the_foot_is_where_a_root_finder_puts_it(shaft):
    p = PARAMS
    expected = foot_by_root_finding(
        p.crank, (p.pivot_x, p.pivot_z), p.coupler, p.rocker, p.foot_along, p.foot_down, shaft + p.mid_stance
    )
    np.testing.assert_allclose(linkage(p, shaft).foot, expected, atol=1e-9)


@given(angles, st.floats(-0.1, 0.1))
def test_bars_keep_their_lengths(shaft, change):
    p = replace(PARAMS, coupler=PARAMS.coupler * (1 + 0.2 * change), crank=PARAMS.crank * (1 + change))
    at = linkage(p, shaft)
    pivot = (p.pivot_x, p.pivot_z)
    for start, end, length in (
        ((0, 0), at.crank_pin, p.crank),
        (at.crank_pin, at.rocker_pin, p.coupler),
        (pivot, at.rocker_pin, p.rocker),
        (at.crank_pin, at.foot, np.hypot(p.foot_along, p.foot_down)),
    ):
        assert np.linalg.norm(np.subtract(end, start)) == pytest.approx(length, rel=1e-12)


def test_the_rate_is_the_derivative_of_the_path():
    shaft, h = np.linspace(-np.pi, np.pi, 200), 1e-6
    slope = (linkage(PARAMS, shaft + h).foot - linkage(PARAMS, shaft - h).foot) / (2 * h)
    np.testing.assert_allclose(foot_path_rate(PARAMS, shaft), slope, atol=1e-9)  # h^2, and rounding over h


def test_velocities_are_the_derivative_of_positions():
    rng, h = np.random.default_rng(0), 1e-6
    shaft, rate = rng.uniform(-4, 4, (2, 30, 6))
    slope = (foot_positions(PARAMS, shaft + h * rate) - foot_positions(PARAMS, shaft - h * rate)) / (2 * h)
    np.testing.assert_allclose(foot_velocities(PARAMS, shaft, rate), slope, atol=1e-8)


def test_the_path_is_level_in_stance_backward_and_high_in_swing():
    """What the dimensions were chosen for: the numbers that the documentation gives."""
    shaft = np.linspace(-np.pi, np.pi, 1441)
    x, z = linkage(PARAMS, shaft).foot.T
    stance = np.abs(shaft) <= 0.7
    assert np.ptp(x) == pytest.approx(0.129, abs=5e-4) and np.ptp(z) == pytest.approx(0.041, abs=5e-4)
    assert np.ptp(z[stance]) < 0.002 and np.all(np.diff(x[stance]) < 0) and np.ptp(x[stance]) > 0.068
    assert z[np.abs(shaft) > 2.0].min() - z[stance].min() > 0.025
    rate = foot_path_rate(PARAMS, shaft[stance])[:, 0]
    assert rate.min() / rate.max() < 1.5  # both negative: uneven by less than half
    middle = foot_positions(PARAMS, np.tile(shaft[stance][:, None], 6))[:, [1, 4], 0]
    assert abs(middle.max() + middle.min()) < 0.002  # the stretch lies under the middle of the chassis


def test_legs_are_ordered_right_then_left_from_the_rear():
    feet = foot_positions(PARAMS, np.zeros(6))
    assert np.all(feet[:3, 1] < 0) and np.all(feet[3:, 1] > 0)
    assert np.all(np.diff(feet[:3, 0]) > 0) and np.all(np.diff(feet[3:, 0]) > 0)


@pytest.mark.parametrize("name", [*POSITIVE, *NON_NEGATIVE])
def test_values_that_make_no_sense_are_refused(name):
    for value in (0.0, -1.0, np.nan, np.inf) if name in POSITIVE else (-1.0, np.nan, np.inf):
        with pytest.raises(ValueError, match=name):
            replace(PARAMS, **{name: value})


def test_every_number_is_checked():
    numbers = {field.name for field in fields(BigAntParams)} - {"motor"}
    finite = {"pivot_x", "pivot_z", "foot_along", "foot_down", "mid_stance", "shaft_x"}
    assert numbers == {*POSITIVE, *NON_NEGATIVE, *finite}
    for name in finite:
        with pytest.raises(ValueError, match=name):
            replace(PARAMS, **{name: np.nan})


@pytest.mark.parametrize("bad", [{"coupler": 0.03}, {"crank": 0.07}, {"pivot_z": 0.2}, {"rocker": 0.04}])
def test_a_linkage_that_jams_is_refused(bad):
    with pytest.raises(ValueError, match="does not turn all the way round"):
        replace(PARAMS, **bad)


def test_overlapping_legs_are_refused():
    with pytest.raises(ValueError, match=r"legs overlap: the foot path is 0\.129 m long and legs are 0\.12 m apart"):
        replace(PARAMS, leg_spacing=0.12)
    replace(PARAMS, leg_spacing=0.13)


def test_angles_of_the_wrong_shape_are_refused():
    with pytest.raises(ValueError, match=r"shaft angles of BigANT have shape \(\.\.\., 6\), got \(3,\)"):
        foot_positions(PARAMS, np.zeros(3))
