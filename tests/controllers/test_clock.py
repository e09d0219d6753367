"""Controllers: commands the short way round, and the clock as a policy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tarsus.analytic.clock import TripodGait
from tarsus.controllers import pd
from tarsus.controllers.clock import ClockController, ClockPolicy

angles = st.floats(-50, 50)


@given(reference=angles, angle=angles)
def test_nearest_turn_is_the_reference_within_half_a_turn(reference, angle):
    near = pd.nearest_turn(reference, angle)
    assert abs(near - angle) <= np.pi + 1e-9
    assert (near - reference) / (2 * np.pi) == pytest.approx(round((near - reference) / (2 * np.pi)), abs=1e-9)


def test_torque_pulls_towards_the_reference_and_its_rate():
    assert pd.torque(0.1, 0.0, 0.0, 0.0, 10.0, 0.5) == pytest.approx(1.0)
    assert pd.torque(0.0, 2.0, 0.0, 0.0, 10.0, 0.5) == pytest.approx(1.0)
    assert pd.torque(0.0, 0.0, 0.1, 2.0, 10.0, 0.5) == pytest.approx(-2.0)
    assert pd.torque(3.0, 0.0, -3.0, 0.0, 10.0, 0.5) == pytest.approx(10 * (6 - 2 * np.pi))


def test_controller_commands_the_clock():
    gait = TripodGait()
    angle, rate = gait.clock()(0.37)
    command = ClockController(gait)(0.37, angle + 0.1)
    np.testing.assert_allclose(command[:, 0], angle)
    np.testing.assert_allclose(command[:, 1], rate)
    np.testing.assert_array_equal(command[:, 2], 0.0)
    np.testing.assert_allclose(ClockController(gait)(0.37, angle + 4 * np.pi)[:, 0], angle + 4 * np.pi)


def test_torque_policy_is_the_pd_law():
    gait = TripodGait()
    policy = ClockPolicy(gait, "torque", scale=3.0, kp=10.0, kd=0.5)
    angle, rate = gait.clock()(0.2)
    info = {"time": 0.2, "hip_angle": angle - 0.05, "hip_speed": rate - 1.0}
    np.testing.assert_allclose(policy(None, info), (0.5 + 0.5) / 3.0, rtol=1e-6)


def test_velocity_policy_takes_the_set_points_the_short_way_to_where_the_clock_will_be():
    gait, dt, scale = TripodGait(), 0.05, 8.0
    policy = ClockPolicy(gait, "velocity", ctrl_dt=dt, scale=scale)
    angle, _ = gait.clock()(0.23 + dt)
    reference = angle + np.array([0.1, -0.2, 2 * np.pi, 0.3 - 2 * np.pi, 0.0, -0.4])
    action = policy(None, {"time": 0.23, "hip_reference": reference})
    np.testing.assert_allclose(action * scale * dt, [-0.1, 0.2, 0.0, -0.3, 0.0, 0.4], atol=1e-6)


def test_gait_policy_is_minus_one_at_the_low_and_one_at_the_high_of_its_ranges():
    ranges = {"cycle_time": (1.0, 2.0), "sweep_angle": (0.25, 0.75), "leg_offset": (-1.0, 1.0)}
    action = ClockPolicy(TripodGait(), "gait", ranges=ranges)(None, {})
    np.testing.assert_array_equal(action, [-1.0, 1.0, 0.0])


def test_unknown_action_mode_is_refused():
    with pytest.raises(ValueError, match="unknown action mode 'dance'; there are velocity, torque, gait"):
        ClockPolicy(TripodGait(), "dance")
