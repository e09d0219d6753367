"""The hexapod's field, charts and contact laws against an oracle from potentials, closed forms and NumPy twins."""

import math

import numpy as np
import pytest
from hexapod_forces import exponential, forces
from hypothesis import given, settings
from hypothesis import strategies as st

from tarsus.analytic.models import ground
from tarsus.analytic.models.hexapod import HexapodParams, hybrid, leg_vector
from tarsus.analytic.models.hexapod import state as layout_of_state
from tarsus.analytic.models.hexapod.body import spin
from tarsus.analytic.models.hexapod.contact import FLIGHT, SLIDE, STICK, first_order_speed, friction, impact, loads
from tarsus.analytic.models.hexapod.control import hold
from tarsus.analytic.models.hexapod.layout import P, Variants
from tarsus.analytic.models.hexapod.leg import limit_torque, motion, place, push, rotation
from tarsus.analytic.models.hexapod.toes import N_MEMORY, with_toe_mode
from tarsus.analytic.terrain import Sinusoid

PARAMS = HexapodParams()
FIELD = {}


def functions(terrain=None, variants=None, control=None):
    key = repr((terrain, variants))
    if key not in FIELD or control is not None:
        model = hybrid.build(PARAMS, terrain, control or "hold", variants=variants)
        FIELD[key] = model, model.three
    return FIELD[key]


def random_state(seed, flat=True):
    """A body somewhere, turned and moving, its legs near their rest and moving."""
    rng = np.random.default_rng(seed)
    quaternion = rng.normal(size=4)
    joints = np.column_stack([rng.uniform(-2, 2, 6), rng.uniform(-0.4, 0.4, 6), rng.uniform(0.15, 0.22, 6)])
    x = layout_of_state.assemble(
        PARAMS, rng.normal(size=3), quaternion / np.linalg.norm(quaternion), joints,
        rng.normal(size=3), rng.normal(size=3), rng.normal(size=(6, 3)),
    )  # fmt: skip
    return x


def rates_of(x, chart, terrain=None, variants=None):
    model, three = functions(terrain, variants)
    dx = np.zeros(len(x))
    three["field"](0.3, x, np.zeros(N_MEMORY), model.p0, chart, dx)
    return model, dx


def all_forces(model, x):
    """The oracle's forces of every leg; the hips hold angle 0 with the parameters' gains, limited by the motor."""
    matrix, joints = layout_of_state.rotation_matrix(x[3:7]), layout_of_state.joints_of(PARAMS, x)
    toes, velocities = layout_of_state.toes_of(x)
    found = []
    for leg in range(6):
        (angle, _, _), (speed, _, _) = joints[0][leg], joints[1][leg]
        torque = PARAMS.motor.limit(-PARAMS.KP * angle - PARAMS.KD * speed, speed)
        k = PARAMS.rho_k[leg], PARAMS.theta_k[leg]
        d = PARAMS.rho_d[leg], PARAMS.theta_d[leg]
        rest = PARAMS.rho_r0[leg], PARAMS.theta_r0[leg]
        args = x[:3], x[7:10], matrix, x[10:13], PARAMS.attach[leg], k, d, rest, torque
        found.append(forces(toes[leg], velocities[leg], *args))
    return found


@pytest.mark.parametrize("seed", range(4))
def test_flight_is_lagranges(seed):
    x = random_state(seed)
    model, dx = rates_of(x, 0)
    found = all_forces(model, x)
    on_body = sum(force for _, force, _ in found) + [0, 0, -PARAMS.body_mass * PARAMS.g]
    moment = sum(moment for _, _, moment in found)
    np.testing.assert_allclose(dx[7:10], on_body / PARAMS.body_mass, rtol=1e-6, atol=1e-5)
    w = x[10:13]
    expected = np.linalg.solve(PARAMS.J, moment - np.cross(w, PARAMS.J @ w))
    np.testing.assert_allclose(dx[10:13], expected, rtol=1e-6, atol=1e-5)
    for leg, (on_toe, _, _) in enumerate(found):
        toe = dx[13 + 6 * leg : 19 + 6 * leg]
        np.testing.assert_array_equal(toe[:3], x[16 + 6 * leg : 19 + 6 * leg])
        np.testing.assert_allclose(toe[3:], on_toe / PARAMS.leg_mass - [0, 0, PARAMS.g], rtol=1e-6, atol=1e-3)


def test_the_quaternion_turns_with_the_body():
    x = random_state(1)
    _, dx = rates_of(x, 0)
    e = 1e-6
    later = layout_of_state.rotation_matrix(x[3:7] + e * dx[3:7])
    now = layout_of_state.rotation_matrix(x[3:7])
    np.testing.assert_allclose(later, now @ exponential(e * x[10:13]), atol=1e-11)
    assert x[3:7] @ dx[3:7] == pytest.approx(0.0, abs=1e-15)  # and keeps its length


