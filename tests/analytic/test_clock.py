"""The clock's profile: its rate, its kinks, its symmetries, and figure 8 of the manual."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.interpolate import CubicHermiteSpline

from tarsus.analytic.clock import BLEND_SHAPES, HEADINGS, RIGHT, TRIPOD_PHASE, Clock, TripodGait, profile, wrap

times = st.floats(-50, 50)
gaits = st.builds(
    lambda t_c, duty, sweep, offset, difference, heading, blend, shape: TripodGait(
        t_c, duty * t_c, sweep, offset, 0.1 * duty * t_c * difference, 0.2 * difference, heading, 0.05 * difference,
        blend, shape,
    ),
    st.floats(0.3, 3),
    st.floats(0.2, 0.8),
    st.floats(0.1, 2),
    st.floats(-0.5, 0.5),
    st.floats(-1, 1),
    st.sampled_from(sorted(HEADINGS)),
    st.sampled_from([0.0, 0.02, 0.1]),
    st.sampled_from(BLEND_SHAPES),
)  # fmt: skip
# Speed 2 of RHexLib's table (examples/exprunner/walk_test.rc), and its reference as the specification tabulates it:
# time [cycle], then angle [rad] and rate [rad/s] with corners, linear and cubic blends.
SPEED_2 = TripodGait(0.53, 0.6226 * 0.53, 0.6981, 0.175, blend=0.11)
TABLE = np.array([
    (-0.50, 2.966593, -27.92236, 2.966593, -27.92236, 2.966593, -27.92236),
    (-0.35, 0.746765, -27.92236, 0.858238, -15.01898, 0.763284, -24.09826),
    (-0.3113, 0.174050, np.nan, 0.550184, -15.01898, 0.362117, -15.01898),
    (-0.30, 0.161380, -2.11560, 0.460235, -15.01898, 0.280107, -12.36792),
    (-0.25, 0.105316, -2.11560, 0.105316, -2.11560, 0.105316, -2.11560),
    (0.0, -0.175, -2.11560, -0.175, -2.11560, -0.175, -2.11560),
    (0.15, -0.343190, -2.11560, -0.343190, -2.11560, -0.343190, -2.11560),
    (0.30, -0.511380, -2.11560, -0.810235, -15.01898, -0.630107, -12.36792),
    (0.3113, -0.524050, np.nan, -0.900184, -15.01898, -0.712117, -15.01898),
    (0.35, -1.096765, -27.92236, -1.208238, -15.01898, -1.113284, -24.09826),
])  # fmt: skip


@given(angle=st.floats(-1e3, 1e3))
def test_wrap_keeps_the_angle_and_its_range(angle):
    assert -np.pi < wrap(angle) <= np.pi + 1e-12
    turns = (angle - wrap(angle)) / (2 * np.pi)
    assert turns == pytest.approx(round(turns), abs=1e-9)


def test_rows_of_legs_have_phases_of_their_own():
    pairs = TripodGait(phase_difference=0.0, middle_phase=0.7, front_phase=0.3).clock()
    np.testing.assert_allclose(pairs.phase, [0.0, 0.7, 0.3] * 2)
    np.testing.assert_allclose(TripodGait(middle_phase=0.1).clock().phase, [0.0, 0.6, 0.0, 0.5, 0.1, 0.5])
    with pytest.raises(ValueError, match="front_phase must be at least 0 and below 1 cycle, got 1"):
        TripodGait(front_phase=1.0)


def test_wrap_gives_plus_pi_at_half_a_turn():
    assert wrap(np.pi) == wrap(-np.pi) == np.pi


def test_profile_is_figure_8():
    """Slow through the sweep around mid-stance, fast through the rest, at the rates of the specification."""
    angle, rate = profile(np.array([0.0, 0.29, 0.31, 0.5, -0.31]), 1.0, 0.6, 0.75)
    np.testing.assert_allclose(rate, [1.25, 1.25, 13.8329632, 13.8329632, 13.8329632])
    expected = [0.0, 0.29 * 1.25, 0.375 + 0.01 * 13.8329632, np.pi, -0.375 - 0.01 * 13.8329632]
    np.testing.assert_allclose(angle, expected)


@given(gait=gaits, t=times)
def test_rate_is_the_derivative_of_angle(gait, t):
    clock = gait.clock()
    step = 1e-6
    near = clock.kinks(t - 2 * step, t + 2 * step)
    if len(near):
        return
    (before, _), (after, _), (_, rate) = clock(t - step), clock(t + step), clock(t)
    np.testing.assert_allclose((after - before) / (2 * step), rate, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize(("column", "blend", "shape"), [(1, 0.0, "cubic"), (3, 0.11, "linear"), (5, 0.11, "cubic")])
def test_blends_are_those_of_the_robots_own_library(column, blend, shape):
    angle, rate = replace(SPEED_2, blend=blend, blend_shape=shape).clock()(TABLE[:, 0] * SPEED_2.cycle_time)
    np.testing.assert_allclose(angle[:, 0], TABLE[:, column], atol=1e-6)
    known = ~np.isnan(TABLE[:, column + 1])
    np.testing.assert_allclose(rate[known, 0], TABLE[known, column + 1], atol=1e-5)


@given(gait=gaits, t=times)
def test_a_cubic_blend_is_the_hermite_cubic_between_the_lines(gait, t):
    """Built literally, from angles and rates of the cornered profile at a blend's ends; its rate has no jump."""
    smooth, cornered = replace(gait, blend=0.1, blend_shape="cubic").clock(), replace(gait, blend=0.0).clock()
    for leg, kink in enumerate(0.5 * cornered.slow_time - cornered.phase * gait.cycle_time):
        ends = kink + np.array([-0.05, 0.05]) * gait.cycle_time
        angle, rate = (values[:, leg] for values in cornered(ends))
        hermite = CubicHermiteSpline(ends, angle, rate)
        inside = ends[0] + np.linspace(0.01, 0.99, 7) * np.diff(ends)
        np.testing.assert_allclose(smooth(inside)[0][:, leg], hermite(inside), rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(smooth(inside)[1][:, leg], hermite(inside, 1), rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(smooth(t + 1e-9)[1], smooth(t - 1e-9)[1], atol=1e-3)


def test_blends_of_no_width_keep_every_bit():
    cycles = np.random.default_rng(0).uniform(-3, 3, 1000)
    shape = 0.53, 0.33, 0.7
    for width in (0.0, np.zeros(1000)):
        np.testing.assert_array_equal(profile(cycles, *shape, width), profile(cycles, *shape))
    mixed = profile(cycles, *shape, np.where(np.arange(1000) % 2, 0.1, 0.0))  # one of each, as simulations may have
    np.testing.assert_array_equal(np.array(mixed)[:, ::2], np.array(profile(cycles, *shape))[:, ::2])
    np.testing.assert_array_equal(np.array(mixed)[:, 1::2], np.array(profile(cycles, *shape, 0.1))[:, 1::2])


@given(gait=gaits, t=times)
def test_a_cycle_is_one_turn(gait, t):
    clock = gait.clock()
    (angle, rate), (later, rate_later) = clock(t), clock(t + gait.cycle_time)
    kinks = clock.kinks(t - 1e-9, t + 1e-9)
    np.testing.assert_allclose(later - angle, clock.direction * 2 * np.pi, atol=1e-7)
    if not len(kinks):
        np.testing.assert_allclose(rate_later, rate)


@given(gait=gaits, start=times, length=st.floats(0, 5))
def test_kinks_are_where_some_rate_changes(gait, start, length):
    clock = gait.clock()
    kinks = clock.kinks(start, start + length)
    assert np.all(np.diff(kinks) > 0) and np.all((kinks > start) & (kinks <= start + length))
    for kink in kinks:
        if gait.blend and gait.blend_shape == "cubic":
            continue  # there the acceleration jumps
        assert np.any(np.abs(clock(kink + 1e-7)[1] - clock(kink - 1e-7)[1]) > 1e-9)
        np.testing.assert_allclose(clock(kink + 1e-9)[0], clock(kink - 1e-9)[0], atol=1e-6)  # no jump
    middles = 0.5 * (np.r_[start, kinks] + np.r_[kinks, start + length])
    for middle, left in zip(middles, np.r_[start, kinks], strict=True):
        if middle - left > 1e-6 and not (gait.blend and gait.blend_shape == "cubic"):
            np.testing.assert_allclose(clock(middle)[1], clock(left + 1e-7)[1])


def test_default_gait_kinks_four_times_a_stride():
    clock = TripodGait().clock()
    kinks = clock.kinks(0, 1)
    np.testing.assert_allclose(kinks, [0.2, 0.3, 0.7, 0.8])
    np.testing.assert_array_equal(clock.kinks(kinks[0], kinks[1]), kinks[1:2])  # the start is not counted, the end is


def test_at_a_kink_the_rate_is_that_of_the_phase_which_begins():
    slow, fast = 1.0 / 0.5, (2 * np.pi - 1.0) / 0.5
    _, rate = profile(np.array([-0.25, 0.25]), 1.0, 0.5, 1.0)
    np.testing.assert_allclose(rate, [slow, fast])


@given(gait=gaits, t=times)
def test_mirrored_gait_is_the_mirror_image_half_a_cycle_later(gait, t):
    """Exchange left and right, and the other tripod leads: to rounding."""
    angle, rate = gait.clock()(t)
    mirrored_angle, mirrored_rate = gait.mirrored().clock()(t + 0.5 * gait.cycle_time)
    swap = np.r_[3:6, 0:3]
    turns = (mirrored_angle[swap] - angle) / (2 * np.pi)
    np.testing.assert_allclose(turns, np.round(turns), atol=1e-9)
    away = not len(gait.clock().kinks(t - 1e-9, t + 1e-9))
    if away:
        np.testing.assert_allclose(mirrored_rate[swap], rate, atol=1e-9)


@given(gait=gaits, t=times)
def test_backward_is_forward_negated(gait, t):
    clock = gait.clock()
    reversed_clock = Clock(
        clock.phase, clock.cycle_time, clock.slow_time, clock.sweep_angle, clock.leg_offset, -clock.direction,
        clock.blend, clock.blend_shape,
    )  # fmt: skip
    np.testing.assert_array_equal(reversed_clock(t)[0], -clock(t)[0])


def test_tripods_are_front_and_rear_of_one_side_with_the_middle_of_the_other():
    assert list(TRIPOD_PHASE) == [0, 0.5, 0, 0.5, 0, 0.5]
    angle, _ = TripodGait().clock()(0.0)
    np.testing.assert_allclose(np.cos(angle), [1, -1, 1, -1, 1, -1])  # tripod A straight down, B straight up


def test_forward_turns_the_hips_backward_and_headings_turn_in_place():
    assert np.all(TripodGait().clock()(0.1)[1] < 0)
    left = TripodGait(heading="left").clock().direction
    assert np.all(left[RIGHT] == -1) and np.all(left[~RIGHT] == 1)


def test_differences_add_on_the_left_and_take_on_the_right():
    clock = TripodGait(slow_time_difference=0.05, offset_difference=0.1, sweep_difference=0.2).clock()
    np.testing.assert_allclose(clock.sweep_angle, np.where(RIGHT, 0.55, 0.95))
    np.testing.assert_allclose(clock.slow_time, np.where(RIGHT, 0.55, 0.65))
    np.testing.assert_allclose(clock.leg_offset, np.where(RIGHT, -0.1, 0.1))


def test_times_may_be_an_array():
    clock = TripodGait().clock()
    angle, rate = clock(np.linspace(0, 1, 5))
    assert angle.shape == rate.shape == (5, 6)
    np.testing.assert_array_equal(angle[3], clock(0.75)[0])


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ({"cycle_time": 0.0}, "cycle_time must be positive"),
        ({"slow_time": 1.0}, "slow_time must lie between 0 and cycle_time = 1.0"),
        ({"slow_time": 0.6, "slow_time_difference": 0.5}, "slow_time must lie between"),
        (
            {"sweep_angle": 7.0},
            r"sweep_angle must lie between 0 and 6.283 .*, got 7; did you mean 0.122 .7 degrees.\?$",
        ),
        ({"leg_offset": -20.0}, r"leg_offset must lie .*, got -20; did you mean -0.349 \(-20 degrees\)\?$"),
        ({"sweep_difference": 0.8}, "sweep_angle must lie between 0 and 6.283"),
        ({"blend": 0.41}, "blend must lie between 0 and 0.4, the shorter phase's share of the cycle, got 0.41"),
        ({"blend": -0.1}, "blend must lie between 0 and 0.4"),
        ({"blend": 0.1, "slow_time_difference": 0.35}, "blend must lie between 0 and 0.05"),
        ({"blend_shape": "round"}, "unknown blend_shape 'round'; there are linear, cubic"),
        ({"heading": "up"}, "unknown heading 'up'; there are forward, backward, left, right"),
    ],
)
def test_impossible_gaits_are_refused(bad, message):
    with pytest.raises(ValueError, match=message):
        TripodGait(**bad)


def test_direction_is_plus_or_minus_one():
    with pytest.raises(ValueError, match="direction must be -1"):
        Clock(np.zeros(2), direction=0.5)
