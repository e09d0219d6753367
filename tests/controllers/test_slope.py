"""The slope law: its table, its limits, and that it holds the speed of RHex's slow walk from -10 to +10 degrees."""

import numpy as np
import pytest

from tarsus.analytic.clock import TripodGait
from tarsus.analytic.terrain import Flat, Slope, Step
from tarsus.controllers.slope import SlopeEstimator, SlopeFollower, SlopeLaw, slope_of

# slope, then changes of the hips rear, middle, front, of sweep and duty; then of the hips with iota = 0.01
TABLE = [
    (-0.3, 0.21316, 0.15772, 0.10725, 0.0, 0.0, 0.11077, 0.10050, 0.09240),
    (-0.2, 0.17104, 0.12442, 0.07150, 0.0, 0.0, 0.08006, 0.07047, 0.06160),
    (-0.1, 0.11929, 0.08521, 0.03575, 0.0, 0.0, 0.04819, 0.04001, 0.03080),
    (0.1, -0.13029, -0.09621, -0.03575, 0.030, 0.0045, -0.04929, -0.04111, -0.03080),
    (0.2, -0.19304, -0.14642, -0.07150, 0.060, 0.0090, -0.08226, -0.07267, -0.06160),
    (0.3, -0.24616, -0.19072, -0.10725, 0.090, 0.0135, -0.11407, -0.10380, -0.09240),
]


def test_the_law_is_the_authors_table():
    slope, *rest = np.array(TABLE).T
    rest = np.array(rest)
    np.testing.assert_allclose(SlopeLaw().leans(slope), rest[:3].T, atol=1e-5)
    np.testing.assert_allclose(SlopeLaw().sweep(slope), rest[3], atol=1e-5)
    np.testing.assert_allclose(SlopeLaw().duty(slope), rest[4], atol=1e-5)
    np.testing.assert_allclose(SlopeLaw(iota=0.01).leans(slope), rest[5:].T, atol=1e-5)


def test_it_takes_any_shape_does_nothing_on_level_ground_and_is_bounded():
    assert SlopeLaw().leans(np.zeros((2, 4))).shape == (2, 4, 3)
    assert not np.any(SlopeLaw().leans(0.0)) and SlopeLaw().compensated(TripodGait(), 0.0) == TripodGait()
    steep = np.array([-1.5, 1.5])
    assert np.all(np.isfinite(SlopeLaw(iota=1.0).leans(steep)))
    law = SlopeLaw(ksi=1.0, epsilon=1.0)
    assert law.sweep(steep).tolist() == [0.0, 0.5] and law.duty(steep).tolist() == [0.0, 0.2]


@pytest.mark.parametrize("heading", ["forward", "backward", "left"])
def test_a_compensated_gait_leans_its_rows_alike_on_both_sides(heading):
    gait = TripodGait(0.8, 0.552, 0.6109, 0.15, heading=heading)
    law, t = SlopeLaw(), np.linspace(0.0, 2.0, 41)
    up = law.compensated(gait, 0.2)
    assert up.slow_time == pytest.approx(0.552 + 0.009 * 0.8) and up.sweep_angle == pytest.approx(0.6109 + 0.06)
    level = TripodGait(0.8, up.slow_time, up.sweep_angle, 0.15, heading=heading)
    difference = up.clock()(t)[0] - level.clock()(t)[0]
    np.testing.assert_allclose(difference, np.tile([-0.19304, -0.14642, -0.07150] * 2, (41, 1)), atol=1e-5)


def test_the_slope_of_a_plane_is_along_the_way_and_other_ground_has_none():
    assert slope_of(Flat()) == 0.0 and slope_of(Slope(0.3, np.tan(0.2))) == pytest.approx(0.2)
    with pytest.raises(ValueError, match="only flat ground and a slope have one slope that can be known, not Step"):
        slope_of(Step())


@pytest.mark.parametrize(
    ("change", "sentence"),
    [({"iota": -0.1}, "iota of a slope law must not be negative"), ({"length": 0.0}, "length of .* must be positive")],
)
def test_constants_without_a_meaning_are_refused(change, sentence):
    with pytest.raises(ValueError, match=sentence):
        SlopeLaw(**change)


def test_the_estimate_settles_at_the_slope_and_hardly_hears_the_steps():
    estimator, t = SlopeEstimator(9.81), np.arange(800) * 0.01
    felt = feel(estimator, t, 9.81 * np.sin(0.15) + np.cos(2 * np.pi * 2.5 * t))
    assert abs(felt[20]) < 0.02 and np.abs(felt[600:] - 0.15).max() < 1e-3  # slow, then smooth
    assert np.arcsin(1.0) >= feel(SlopeEstimator(9.81, cutoff=40.0), [0.0], [1e6])[0] > 0.0


def feel(estimator, times, accelerations):
    """Return the estimate after each reading."""
    return np.array([(estimator.sense(t, a), estimator.slope)[1] for t, a in zip(times, accelerations, strict=True)])


def test_a_reading_before_its_time_is_left_out():
    often, seldom, t = SlopeEstimator(9.81), SlopeEstimator(9.81), np.arange(4000) * 1e-3
    found = feel(often, t, np.where(np.arange(4000) % 10, 5.0, 1.0))
    np.testing.assert_array_equal(found[::10], feel(seldom, t[::10], np.ones(400)))


def test_it_begins_anew_where_time_goes_back():
    estimator, t = SlopeEstimator(9.81), np.arange(50) * 0.02
    first = feel(estimator, t, np.ones(50))
    np.testing.assert_array_equal(feel(estimator, t, np.ones(50)), first)


def test_a_corner_of_the_filter_halves_the_power():
    estimator, t = SlopeEstimator(10.0, cutoff=2.0), np.arange(3000) * 0.01
    felt = feel(estimator, t, 0.1 * np.sin(4 * np.pi * t))
    assert felt[1000:].max() / 0.01 == pytest.approx(np.sqrt(0.5), rel=3e-3)  # of the peaks, sampled


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [((0.0,), "gravity, which must be positive"), ((9.81, 50.0), "cutoff must lie between 0 and half a reading")],
)
def test_a_slope_that_cannot_be_felt_is_refused(arguments, sentence):
    with pytest.raises(ValueError, match=sentence):
        SlopeEstimator(*arguments)


def test_a_follower_keeps_angles_continuous_and_rates_true_and_ends_at_the_known_slopes_gait():
    gait, law = TripodGait(0.8, 0.552, 0.6109, 0.15, blend=0.09), SlopeLaw()
    follower, hips, dt = SlopeFollower(gait, law, SlopeEstimator(9.81)), np.zeros(6), 5e-4
    t = np.arange(12_000) * dt
    rows = []
    for now in t:
        follower.estimator.sense(now, 9.81 * np.sin(0.15))
        rows.append(follower(now, hips)[:, :2])
    angle, rate = np.moveaxis(np.array(rows), -1, 0)
    angle = np.unwrap(angle, axis=0)
    assert np.abs(np.diff(angle, axis=0) / dt).max() < 1.01 * np.abs(rate).max()  # no jump
    slips = np.abs(np.diff(angle, axis=0) / dt - 0.5 * (rate[1:] + rate[:-1]))
    assert np.quantile(slips, 0.99) < 0.02  # [rad/s]; a rate jumps at the half cycles only
    known = law.compensated(gait, 0.15).clock()(t[-1600:])[0]
    off = angle[-1600:] - known
    np.testing.assert_allclose(off, np.round(off / (2 * np.pi)) * 2 * np.pi, atol=2e-3)
