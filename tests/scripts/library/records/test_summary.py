"""Records made by hand, whose numbers are known without the functions under test."""

import numpy as np
import pytest

from tarsus.analytic import terrain
from tarsus.analytic.clock import TripodGait
from tarsus.analytic.models.hexapod import HexapodParams
from tarsus.scripts.library.records import record, summary

GAIT = TripodGait(cycle_time=1.0, slow_time=0.6)
WEIGHT = 6.06 * 10.0  # [N]


def turned(angle, axis):
    """Quaternions of rotations about an axis, shape (n, 4)."""
    return np.stack([np.cos(angle / 2), *(np.sin(angle / 2) * part for part in axis)], axis=-1)


def made(seconds=10.0, dt=1e-2, ground=None, params=None, **changes):
    """A record of a robot that does nothing, with some variables given as functions of time."""
    time = np.arange(round(seconds / dt) + 1) * dt
    sizes = {"time": len(time), "leg": 6, "axis": 3, "quat": 4}
    variables = {
        name: np.zeros([sizes[dim] for dim in dims], bool if name in record.BOOLEAN else float)
        for name, (dims, _, _) in record.layout_of("hexapod").schema.items()
    }
    variables["body_orientation"][:, 0] = 1.0
    for name, function in changes.items():
        variables[name][...] = function(time)
    ground = terrain.Flat() if ground is None else ground
    attrs = record.describe("by hand", "reached the end", "none", params or HexapodParams(), GAIT, ground)
    return record.build(time, variables, attrs)


def walking(speed):
    """Positions of a body that sways within a stride of 1 s and advances by `speed` per stride along y."""

    def position(t):
        zeros = np.zeros_like(t)
        return np.stack([zeros, speed * t + 0.01 * np.sin(2 * np.pi * t), zeros + 0.17], axis=-1)

    return position


def test_means_are_over_whole_strides_after_settling():
    over = summary.window(made(seconds=10.4))
    assert (over.start, over.stop, over.n_strides) == (3.0, 10.0, 7)


def test_a_run_too_short_to_settle_is_taken_from_its_start():
    over = summary.window(made(seconds=2.5))
    assert (over.start, over.stop, over.n_strides) == (0.0, 2.0, 2)
    assert summary.window(made(seconds=0.5)).n_strides == 0


def test_speed_and_stride_do_not_see_the_sway():
    result = summary.summarise(made(body_position=walking(0.25)))
    assert result.speed == pytest.approx(0.25, rel=1e-9)
    assert result.stride_length == pytest.approx(0.25, rel=1e-9)
    assert result.height == pytest.approx(0.17)


def test_backward_is_negative():
    assert summary.summarise(made(body_position=walking(-0.1))).speed == pytest.approx(-0.1)


def test_speed_is_along_the_slope():
    slope = terrain.Slope(0.0, 0.75)  # 3 : 4 : 5

    def position(t):
        return np.stack([0 * t, 0.4 * t, 0.3 * t + 0.2], axis=-1)

    result = summary.summarise(made(ground=slope, body_position=position))
    assert result.speed == pytest.approx(0.5)
    assert result.height == pytest.approx(0.2)


def test_yaw_rate_and_speed_of_a_circle():
    rate, radius = -0.3, 2.0

    def position(t):
        return np.stack([radius * (1 - np.cos(rate * t)) * -1, radius * np.sin(rate * t), 0 * t], axis=-1) * -1

    def orientation(t):
        return turned(rate * t, (0, 0, 1))

    result = summary.summarise(made(body_position=position, body_orientation=orientation))
    assert result.yaw_rate == pytest.approx(rate)
    assert result.speed == pytest.approx(2 * radius * np.sin(0.15), rel=1e-9)  # the chord of a stride


def test_tilt_and_pitch():
    nose_up = made(body_orientation=lambda t: turned(0.2 * np.sin(t), (1, 0, 0)))
    np.testing.assert_allclose(summary.pitch(nose_up), 0.2 * np.sin(nose_up["time"]), atol=1e-12)
    assert summary.summarise(nose_up).max_tilt == pytest.approx(0.2, rel=1e-4)
    turned_left = made(body_orientation=lambda t: turned(0.5 + 0 * t, (0, 0, 1)))
    np.testing.assert_allclose(summary.yaw(turned_left), 0.5)
    assert summary.summarise(turned_left).max_tilt == 0


def test_duty_factor_is_the_share_of_time_in_contact():
    def contact(t):
        return (np.mod(t + 1e-9, 1.0) < 0.6)[:, None] & (np.arange(6) % 2 == 0)

    duty = summary.summarise(made(foot_contact=contact)).duty_factor
    np.testing.assert_allclose(duty, [0.6, 0, 0.6, 0, 0.6, 0], atol=1e-9)


def test_costs_of_transport():
    """Each of six hips drives with 1 W for half of the time and brakes with 0.5 W for the other half."""

    def torque(t):
        return np.where(np.mod(t + 1e-9, 1.0) < 0.5, 1.0, -0.5)[:, None]

    result = summary.summarise(
        made(
            body_position=walking(0.25),
            hip_torque=torque,
            hip_speed=lambda t: np.ones((len(t), 1)),
            motor_current=lambda t: 2 * torque(t),
            motor_voltage=lambda t: np.full((len(t), 1), 3.0),
        )
    )
    per_watt = 1 / (WEIGHT * 0.25)
    assert result.cot_positive == pytest.approx(6 * 0.5 * per_watt)
    assert result.cot_absolute == pytest.approx(6 * 0.75 * per_watt)
    assert result.cot_electrical == pytest.approx(6 * 0.5 * 6.0 * per_watt)
    assert result.peak_torque == 1.0
    assert result.rms_torque == pytest.approx(np.sqrt(0.5 * (1 + 0.25)))
    assert result.current == pytest.approx(6 * (2.0 + 1.0) / 2)


