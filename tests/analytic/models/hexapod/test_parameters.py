"""The hexapod's parameters are Table 2's, and its leg kinematics the report's."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tarsus.analytic.models.hexapod import (
    ROBOTS,
    HexapodParams,
    element_symbols,
    leg_angles,
    leg_vector,
    robot,
    start_height,
    with_symbols,
)
from tarsus.analytic.terrain import Sinusoid, Sloped

TABLE_2 = {
    "body_mass": 6, "leg_mass": 0.01, "friction_coeff": 0.5, "q_rt": 0.18, "q_rl": 0.181, "g": 10, "max_torque": 3,
    "max_speed": 10000, "speed_constant": 61.261056, "torque_constant": 16.3e-3, "armature_resist": 1.34,
    "torque_loss": 0.5, "terrain_type": "flat", "terrain_arg1": 0.03, "terrain_arg2": 15, "terrain_arg3": 15,
    "control_type": "open-loop", "KP": 10, "KD": 0.5, "cycle_time": 1, "sweep_angle": 0.75, "flight_time": 0.4,
    "leg_offset": 0, "grid_xsize": 5, "grid_ysize": 5, "grid_xsteps": 50, "grid_ysteps": 50, "framerate": 120,
    "frame_width": 640, "frame_height": 480,
}  # fmt: skip


@pytest.mark.parametrize("name", TABLE_2)
def test_defaults_are_table_2(name):
    assert getattr(HexapodParams(), name) == TABLE_2[name]


def test_arrays_are_table_2_with_the_misprints_put_right():
    params = HexapodParams()
    np.testing.assert_array_equal(params.rho_k, [500, 1000, 500, 500, 1000, 500])
    np.testing.assert_array_equal(params.rho_d, [10, 20, 10, 10, 20, 10])
    np.testing.assert_array_equal(params.rho_r0, [0.2] * 6)
    np.testing.assert_array_equal(params.theta_k, [100, 200, 100, 100, 200, 100])
    np.testing.assert_array_equal(params.theta_d, [0.4, 0.8, 0.4, 0.4, 0.8, 0.4])
    np.testing.assert_array_equal(params.theta_r0, [0.2, 0.2, 0.2, -0.2, -0.2, -0.2])
    np.testing.assert_array_equal(params.attach[:, 0], [0.1] * 3 + [-0.1] * 3)
    np.testing.assert_array_equal(params.attach[:, 1], [-0.2, 0, 0.2] * 2)  # erratum 1: leg 4 in the middle
    np.testing.assert_array_equal(params.J, np.diag([0.2, 0.08, 0.4]))
    assert 1 / params.gear_ratio == pytest.approx(30)  # erratum 18


def test_derived_values_follow_a_change():
    params = replace(HexapodParams(), body_mass=8.0, gear_ratio=1 / 33)
    assert params.total_mass == pytest.approx(8.06)
    assert params.motor.no_load_speed == pytest.approx(10000 * np.pi / 30 / 33)
    assert HexapodParams(flight_time=0.25).gait.slow_time == 0.75
    assert HexapodParams(terrain_type="sloped", terrain_arg1=0, terrain_arg2=0.2, terrain_arg3=0).terrain == Sloped(
        0, 0.2
    )
    assert HexapodParams(terrain_type="sinusoid").terrain == Sinusoid(0.03, 15, 15)


def test_rhex_is_the_robot_of_the_authors_files():
    params = HexapodParams.rhex()
    assert params.total_mass == pytest.approx(7.03)
    right = {
        **{"rho_k": (1200, 1600, 1200), "rho_d": (12, 16, 12), "rho_r0": (0.17,) * 3},
        **{"theta_k": (300, 400, 300), "theta_d": (0.12, 0.16, 0.12), "theta_r0": (0.05,) * 3},
    }
    for name, values in right.items():
        left = -1 if name == "theta_r0" else 1
        np.testing.assert_array_equal(getattr(params, name), [*values, *(left * value for value in values)])
    np.testing.assert_array_equal(params.J, np.diag([0.09917, 0.02917, 0.117]))
    assert (params.g, params.friction_coeff, params.KP, params.KD) == (9.81, 0.5, 24.03, 0.6727)
    assert np.ptp(params.attach[:, 0]) == 0.3  # the middle hips are 5 cm wider than the others
    np.testing.assert_array_equal(params.attach[3:], params.attach[:3] * [-1, 1, 1])
    moments = np.diag(params.J)
    assert moments[0] + moments[1] > moments[2]  # a body of positive masses, as Table 2's is not (erratum 2)
    assert params.rho_r0[0] == params.q_rt < params.q_rl
    motor = params.motor
    assert motor.no_load_speed == pytest.approx(31.673, abs=1e-3)
    assert motor.current(1.0) == pytest.approx(1.87862, abs=1e-5)  # A per N m of a hip
    assert (motor.voltage(1.0, 0.0), motor.voltage(0.0, 1.0)) == pytest.approx((2.51735, 0.59714), abs=1e-5)
    gait = params.gait
    assert (gait.slow_time, gait.sweep_angle, gait.leg_offset) == pytest.approx((0.32998, 0.6981, 0.175), abs=1e-5)


@pytest.mark.parametrize(
    "motor, torque, speed", [("file", 4, 31.67), ("voltage", 9.534, 40.19), ("drive", 6.142, 40.19)]
)
def test_the_motors_of_rhex_are_limited_as_their_source_says(motor, torque, speed):
    params = HexapodParams.rhex(motor)
    assert (params.max_torque, params.motor.no_load_speed) == pytest.approx((torque, speed), abs=5e-3)


def test_robots_have_names():
    assert robot("rhex").max_torque == robot("rhex-file").max_torque == 4
    assert robot("table2").body_mass == 6 and robot(own := HexapodParams(body_mass=8)) is own
    assert all(isinstance(robot(name), HexapodParams) for name in ROBOTS)
    with pytest.raises(ValueError, match="unknown robot 'rex'; there are table2, rhex, rhex-file"):
        robot("rex")
    with pytest.raises(ValueError, match="unknown motor 'fast' of RHex; there are file, voltage, drive"):
        HexapodParams.rhex("fast")


@pytest.mark.parametrize("name, value, need", [("supply_voltage", -24, "positive"), ("drive_resist", -1, "not be neg")])
def test_a_negative_supply_is_refused(name, value, need):
    with pytest.raises(ValueError, match=f"{name} must .*{need}"):
        HexapodParams(**{name: value})


def test_symbols_set_single_elements_by_the_manuals_names():
    symbols = {"rho1_k": 900, "attach4_y": 0.2, "J_33": 0.28, "KP": "12", "terrain_type": "sinusoid", "theta_d": 0.1}
    params = with_symbols(HexapodParams(), symbols)
    assert params.rho_k[1] == 900 and params.rho_k[0] == 500
    assert params.attach[4, 1] == 0.2 and params.J[2, 2] == 0.28
    assert params.KP == 12.0 and params.terrain == Sinusoid()
    np.testing.assert_array_equal(params.theta_d, [0.1] * 6)
    assert len(element_symbols()) == 6 * 6 + 18 + 9


def test_unknown_symbol_lists_what_exists():
    with pytest.raises(ValueError, match="unknown hexapod parameter 'rho6_k'; there are body_mass, .*rho0_k"):
        with_symbols(HexapodParams(), {"rho6_k": 1})


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ({"body_mass": 0.0}, "body_mass must be positive, got 0.0"),
        ({"leg_mass": -0.01}, "leg_mass must be positive"),
        ({"body_mass": float("nan")}, "body_mass of HexapodParams must be finite, got nan"),
        ({"friction_coeff": -0.1}, "friction_coeff must not be negative"),
        ({"rho_k": np.ones(5)}, r"rho_k must have shape \(6,\), got \(5,\)"),
        ({"rho_k": np.r_[np.ones(5), 0]}, "rho_k must be positive"),
        ({"attach": np.zeros((3, 6))}, r"attach must have shape \(6, 3\)"),
        ({"J": np.diag([1, 1, -1])}, "J must be symmetric and positive definite"),
        ({"J": np.array([[1, 0.1, 0], [0, 1, 0], [0, 0, 1]])}, "J must be symmetric"),
        ({"flight_time": 1.0}, "flight_time must lie between 0 and cycle_time"),
    ],
)
def test_impossible_parameters_are_refused(bad, message):
    with pytest.raises(ValueError, match=message):
        HexapodParams(**bad)


def test_arrays_are_read_only_and_not_shared():
    params = HexapodParams()
    with pytest.raises(ValueError, match="read-only"):
        params.rho_k[0] = 1.0
    mine = np.full(6, 700.0)
    params = HexapodParams(rho_k=mine)
    mine[0] = 1.0
    assert params.rho_k[0] == 700.0


@given(theta=st.floats(-1.5, 1.5), phi=st.floats(-3.1, 3.1), rho=st.floats(0.05, 0.3))
def test_leg_angles_invert_the_leg_vector(theta, phi, rho):
    v = leg_vector(theta, phi, rho)
    assert np.linalg.norm(v) == pytest.approx(rho)
    np.testing.assert_allclose(leg_angles(v), (theta, phi, rho), atol=1e-9)


def test_leg_directions_are_the_conventions():
    np.testing.assert_allclose(leg_vector(0, 0, 0.2), [0, 0, -0.2], atol=1e-15)  # straight down
    np.testing.assert_allclose(leg_vector(0, np.pi / 2, 0.2), [0, 0.2, 0], atol=1e-15)  # phi swings it forward
    np.testing.assert_allclose(leg_vector(np.pi / 2, 0, 0.2), [0.2, 0, 0], atol=1e-15)  # theta splays it to the right


def test_start_height_is_that_of_the_splayed_leg():
    params = HexapodParams()
    phi = np.array([0, np.pi] * 3)
    assert start_height(params, params.terrain, phi) == pytest.approx(0.196013, abs=5e-7)
    raised = Sinusoid(0.01, 1.0, 1.0)
    toes = params.attach + leg_vector(params.theta_r0, phi, params.rho_r0) + [0.5, 0.3, 0]
    z = start_height(params, raised, phi, (0.5, 0.3))
    assert np.min(z + toes[:, 2] - raised.height(toes[:, 0], toes[:, 1])) == pytest.approx(0.0, abs=1e-15)