def test_euler_with_a_full_inertia():
    J = np.array([[0.2, 0.01, -0.02], [0.01, 0.08, 0.005], [-0.02, 0.005, 0.25]])
    p = np.zeros(len(P))
    for i in range(3):
        for j in range(3):
            p[P.J_11 + 3 * i + j] = J[i, j]
    w, moment = np.array([1.0, -2.0, 3.0]), np.array([0.3, 0.1, -0.7])
    np.testing.assert_allclose(spin(p, w, moment), np.linalg.solve(J, moment - np.cross(w, J @ w)), rtol=1e-13)


def test_power_of_the_push_is_that_of_springs_and_motor():
    for seed in range(20):
        x = random_state(seed)
        model, _ = functions()
        R = rotation(x)
        at = place(x, model.p0, 3, R)
        rho_rate, theta_rate, phi_rate = motion(x, R, at, *x[34:37])
        q = push(at, 7.0, -3.0, 2.0)
        matrix = np.reshape(R, (3, 3))
        leg_velocity = matrix.T @ (x[34:37] - x[7:10]) - np.cross(x[10:13], at[:3])
        assert np.dot(q, leg_velocity) == pytest.approx(7 * rho_rate - 3 * theta_rate + 2 * phi_rate, abs=1e-12)


def test_joints_come_back_from_the_state():
    rng = np.random.default_rng(5)
    joints = np.column_stack([rng.uniform(-2, 2, 6), rng.uniform(-0.4, 0.4, 6), rng.uniform(0.15, 0.22, 6)])
    rates = rng.normal(size=(6, 3))
    x = layout_of_state.assemble(PARAMS, [1, 2, 3], [0.5, 0.5, 0.5, 0.5], joints, [1, 0, 2], [3, 1, 2], rates)
    found, found_rates = layout_of_state.joints_of(PARAMS, x)
    np.testing.assert_allclose(found, joints, atol=1e-14)
    np.testing.assert_allclose(found_rates, rates, atol=1e-12)


def test_the_motors_limit_is_the_motor_modules():
    p = functions()[0].p0
    for torque in np.linspace(-5, 5, 21):
        for speed in np.linspace(-80, 80, 41):
            assert limit_torque(p, torque, speed) == pytest.approx(PARAMS.motor.limit(torque, speed), abs=1e-15)


def test_a_stuck_toe_rests_and_a_sliding_one_is_held_back():
    x = random_state(2)
    x[13 + 2] = 0.0  # toe 0 on the ground, moving along it
    x[16:19] = [0.3, -0.4, 0.0]
    stuck = rates_of(x, with_toe_mode(0, 0, STICK))[1]
    np.testing.assert_array_equal(stuck[13:19], 0.0)
    model, sliding = rates_of(x, with_toe_mode(0, 0, SLIDE))
    on_toe = all_forces(model, x)[0][0] - [0, 0, PARAMS.leg_mass * PARAMS.g]
    pressure = -on_toe[2]
    held = -PARAMS.friction_coeff * pressure * x[16:19] / math.hypot(0.5, Variants().slide_speed)
    np.testing.assert_allclose(sliding[16:18], (on_toe + held)[:2] / PARAMS.leg_mass, rtol=1e-6)
    assert sliding[18] == pytest.approx(0.0, abs=1e-9)  # it does not leave the plane


def test_a_toe_slides_along_curved_ground():
    """The toe's acceleration keeps it on the surface: the second derivative of f_z - h is zero."""
    terrain = Sinusoid(0.2, 6.0, 5.0)
    x = random_state(3)
    x[13:16] = [0.1, 0.1, terrain.height(0.1, 0.1)]
    h_x, h_y = terrain.gradient(0.1, 0.1)
    x[16:19] = [0.7, -0.5, 0.7 * h_x - 0.5 * h_y]
    _, dx = rates_of(x, with_toe_mode(0, 0, SLIDE), terrain)

    def gap(t):
        place = x[13:16] + t * dx[13:16] + 0.5 * t * t * dx[16:19]
        return place[2] - terrain.height(*place[:2])

    assert abs(gap(1e-6) - 2 * gap(0.0) + gap(-1e-6)) / 1e-12 < 1e-2  # of thousands of m/s^2
    assert np.abs(dx[16:19]).max() > 100.0


def test_without_the_third_law_flying_legs_do_not_push():
    x = random_state(4)
    _, dx = rates_of(x, 0, variants=Variants(third_law=0))
    np.testing.assert_array_equal(dx[7:10], [0, 0, -PARAMS.g])


@given(
    v=st.tuples(st.floats(-3, 3), st.floats(-3, 3), st.floats(-3, -0.01)),
    slope=st.tuples(st.floats(-1, 1), st.floats(-1, 1)),
)
def test_touchdown_takes_the_normal_velocity_and_what_friction_may(v, slope):
    p, (_model, _) = functions()[0].p0, functions()
    length = math.sqrt(1 + slope[0] ** 2 + slope[1] ** 2)
    n = np.array([-slope[0], -slope[1], 1.0]) / length
    before = np.array(v)
    after = np.array(impact(p, (*n, length), *before))
    into = before @ n
    tangential = before - into * n
    assert after @ n == pytest.approx(0.0, abs=1e-12)
    taken = np.linalg.norm(tangential - after)
    limit = PARAMS.friction_coeff * abs(into)
    assert taken == pytest.approx(min(np.linalg.norm(tangential), limit), abs=1e-12)
    assert after @ tangential >= -1e-12  # it is not turned back
    assert np.linalg.norm(np.cross(after, tangential)) == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("variants", [Variants(full_stop=1), Variants(first_order_slide=1)])
