"""RHex's walker: its sequences, and that it walks the clock of its table between them."""

from dataclasses import replace

import numpy as np
import pytest

from tarsus.analytic import rhex_gaits
from tarsus.analytic.clock import wrap
from tarsus.controllers.rhex import EVEN, SIT_DOWN, STAND, Order, Walker, order

DT = 1e-3


def played(walker, seconds, orders=(), begin=0.0):
    """Return times, angles and rates of a walker that is given orders at times, as (time, order)."""
    times = begin + np.arange(round(seconds / DT)) * DT
    rows = []
    for t in times:
        for when, what in orders:
            if abs(t - when) < 0.5 * DT:
                walker.order = what
        rows.append(walker(t))
    return times, *np.moveaxis(np.array(rows), 1, 0)


def continuous(times, angle, rate):
    """Whether angles have no jump and rates are their derivatives, but where these jump."""
    steps = np.diff(angle, axis=0)
    expected = 0.5 * DT * (rate[1:] + rate[:-1])
    off = np.abs(steps - expected) > 1e-3
    return np.abs(steps).max() < 35 * DT and off.mean() < 0.03


@pytest.mark.parametrize(
    "gait",
    [rhex_gaits.gait(k) for k in range(4)]
    + [rhex_gaits.gait(1.5, "backward", 1.0), rhex_gaits.gait(2, "left"), rhex_gaits.triwheel(0.5, -1.0)],
)
def test_a_steady_walk_is_the_tables_clock(gait):
    """After the tripod's lift, which lasts half a cycle, with tripod A straight up: our clock half a cycle later."""
    walker = Walker(np.zeros(6), stands=True)
    walker.order = Order(gait)
    times, angle, rate = played(walker, 3.0)
    t_c = gait.cycle_time
    walks = times >= 0.5 * t_c + 1e-9
    expected, expected_rate = gait.clock()(times)
    np.testing.assert_allclose(wrap(angle - expected)[walks], 0.0, atol=1e-9)
    near = np.array([len(gait.clock().kinks(t - 2e-9, t + 2e-9)) > 0 for t in times])
    np.testing.assert_allclose(rate[walks & ~near], expected_rate[walks & ~near], atol=1e-7)
    assert continuous(times, angle, rate)


def test_a_new_speed_takes_effect_at_the_next_half_cycle_and_keeps_the_angle():
    """The pieces only tilt: from the old offset to the new one, through the corner of the new profile."""
    slow, fast = rhex_gaits.gait(0), rhex_gaits.gait(2)
    walker = Walker(np.zeros(6), stands=True)
    walker.order = Order(slow)
    played(walker, 0.95)  # lifted after 0.45 s, at c = 1/2 after 0.9 s
    before = walker.stretch
    walker.order = Order(fast)
    assert walker(1.3) and walker.stretch is before  # until 1.35 s it goes on
    end, _ = walker(1.35 - 1e-12)
    start, _ = walker(1.35 + 1e-12)
    assert walker.stretch is not before and walker.stretch.length == pytest.approx(0.265)
    np.testing.assert_allclose(start, end, atol=1e-9)
    assert walker.gait == replace(fast, blend=slow.blend)  # the blend is that of the start
    first, corner, last = walker.stretch.knots
    down = walker.stretch.corner < 0.13  # raised legs come down
    np.testing.assert_array_equal(down, EVEN)
    np.testing.assert_allclose(wrap(first - np.where(down, np.pi - 0.15, -0.15)), 0.0, atol=1e-9)
    np.testing.assert_allclose(wrap(corner - np.where(down, 0.349050 - 0.175, -0.349050 - 0.175)), 0.0, atol=1e-9)
    np.testing.assert_allclose(wrap(last - np.where(down, -0.175, np.pi - 0.175)), 0.0, atol=1e-9)
    np.testing.assert_allclose(walker.stretch.corner, np.where(down, 0.5 * 0.3774, 0.5 * 0.6226) * 0.53)


def test_whatever_is_asked_for_the_hips_never_jump():
    walker = Walker(np.zeros(6), stands=True)
    rng = np.random.default_rng(1)
    asked = [(0.05 * k, order(rng.uniform(-1, 1), rng.uniform(-1, 1))) for k in range(160)]
    asked[40:45] = [(t, SIT_DOWN) for t, _ in asked[40:45]]
    assert continuous(*played(walker, 8.0, asked))