def test_no_way_costs_infinitely_much():
    standing = made(hip_torque=lambda t: np.ones((len(t), 1)), hip_speed=lambda t: np.ones((len(t), 1)))
    assert summary.summarise(standing).cot_positive == np.inf


def test_saturated_share():
    def command(t):
        return np.where(np.mod(t + 1e-9, 1.0) < 0.1, 4.0, 1.0)[:, None] * [1, 0, 0, 0, 0, 0]

    result = summary.summarise(made(torque_command=command, hip_torque=lambda t: np.minimum(command(t), 3.0)))
    assert result.saturated == pytest.approx(0.1 / 6)


def test_battery_life_under_the_three_bookkeepings():
    """The specification's T(1 A) = 1.375 h, and the same for the share of the voltage that is on."""
    record_of_load = made(
        motor_current=lambda t: np.full((len(t), 1), 1 / 6), motor_voltage=lambda t: 6.0 + 0 * t[:, None]
    )
    life = summary.summarise(record_of_load).battery_life
    assert life["manual"] / 3600 == pytest.approx(1.375, rel=1e-3)
    assert life["report"] == pytest.approx(2 * life["manual"])
    assert life["physical"] == pytest.approx(2**1.213 * life["manual"])


def test_feet_slide_only_while_loaded_and_only_along_the_ground():
    slope = terrain.Slope(0.0, 0.75)

    def foot(t):
        slides = np.mod(t, 1.0)[:, None] * 0.01  # 10 mm per stride, and back at its end
        sinks = 0.002 * np.sin(40 * t)[:, None]
        along, normal = np.array([0, 0.8, 0.6]), np.array([0, -0.6, 0.8])
        return (slides[..., None] * along + sinks[..., None] * normal) * np.ones((1, 6, 1))

    def contact(t):
        return (np.mod(t + 1e-9, 1.0) < 0.5)[:, None] & (np.arange(6) != 5)

    slip = summary.summarise(made(dt=1e-3, ground=slope, foot_position=foot, foot_contact=contact)).foot_slip
    np.testing.assert_allclose(slip, [5e-3] * 5 + [0.0], rtol=5e-3)


def driven(motor, **changes):
    """RHex at 0.5 m/s; each hip drives with 2 N m for half of the time and brakes with 1 N m for the other."""
    params = HexapodParams.rhex(motor)
    torque, speed = np.array([2.0, -1.0]), 5.0
    current, voltage = params.motor.current(torque), params.motor.voltage(torque, speed)

    def halves(values):
        return lambda t: np.where(np.mod(t + 1e-9, 1.0) < 0.5, *values)[:, None]

    variables = {"hip_torque": torque, "hip_speed": (speed, speed), "motor_current": current, "motor_voltage": voltage}
    variables = {name: halves(values) for name, values in variables.items()} | {"body_position": walking(0.5)}
    return current, voltage, summary.summarise(made(params=params, **variables | changes))


def test_electric_power_and_where_it_goes():
    current, voltage, result = driven("file")
    found, power = result.electric, 6 * current * voltage
    assert power[1] < 0 < power[0]
    assert (found.drawn, found.net) == pytest.approx((0.5 * power[0], power.mean()))
    assert found.mechanical == pytest.approx(6 * 0.5 * (10 - 5))
    assert found.armature_heat == pytest.approx(6 * 1.34 * np.mean(current**2))
    assert found.net == pytest.approx(found.armature_heat + found.mechanical / (0.0161 * 55.3685), rel=1e-12)
    assert found.constant_loss == pytest.approx(found.net - found.armature_heat - found.mechanical)
    assert found.drive_loss == 0 and found.power == found.drawn
    carried = 7.03 * 9.81 * 0.5
    assert found.specific_resistance == pytest.approx(found.drawn / carried) == pytest.approx(result.cot_electrical)
    assert found.specific_resistance_net == pytest.approx(found.net / carried)
    assert found.bus_current == pytest.approx(found.drawn / 24)
    assert "file of RHex: 4 N m" in found.motor


def test_the_drive_takes_its_part():
    current, voltage, result = driven("drive")
    found = result.electric
    duty = np.abs(voltage) / (24 - np.sign(voltage) * 0.75 * current)
    assert found.drive_loss == pytest.approx(6 * np.mean(duty * 0.75 * current**2))
    assert found.power == pytest.approx(found.drawn + found.drive_loss)
    carried = 7.03 * 9.81 * 0.5
    assert found.specific_resistance == pytest.approx(found.power / carried)
    assert found.specific_resistance_net == pytest.approx((found.net + found.drive_loss) / carried)


def test_a_robot_that_makes_no_way_or_has_no_weight_has_no_specific_resistance():
    _, _, still = driven("file", body_position=walking(0.0009))
    assert still.electric.specific_resistance is None and still.electric.specific_resistance_net is None
    assert "none: no way made, or no weight" in summary.text(summary.lines(still))


def test_the_lines_name_every_number():
    text = "\n".join(f"{name} {value}" for name, value in summary.lines(summary.summarise(made())))
    for words in (
        "mean speed",
        "stride",
        "duty",
        "cost of transport",
        "RMS",
        "limit",
        "current",
        "battery",
        "slip",
        "specific",
    ):
        assert words in text
