"""Motor and battery against the documents' numbers and against power balance."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tarsus.analytic.battery import BOOKKEEPINGS, HOUR, Battery, lifetime
from tarsus.analytic.models.hexapod import HexapodParams
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


@pytest.mark.parametrize("motor", [Motor(), HexapodParams.rhex().motor, MX_64], ids=["table2", "rhex", "MX-64"])
@given(torque=torques, speed=speeds)
def test_the_books_close_with_the_loss_of_the_constants(motor, torque, speed):
    current = motor.current(torque)
    spent = motor.armature_heat(current) + torque * speed + motor.constant_loss(torque, speed)
    assert motor.voltage(torque, speed) * current == pytest.approx(spent, rel=1e-12, abs=1e-9)


def test_of_the_work_of_rhexs_back_emf_a_tenth_never_reaches_the_hip():
    motor = HexapodParams.rhex().motor
    assert motor.constant_loss(2.0, 5.0) / (10.0 + motor.constant_loss(2.0, 5.0)) == pytest.approx(0.109, abs=1e-3)


@given(torque=st.floats(-6, 6), speed=st.floats(-40, 40))
def test_the_supply_gives_what_terminals_and_drive_take(torque, speed):
    """v = D V_s - |D| r_d i, and the bus current is D i (RHexLib, doc/hardwarelibs.tex)."""
    motor = HexapodParams.rhex("drive").motor
    torque = motor.limit(torque, speed)
    current, voltage = motor.current(torque), motor.voltage(torque, speed)
    duty = motor.duty(current, voltage)
    assert duty * 24.0 - abs(duty) * 0.75 * current == pytest.approx(voltage, abs=1e-9)
    drawn = 24.0 * duty * current
    assert voltage * current + motor.drive_loss(current, voltage) == pytest.approx(drawn, abs=1e-9)


@pytest.mark.parametrize("name", ["voltage", "drive"])
@pytest.mark.parametrize("speed", [0.0, 10.0, -30.0, 40.0])
def test_the_limit_of_a_motor_without_another_is_full_duty(name, speed):
    motor = HexapodParams.rhex(name).motor
    torque = motor.limit(np.copysign(50.0, speed), speed)
    current, voltage = motor.current(torque), motor.voltage(torque, speed)
    left = motor.supply_voltage - np.sign(voltage) * motor.drive_resist * current
    assert voltage / left == pytest.approx(np.copysign(1.0, speed), rel=1e-12)


def test_an_ideal_drive_loses_nothing_and_a_negative_one_is_refused():
    assert Motor().drive_loss(5.0, 9.0) == 0.0 and Motor().duty(5.0, -6.0) == -0.5
    with pytest.raises(ValueError, match="drive_resist of a motor must be positive"):
        Motor(drive_resist=-0.1)


@pytest.mark.parametrize("name", ["max_torque", "gear", "armature_resist", "supply_voltage"])
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


def test_a_diode_keeps_what_regeneration_gives_back():
    battery = Battery(nominal_voltage=24.0)
    current, voltage = np.array([[2.0, -1.0], [2.0, -3.0]]), np.array([[12.0, 12.0], [6.0, 12.0]])  # +12 W, -24 W
    draw, charge = battery.discharge_rate(0.5), 1.0 / battery.capacity
    np.testing.assert_allclose(battery.drain_rate(current, voltage, "diode"), [draw, 0.0])
    np.testing.assert_allclose(battery.drain_rate(current, voltage, "regenerative"), [draw, -charge])
    loss = np.array([12.0, 0.0])
    np.testing.assert_allclose(battery.drain_rate(current, voltage, "diode", loss), [1 / battery.discharge_time(1), 0])


def test_a_battery_that_is_charged_lasts_for_ever_or_until_it_was_empty():
    time = np.linspace(0, 4, 4001)
    assert lifetime(time, np.full(4001, -0.1)) == np.inf
    assert lifetime(time, np.where(time < 3, 0.5, -1.0)) == pytest.approx(2.0, abs=1e-3)


def test_lead_packs_last_a_quarter_of_an_hour_at_what_rhex_draws():
    battery = Battery(nominal_voltage=24.0)
    minutes = battery.discharge_time(np.array([1.86, 1.95, 4.07, 2.76])) / 60
    np.testing.assert_allclose(minutes, [39, 37, 15.0, 24], atol=0.5)


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