def test_it_stands_up_from_any_angle_and_sits_down_again():
    """Back to the horizontal in 0.8 s, legs that were ahead over the top, then down in 0.4 s; to sit in 1 s."""
    lies = np.array([-1.2, -1.0, -2.0, 1.0, 0.5, -0.1])
    walker = Walker(lies)
    times, angle, rate = played(walker, 4.0, [(2.0, SIT_DOWN)])
    np.testing.assert_array_equal(angle[0], lies)
    back = angle[800]
    np.testing.assert_allclose(back, np.where(lies > 0, 1.5, -0.5) * np.pi)
    np.testing.assert_allclose(angle[1200], np.where(lies > 0, 2, 0) * np.pi, atol=1e-9)
    np.testing.assert_allclose(rate[500], (back - lies) / 0.8)
    np.testing.assert_allclose(wrap(angle[-1]), -0.5 * np.pi)
    assert walker.activity == "sitting" and continuous(times, angle, rate)


@pytest.mark.parametrize(
    ("offset", "turns"), [(0.0, -0.5 * np.pi), (0.7, -0.5 * np.pi - 0.7), (1.0, 1.5 * np.pi - 1.0)]
)
def test_legs_far_ahead_sit_down_over_the_front(offset, turns):
    walker = Walker(np.full(6, offset), stands=True, offset=offset)
    _, angle, _ = played(walker, 2.0, [(0.3, SIT_DOWN)])
    np.testing.assert_allclose(angle[-1] - angle[0], turns)


def test_stopping_brings_the_raised_tripod_down_and_leaves_the_other():
    walker = Walker(np.zeros(6), stands=True)
    times, angle, rate = played(walker, 2.0, [(0.0, Order(rhex_gaits.gait(2))), (0.5, STAND)])
    stop = 0.265 * 2  # the half cycle in which it was asked to stand
    k = round(stop / DT)
    assert walker.activity == "standing"
    still = rate[k + 5 : k + 250]
    np.testing.assert_allclose(still[:, EVEN], 0.0, atol=1e-12)  # c = 1/2: tripod A is down
    np.testing.assert_allclose(still[:, ~EVEN], -np.pi / 0.265)
    np.testing.assert_allclose(wrap(angle[-1]), 0.0, atol=1e-12)


def test_sticks_start_at_a_quarter_and_stop_below_a_tenth():
    assert order(0.24) == STAND and order(0.24, walking=True).gait == rhex_gaits.gait(0.72)
    assert order(-0.25).gait == rhex_gaits.gait(0.75, "backward") and order(0.05, walking=True) == STAND
    assert order(0.0, -1.0).gait == rhex_gaits.gait(3, "right") and order(1.0, 1.0).gait == rhex_gaits.gait(3, turn=1)
    with pytest.raises(ValueError, match="the turn of RHex must lie from -1 to 1, got 2"):
        order(0.0, 2.0)


def test_a_compensation_changes_every_half_cycle():
    lean = [0.0]
    walker = Walker(np.zeros(6), stands=True, compensate=lambda gait: replace(gait, rear_lean=lean[0]))
    walker.order = Order(rhex_gaits.gait(2))
    played(walker, 0.3)
    lean[0] = -0.1
    played(walker, 1.0, begin=0.3)
    assert walker.gait.rear_lean == -0.1


def test_it_walks_at_once_where_a_tripod_is_up_already_and_else_puts_raised_legs_down():
    up = np.where(EVEN, 0.05, -3.3)
    walker = Walker(up, stands=True)
    walker.order = Order(rhex_gaits.gait(2))
    times, angle, rate = played(walker, 2.0)
    later = times >= 0.265
    expected = rhex_gaits.gait(2).clock()(times)[0]
    np.testing.assert_allclose(wrap(angle - expected)[later], 0.0, atol=1e-9)
    assert continuous(times, angle, rate)
    standing = Walker(up, stands=True)
    times, angle, rate = played(standing, 0.5)
    assert continuous(times, angle, rate) and np.abs(rate).max() < 9.0
    np.testing.assert_allclose(wrap(angle[-1]), 0.0, atol=1e-12)
