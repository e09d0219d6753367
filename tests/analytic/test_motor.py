"""Motor and battery against the documents' numbers and against power balance."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tarsus.analytic.battery import BOOKKEEPINGS, HOUR, Battery, lifetime
from tarsus.analytic.motor import MX_64, MX_106, Motor

torques, speeds = st.floats(-10, 10), st.floats(-100, 100)


def test_limit_line_runs_from_stall_torque_to_no_load_speed():
    motor = Motor()
    assert motor.no_load_speed == pytest.approx(34.907, abs=5e-4)
    np.testing.assert_allclose(motor.torque_limits(0.0), (-3, 3))
    np.testing.assert_allclose(motor.torque_limits(0.5 * motor.no_load_speed), (-3, 1.5))
    np.testing.assert_allclose(motor.torque_limits(-0.5 * motor.no_load_speed), (-1.5, 3))
    np.testing.assert_allclose(motor.torque_limits(motor.no_load_speed), (-3, 0), atol=1e-12)


def test_far_beyond_the_no_load_speed_the_motor_brakes_with_all_it_has():
    motor = Motor()
    np.testing.assert_allclose(motor.torque_limits(5 * motor.no_load_speed), (-3, -3))
    np.testing.assert_allclose(motor.torque_limits(-5 * motor.no_load_speed), (3, 3))


@given(torque=torques, speed=speeds)
def test_limit_is_the_documents_rule_up_to_the_no_load_speed(torque, speed):
    """Driving: |tau| <= 3 (1 - |w| / w0); braking: |tau| <= 3."""
    motor = Motor()
    if abs(speed) > motor.no_load_speed:
        return
    driving = torque * speed > 0
    bound = motor.max_torque * (1 - abs(speed) / motor.no_load_speed) if driving else motor.max_torque
    assert motor.limit(torque, speed) == pytest.approx(np.sign(torque) * min(abs(torque), bound), abs=1e-12)


@given(torque=torques, speed=speeds)
def test_motor_is_odd(torque, speed):
    motor = Motor()
    assert motor.limit(-torque, -speed) == pytest.approx(-motor.limit(torque, speed), abs=1e-12)


def test_stall_current_and_voltage_are_the_documents():
    motor = Motor()
    assert motor.current(3.0) == pytest.approx(6.13, abs=0.01)
    assert motor.voltage(3.0, 0.0) == pytest.approx(8.2, abs=0.03)
    assert motor.voltage(0.0, motor.no_load_speed) == pytest.approx(17.1, abs=0.03)


@pytest.mark.parametrize(
    ("servo", "torque", "current", "rpm"), [(MX_64, 6.0, 4.1, 63), (MX_106, 8.4, 5.2, 45)], ids=["MX-64", "MX-106"]
)
def test_servos_are_their_data_sheets_at_12_volts(servo, torque, current, rpm):
    speed = rpm * np.pi / 30
    assert servo.current(torque) == pytest.approx(current)
    assert servo.voltage(torque, 0.0) == pytest.approx(12.0)
    assert servo.voltage(0.0, speed) == pytest.approx(12.0)
    np.testing.assert_allclose(servo.torque_limits(speed), (-torque, 0.0), atol=1e-12)
    np.testing.assert_allclose(servo.torque_limits(0.0), (-torque, torque))


@given(torque=torques, speed=speeds)
def test_electrical_power_is_mechanical_power_and_heat(torque, speed):
    """The two motor constants are each other's inverse to 0.2 %, so power balances to that."""
    motor = Motor()
    current = motor.current(torque)
    electrical, heat = motor.voltage(torque, speed) * current, motor.armature_resist * current**2
    assert electrical - heat == pytest.approx(torque * speed, rel=0.002, abs=1e-9)


@pytest.mark.parametrize("name", ["max_torque", "gear", "armature_resist"])
def test_impossible_motors_are_refused(name):
    with pytest.raises(ValueError, match=f"{name} of a motor must be positive"):
        Motor(**{name: 0.0})


def test_battery_lasts_as_its_data_sheet_says():
    small = Battery()
    np.testing.assert_allclose(small.discharge_time(np.array([0.11, 1.0, 2.0])) / HOUR, [20, 1.375, 0.593], rtol=1e-3)
    assert small.discharge_time(1.65) / 60 == pytest.approx(45, abs=0.2)
    large = Battery(capacity=2.6 * HOUR, exponent=1.206)
    assert large.discharge_time(1.98) / 60 == pytest.approx(45, abs=0.5)
    assert small.discharge_time(0.0) == np.inf


@given(current=st.lists(st.floats(0, 6), min_size=6, max_size=6), duty=st.floats(0, 1))
def test_bookkeepings_are_ordered(current, duty):
    """Full voltage drains most; charging each motor by its own duty drains least."""
    battery = Battery()
    voltage = duty * 12.0 * np.linspace(0, 1, 6)
    manual, report, physical = (battery.drain_rate(current, voltage, name) for name in BOOKKEEPINGS)
    assert physical <= report * (1 + 1e-12)
    assert report <= manual * (1 + 1e-12)


def test_bookkeepings_agree_at_full_voltage_and_ignore_signs():
    battery = Battery()
    current, voltage = np.array([1.0, -0.5, 0, 0, 0.2, 0]), np.array([12.0, -15, 12, 12, -12, 12])
    rates = [battery.drain_rate(current, voltage, name) for name in BOOKKEEPINGS]
    np.testing.assert_allclose(rates, 1 / battery.discharge_time(1.7))


def test_half_the_duty_is_half_the_physical_current():
    battery = Battery()
    assert battery.drain_rate([2.0], [6.0]) == pytest.approx(1 / battery.discharge_time(1.0))
    assert battery.drain_rate([2.0], [6.0], "report") == pytest.approx(0.5 / battery.discharge_time(2.0))
    assert battery.drain_rate([2.0], [6.0], "manual") == pytest.approx(1 / battery.discharge_time(2.0))


def test_lifetime_of_a_constant_drain_is_the_discharge_time():
    battery = Battery()
    time = np.linspace(0, 10, 11)
    rate = np.full(11, battery.discharge_rate(1.0))
    assert lifetime(time, rate) == pytest.approx(battery.discharge_time(1.0))
    long = np.linspace(0, 2 * battery.discharge_time(1.0), 1001)
    assert lifetime(long, np.full(1001, rate[0])) == pytest.approx(battery.discharge_time(1.0))
    assert lifetime(time, 0 * rate) == np.inf


def test_lifetime_counts_from_the_first_time():
    time = np.linspace(3, 7, 4001)
    drain = np.where(time < 5, 0.25, 1.0)  # half in two seconds, the other half in half a second
    assert lifetime(time, drain) == pytest.approx(2.5, abs=1e-3)
    assert lifetime(time[time < 5], drain[time < 5]) == pytest.approx(4.0)


def test_bad_batteries_are_refused():
    with pytest.raises(ValueError, match="unknown bookkeeping 'double'; there are manual, report, physical"):
        Battery().drain_rate([1.0], [1.0], "double")
    with pytest.raises(ValueError, match="capacity of a battery must be positive"):
        Battery(capacity=-1.0)
