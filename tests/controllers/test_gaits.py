"""Contracts of every registered gait, and which way each of them walks."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tarsus.analytic.clock import TRIPOD_PHASE, Clock
from tarsus.analytic.models.multipod import MultipodParams, foot_positions, foot_velocities
from tarsus.analytic.undulation import undulation_angles
from tarsus.controllers import gaits, pair_gaits, shaft_gaits
from tarsus.controllers.gaits import GAITS

CASES = [
    (name, n)
    for name, family in GAITS.items()
    for n in (4, 6, 8, 10, 12, 30, 50)
    if family.fewest_legs <= n <= (family.most_legs or n)
]
IDS = [f"{name}-{n}" for name, n in CASES]


def sides(gait, per_leg):
    """Return what is said of each leg for one side and for the other."""
    if isinstance(gait, shaft_gaits.ShaftGait):
        return per_leg[..., : gait.n_legs // 2], per_leg[..., gait.n_legs // 2 :]
    return per_leg[..., 0::2], per_leg[..., 1::2]


@pytest.mark.parametrize(("name", "n"), CASES, ids=IDS)
def test_shape_and_period(name, n):
    gait = gaits.make(name, n)
    times = gait.period * np.linspace(-1.3, 2.7, 83)
    angle, rate = gait(times)
    shape = (n,) if GAITS[name].drives == "shafts" else (n // 2, 2)
    assert gait.n_legs == n and angle.shape == rate.shape == (83, *shape)
    later, rate_later = gait(times + gait.period)
    turn = 2 * np.pi if GAITS[name].drives == "shafts" else 0.0
    np.testing.assert_allclose(later - angle, turn, atol=1e-9)
    np.testing.assert_allclose(rate_later, rate, atol=1e-9)
    one, one_rate = gait(times[7])
    np.testing.assert_allclose(one, angle[7])
    np.testing.assert_allclose(one_rate, rate[7])


@pytest.mark.parametrize(("name", "n"), CASES, ids=IDS)
def test_angle_is_continuous_and_rate_its_derivative(name, n):
    """Between samples the angle moves by the mean of the rates; the uniform profile has kinks, where it need not."""
    gait = gaits.make(name, n)
    count = 20001
    times = np.linspace(0, gait.period, count)
    angle, rate = gait(times)
    step = np.diff(angle, axis=0)
    bound = np.abs(rate).max() * (times[1] - times[0])
    assert np.abs(step).max() <= 1.001 * bound  # no jump
    off = np.abs(step - 0.5 * (rate[1:] + rate[:-1]) * (times[1] - times[0]))
    kinks = 0 if GAITS[name].drives == "pairs" or gait.profile == "cubic" else 2
    assert np.all((off > 1e-4 * bound).sum(axis=0) <= kinks)


@pytest.mark.parametrize(("name", "n"), CASES, ids=IDS)
def test_enough_legs_stand_on_both_sides(name, n):
    gait = gaits.make(name, n)
    stance = gait.stance(gait.period * (np.arange(997) + 0.5) / 997)  # a prime, so that no sample falls on a switch
    assert stance.sum(axis=-1).min() >= GAITS[name].on_ground
    for side in sides(gait, stance):
        assert side.any(axis=1).all()
    if GAITS[name].drives == "shafts":
        np.testing.assert_allclose(stance.mean(axis=0), gait.duty, atol=2 / 997)


def test_both_tripods_stand_for_a_tenth_of_the_cycle():
    gait = gaits.make("tripod", 6)
    standing = gait.stance(gait.period * (np.arange(997) + 0.5) / 997).sum(axis=-1)
    assert set(standing) == {3, 6} and np.mean(standing == 6) == pytest.approx(0.1, abs=4 / 997)


@pytest.mark.parametrize("name", GAITS)
def test_a_gait_that_needs_more_legs_is_refused(name):
    fewest = GAITS[name].fewest_legs
    for n in (fewest - 2, fewest + 1):
        with pytest.raises(ValueError, match=f"{fewest if fewest > 4 else ''}.*got {n}"):
            gaits.make(name, n)
    most = GAITS[name].most_legs
    if most:
        with pytest.raises(ValueError, match=f"got {most + 2}"):
            gaits.make(name, most + 2)


def test_unknown_gait_lists_the_known():
    with pytest.raises(ValueError, match="unknown gait 'gallop'; there are " + ", ".join(GAITS)):
        gaits.make("gallop", 4)


def test_names_are_of_the_gaits_that_so_many_legs_can_do():
    for drives in ("shafts", "pairs"):
        for n in (4, 6):
            for name in GAITS:
                if name in gaits.names(drives, n):
                    assert gaits.make(name, n).n_legs == n and GAITS[name].drives == drives
                elif GAITS[name].drives == drives:
                    with pytest.raises(ValueError):
                        gaits.make(name, n)


def test_tripod_is_the_buehler_clock():
    gait = shaft_gaits.tripod(6, cycle_time=1.0, duty=0.6)
    clock = Clock(phase=TRIPOD_PHASE, sweep_angle=0.5 * np.pi, direction=1.0)
    for t in np.linspace(-2, 2, 41) + 0.003:
        np.testing.assert_allclose((gait(t)[0] - clock(t)[0] + np.pi) % (2 * np.pi), np.pi, atol=1e-12)
        np.testing.assert_allclose(gait(t)[1], clock(t)[1])


def test_legs_of_a_tripod_alternate():
    stance = shaft_gaits.tripod(6, duty=0.5).stance(0.01)
    np.testing.assert_array_equal(stance, [True, False, True, False, True, False])


@settings(max_examples=60)
@given(cycles=st.floats(-3, 3), duty=st.floats(0.1, 0.9), sweep=st.floats(0.1, 3.0))
def test_cubic_profile_has_its_rate(cycles, duty, sweep):
    h = 1e-6
    angle, rate = shaft_gaits.cubic_profile(np.array([cycles - h, cycles, cycles + h]), 2.0, 2.0 * duty, sweep)
    jump_of_curvature = 50 * sweep / duty**2 + 400 / (1 - duty) ** 2
    assert (angle[2] - angle[0]) / (4 * h) == pytest.approx(rate[1], abs=jump_of_curvature * h + 1e-7)


def test_cubic_profile_stops_at_mid_stance_and_triples_at_its_ends():
    angle, rate = shaft_gaits.cubic_profile(np.array([0.0, 1 / 6, 1 / 3, -1 / 3, 0.5]), 3.0, 2.0, 0.8)
    np.testing.assert_allclose(angle, [0.0, 0.05, 0.4, -0.4, np.pi * 3 - 2 * np.pi], atol=1e-12)
    np.testing.assert_allclose(rate[:4], [0.0, 0.3, 1.2, 1.2], atol=1e-12)


def test_metachronal_keeps_two_feet_of_each_side_on_the_ground():
    gait = shaft_gaits.metachronal(6)
    stance = gait.stance(gait.period * (np.arange(997) + 0.5) / 997)
    assert gait.duty == pytest.approx(2 / 3)
    for side in sides(gait, stance):
        assert (side.sum(axis=1) == 2).mean() > 0.99


@pytest.mark.parametrize("make", [shaft_gaits.wave, shaft_gaits.ripple])
@pytest.mark.parametrize("n", [6, 8, 12])
def test_feet_are_set_down_from_the_rear_to_the_front(make, n):
    """On each side the next foot in front is set down one lag later."""
    gait = make(n, cycle_time=1.0)
    for phase in sides(gait, gait.phase):
        touchdown = (-0.5 * gait.duty - phase) % 1.0  # rear first
        np.testing.assert_allclose(np.diff(touchdown) % 1.0, 1 - gait.duty)


@pytest.mark.parametrize("name", ["pair_wave", "pair_ripple"])
def test_pairs_take_the_extremes_from_the_rear_to_the_front(name):
    """A little later, every pair stands as the one behind it did."""
    gait = gaits.make(name, 12)
    lag = gait.period / {"pair_wave": 6, "pair_ripple": 3}[name]
    np.testing.assert_allclose(gait(1.0 + lag)[0][:-1], gait(1.0)[0][1:], atol=1e-12)


@pytest.mark.parametrize("n", [4, 6, 10])
def test_one_leg_swings_at_a_time_in_a_wave(n):
    stance = shaft_gaits.wave(n).stance(10.0 * (np.arange(997) + 0.5) / 997)
    assert (stance.sum(axis=1) == n - 1).mean() > 0.98


@pytest.mark.parametrize("sign", [-1, 1])
def test_steering_sweeps_farther_on_the_outside(sign):
    gait = shaft_gaits.tripod(6, steering=0.4 * sign)
    rate = gait(0.0)[1] * np.where(gait.stance(0.0), 1.0, np.nan)
    right, left = (np.nanmax(side) for side in sides(gait, rate))
    assert right / left == pytest.approx((1 + 0.4 * sign) / (1 - 0.4 * sign))


@pytest.mark.parametrize(("name", "n"), [case for case in CASES if GAITS[case[0]].drives == "pairs"])
def test_lower_feet_of_a_multipod_go_backward(name, n):
    """So the body goes forward; and the feet meant to stand are the lower ones of their pairs."""
    gait, params = gaits.make(name, n), MultipodParams(n_legs=n)
    times = gait.period * (np.arange(97) + 0.5) / 97
    pos, vel = foot_positions(params, gait(times)[0]), foot_velocities(params, *gait(times))
    pairs = pos[..., 2].reshape(97, -1, 2)
    lower = pairs < pairs[..., ::-1]
    np.testing.assert_array_equal(lower.reshape(97, n), gait.stance(times))
    assert np.all(vel[..., 0].reshape(97, -1, 2)[lower] < 1e-12)


def test_undulation_lags_along_the_body_by_the_phase_offset():
    gait = pair_gaits.undulation(12)
    assert gait.frequency == 0.3
    lag = 1.35 * np.pi / (2 * np.pi * 0.3)
    np.testing.assert_allclose(gait(1.0 + lag)[0][1:], gait(1.0)[0][:-1], atol=1e-12)


def test_neighbouring_pairs_of_a_pair_tripod_are_in_opposite_phase():
    angles, rates = pair_gaits.pair_tripod(8)(np.linspace(0, 3, 7))
    np.testing.assert_allclose(angles[:, 1:], -angles[:, :-1], atol=1e-12)
    np.testing.assert_allclose(rates[:, 1:], -rates[:, :-1], atol=1e-12)


def test_steering_of_an_undulation_bends_the_body_to_the_left():
    held = pair_gaits.undulation(8, steering=0.1).coefficients[:, 0, 0].real
    np.testing.assert_allclose(held, [0.1, 0.1 / 3, -0.1 / 3, -0.1])


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"duty": 1.0}, "duty must lie between 0 and 1, got 1.0"),
        ({"cycle_time": 0.0}, "cycle_time must be positive"),
        ({"steering": 1.0}, "steering must lie between -1 and 1"),
        ({"sweep_angle": 4.0, "steering": 0.9}, "every leg must sweep between 0 and 2 pi"),
        ({"profile": "square"}, "unknown profile 'square'; there are uniform, cubic"),
        ({"phase": [0.0, 0.5, 0.1]}, "even number of legs"),
    ],
)
def test_impossible_gaits_are_refused(fields, message):
    with pytest.raises(ValueError, match=message):
        shaft_gaits.ShaftGait(**{"phase": [0.0, 0.5]} | fields)


@pytest.mark.parametrize(
    ("coefficients", "frequency", "message"),
    [
        (np.zeros((3, 2)), 0.3, r"shape \(n_pairs, 2, 1 \+ harmonics\), got \(3, 2\)"),
        (np.full((3, 2, 2), np.nan), 0.3, "finite"),
        (np.zeros((3, 2, 2)), 0.0, "frequency must be positive"),
    ],
)
def test_impossible_series_are_refused(coefficients, frequency, message):
    with pytest.raises(ValueError, match=message):
        pair_gaits.FourierGait(coefficients, frequency)


def test_the_environments_undulation_is_the_gaits():
    """What the action mode "gait" of Multipod-v1 plays, and the Fourier series, are one gait."""
    t = np.linspace(0.0, 5.0, 23)
    gait = pair_gaits.undulation(8, 0.4, 1.2 * np.pi, 0.21, 0.13, 0.07)
    played = undulation_angles(0.4 * t, 0.4, 1.2 * np.pi, 0.21, 0.13, 0.07, n_pairs=4)
    for a, b in zip(gait(t), played, strict=True):
        np.testing.assert_allclose(a, b, atol=1e-12)
