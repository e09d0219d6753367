"""RHex's table of gaits: its rows, what lies between them, its directions and turns, and the triwheel."""

import numpy as np
import pytest

from tarsus.analytic.clock import RIGHT
from tarsus.analytic.rhex_gaits import SETTINGS, commanded, gait, setting, triwheel


def test_whole_settings_are_rows_of_the_table():
    for k, row in enumerate(SETTINGS):
        assert setting(k) == row
        walk = gait(k)
        slow, fast = (
            walk.sweep_angle / walk.slow_time,
            (2 * np.pi - row.sweep_angle) / (walk.cycle_time - walk.slow_time),
        )
        assert walk.leg_offset == -row.forward_offset  # phi_o is the direction times the library's
        assert (slow, fast) == pytest.approx([(0.970, 20.21), (1.107, 22.87), (2.116, 27.92), (2.352, 23.95)][k], 1e-3)


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        (0.25, (0.825, 0.689375, 0.608175, -0.15, 0.1425, 0.09)),
        (0.5, (0.665, 0.6563, 0.6545, -0.1625, 0.15, 0.1)),
        (-0.8, (0.53, 0.59756, 0.6981, -0.175, 0.146, 0.11)),
        (1.0, SETTINGS[3][:6]),
    ],
)
def test_commands_interpolate_every_column(command, expected):
    assert commanded(command)[:6] == pytest.approx(expected, abs=1e-12)


def test_directions_have_their_own_offsets_and_turns_shift_the_sides():
    assert gait(2).leg_offset == 0.175 and gait(2, "backward").leg_offset == 0.15
    assert gait(2, "left").leg_offset == gait(2, "left", turn=1.0).clock().leg_offset.max() == 0.0
    right = gait(2, turn=-1.0).clock().leg_offset  # the left side's legs reach farther back
    np.testing.assert_allclose(right, 0.175 + np.where(RIGHT, -0.113, 0.113))
    assert gait(2, turn=-0.5).offset_difference == 0.0565


def test_the_triwheel_turns_evenly_and_bends_its_profile_to_turn():
    fast, slow = triwheel(1.0), triwheel(0.0)
    assert (fast.cycle_time, slow.cycle_time) == pytest.approx((0.3, 2.0))
    assert triwheel(0.5).cycle_time == pytest.approx(1 / (0.5 / 2.0 + 0.5 / 0.3))
    time = np.linspace(0, 0.6, 50)
    np.testing.assert_allclose(fast.clock()(time)[1], -2 * np.pi / 0.3)
    right = triwheel(1.0, -1.0).clock().sweep_angle
    np.testing.assert_allclose(right, np.pi + np.where(RIGHT, -0.1, 0.1))
    assert triwheel(-1.0).heading == "backward"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: setting(3.01), "the speed setting of RHex must lie from 0 to 3, got 3.01"),
        (lambda: setting(-1), "lie from 0 to 3"),
        (lambda: setting(float("nan")), "lie from 0 to 3"),
        (lambda: commanded(1.5), "the command of RHex must lie from -1 to 1, got 1.5"),
        (lambda: gait(2, turn=2), "the turn of RHex must lie from -1 to 1, got 2"),
        (lambda: triwheel(-2), "the command of RHex must lie from -1 to 1"),
        (lambda: gait(2, "up"), "unknown heading 'up'"),
    ],
)
def test_what_the_table_does_not_have_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