def test_a_full_stop_and_a_toe_without_mass_take_all(variants):
    model = hybrid.build(variants=variants)
    assert impact(model.p0, (0.0, 0.0, 1.0, 1.0), 3.0, 1.0, -0.1) == (0.0, 0.0, 0.0)


def test_loads_split_into_normal_and_tangent():
    n = np.array([0.6, 0.0, 0.8])
    pressure, *tangent = loads((*n, 1.0), 1.0, 2.0, -5.0)
    assert pressure == pytest.approx(-(0.6 - 4.0))
    np.testing.assert_allclose(np.array(tangent) - pressure * n, [1, 2, -5])
    assert np.dot(tangent, n) == pytest.approx(0.0, abs=1e-15)


def test_friction_is_coulombs_away_from_rest():
    p = functions()[0].p0
    v = np.array([0.3, 0.4, 0.0])
    np.testing.assert_allclose(friction(p, 20.0, *v) * 0.5, PARAMS.friction_coeff * 20.0, rtol=1e-4)


@settings(max_examples=200)
@given(
    t=st.tuples(st.floats(-30, 30), st.floats(-30, 30)),
    g=st.tuples(st.floats(0, 20), st.floats(-5, 5), st.floats(0, 20)),
    rest=st.floats(0.1, 40),
    slope=st.tuples(st.floats(-3, 3), st.floats(-3, 3)),
)
def test_first_order_slide_solves_its_equation(t, g, rest, slope):
    b, mu = 1.0, 0.5
    e = np.sqrt(g[0] * g[2]) * np.clip(g[1] / 5, -0.9, 0.9)  # keeps G positive
    G = np.array([[g[0], e], [e, g[2]]])
    s = np.array(first_order_speed(b, mu, rest, (*t, *G.ravel()), slope))
    speed, drive = np.linalg.norm(s), np.hypot(*t)
    if drive <= mu * rest:
        assert speed == 0.0
    elif speed > 1e-9:
        pressure = max(rest - np.dot(slope, s), 0.0)
        residual = (b * np.eye(2) + G) @ s + mu * pressure * s / speed - t
        assert np.linalg.norm(residual) < 1e-6 * (1 + drive)


def test_the_end_stop_is_off_until_the_leg_is_long():
    x = random_state(6)
    x[13:16] = x[:3] + layout_of_state.rotation_matrix(x[3:7]) @ (PARAMS.attach[0] + leg_vector(0.2, 0.1, 0.204))
    plain = rates_of(x, 0)[1]
    stopped = rates_of(x, 0, variants=Variants(stop_force=1.0, stop_length=2e-3))[1]
    pull = PARAMS.leg_mass * (stopped - plain)[16:19]
    along = layout_of_state.rotation_matrix(x[3:7]) @ leg_vector(0.2, 0.1, 1.0)
    np.testing.assert_allclose(pull, -(math.exp(2.0) - 1.0) * along, rtol=1e-9)


def test_curvature_is_the_second_derivative_along_the_motion():
    terrain = Sinusoid(0.05, 6.0, 5.0)
    p = np.array([0.05, 6.0, 5.0])
    floor = ground.ground_of(terrain, 0)
    x, y, vx, vy = 0.2, 0.3, 0.7, -0.5
    u, v = 6.0 * x, 5.0 * y
    h_xx, h_xy = -0.05 * 36 * math.sin(u) * math.cos(v), -0.05 * 30 * math.cos(u) * math.sin(v)
    h_yy = -0.05 * 25 * math.sin(u) * math.cos(v)
    expected = h_xx * vx * vx + 2 * h_xy * vx * vy + h_yy * vy * vy
    assert ground.curvature(floor.gradient, x, y, vx, vy, p) == pytest.approx(expected, rel=1e-7)
    assert ground.curvature(floor.gradient, x, y, 0.0, 0.0, p) == 0.0


def test_modes_are_packed_two_bits_a_toe():
    chart = 0
    for leg, mode in enumerate([STICK, SLIDE, FLIGHT, SLIDE, STICK, FLIGHT]):
        chart = with_toe_mode(chart, leg, mode)
    assert chart == sum(mode << 2 * leg for leg, mode in enumerate([1, 2, 0, 2, 1, 0]))
    assert with_toe_mode(chart | 7 << 12, 1, FLIGHT) >> 12 == 7


def test_hold_takes_one_angle_or_six():
    assert hold(PARAMS, 0.3).params["hold5_angle"] == 0.3
    assert hold(PARAMS, np.arange(6)).params["hold4_angle"] == 4.0
