"""The hopping leg's kinematics, motors, stance, touchdown and control laws."""

import math

import numpy as np
import pytest
import rigid_chain as oracle
from hypothesis import given, settings
from hypothesis import strategies as st

from tarsus.analytic.models import hopping_leg as leg
from tarsus.analytic.models import hopping_leg_mechanics as mechanics
from tarsus.analytic.models.hopping_leg import HoppingLegParams
from tarsus.analytic.models.rigid_chain import WAY
from tarsus.controllers import raibert_laws as laws

PARAMS = HoppingLegParams()
ROUNDING = 1e-10  # of forces of hundreds of newtons


def vector(params):
    return np.concatenate([np.ravel(value) for value in mechanics.numbers(params).values()])


def chain(params):
    axes = ((0, 0, 1), (0, 1, 0), (1, 0, 0), (1, 0, 0))
    offsets = ((0, 0, params.HB), (0, 0, 0), (params.LB, params.DB, 0), (0, 0, -params.LH))
    return [
        oracle.Link("hinge", axes[i], offsets[i], params.mass[i], params.com[i], params.inertia[i]) for i in range(4)
    ]


@pytest.fixture(params=leg.MOTOR_MODES)
def params(request):
    return HoppingLegParams(motor_mode=request.param)


@pytest.fixture
def state():
    rng = np.random.default_rng(3)
    q = np.array([0.7, -0.1, 0.8, -1.6]) + 0.1 * rng.standard_normal(4)
    return q, 3.0 * rng.standard_normal(4)


def matrices(params, q, dq):
    """Return M with rotors, bias with back-EMF, and the constrained Jacobian with its rate, all by the oracle."""
    made, tip = chain(params), (0, 0, -params.shank)
    M = oracle.mass_matrix(made, q) + np.diag([0, 0, *params.armature])
    h = oracle.coriolis_matrix(made, q, dq) @ dq + oracle.gravity_vector(made, q, params.g, (0, 0, 1))
    h += np.array([0, 0, *params.damping]) * dq
    foot = oracle.point(made, q, 3, tip)
    x, y = foot[:2] / np.hypot(*foot[:2])
    rows = np.array([[-y, x, 0], [0, 0, 1]])
    J = rows @ oracle.point_jacobian(made, q, 3, tip)
    return M, h, J, rows @ oracle.point_jacobian_rate(made, q, dq, 3, tip), np.array([x, y])


def test_the_start_posture_is_the_documented_one():
    np.testing.assert_allclose(leg.leg_angles(PARAMS, np.array([0.0, -0.28])), [0.806590, -1.601706], atol=1e-6)


@settings(max_examples=50, deadline=None)
@given(y=st.floats(-0.2, 0.2), z=st.floats(-0.33, -0.1))
def test_the_inverse_kinematics_inverts(y, z):
    angles = leg.leg_angles(PARAMS, np.array([y, z]))
    assert angles[1] < 0
    np.testing.assert_allclose(leg.places(PARAMS, np.array([0.3, 0.1, *angles])).leg, [y, z], atol=1e-12)


@pytest.mark.parametrize("foot", [(0.0, -0.45), (0.0, -0.001), (0.0, -(PARAMS.LH + PARAMS.shank))])
def test_a_foot_out_of_reach_is_refused(foot):
    with pytest.raises(ValueError, match="a foot must be between 0.002237 and 0.4022 m from the hip"):
        leg.leg_angles(PARAMS, np.array(foot))


def test_places_are_the_dynamics_points(state):
    q, _ = state
    where = leg.places(PARAMS, q)
    for name, size in (("leg", 2), ("toe", 3)):
        out = np.empty(size)
        getattr(mechanics, f"{name}_position")(q, vector(PARAMS), out)
        np.testing.assert_allclose(getattr(where, {"toe": "foot"}.get(name, name)), out, atol=1e-14)
    ways = mechanics.frames_of(q, np.zeros(4), vector(PARAMS))[:, WAY]
    np.testing.assert_allclose(where.hip, ways[:4].sum(axis=0), atol=1e-14)


def test_the_tip_weighs_as_documented():
    q = np.array([0.0, 0.0, *leg.leg_angles(PARAMS, np.array([0.0, -0.28]))])
    M, G, rest = np.empty((4, 4)), np.empty(4), np.zeros(4)
    mechanics.mass_and_bias(mechanics.frames_of(q, rest, vector(PARAMS)), rest, vector(PARAMS), M, G)
    assert -G[1] / PARAMS.LB == pytest.approx(31.9995, abs=0.05)  # positive pitch is down: its potential falls
    assert M[1, 1] > 0


def test_motor_numbers():
    voltage, current = HoppingLegParams(motor_mode="voltage"), HoppingLegParams(motor_mode="current")
    np.testing.assert_allclose(current.armature, [0.00216, 0.00486])
    np.testing.assert_allclose(current.back_emf, [0.52941, 1.19118], rtol=1e-5)
    np.testing.assert_allclose(current.stall_torque, [42.353, 63.529], rtol=1e-5)
    np.testing.assert_allclose(current.rated_torque, [18, 27])
    assert not np.any(current.damping) and np.array_equal(voltage.damping, voltage.back_emf)
    assert not np.any(PARAMS.armature) and not np.any(PARAMS.damping)


def test_the_original_options_name_a_mode():
    assert leg.motor_mode(False, False) == "ideal"
    assert leg.motor_mode(True, True) == "current"
    assert leg.motor_mode(True, False) == "voltage"
    with pytest.raises(ValueError, match="isControlSaturate needs isMotorDynamics"):
        leg.motor_mode(False, True)


def test_torque_is_limited_by_current_at_rest_and_by_voltage_at_speed():
    limits = HoppingLegParams(motor_mode="current").torque_limits
    asked = np.array([100.0, 100.0])
    np.testing.assert_allclose(leg.limited_torque(limits, asked, np.zeros(2)), [18, 27])
    fast = np.array([60.0, 40.0])
    np.testing.assert_allclose(leg.limited_torque(limits, asked, fast), [42.352941 - 31.764706, 63.529412 - 47.647059])
    np.testing.assert_allclose(leg.limited_torque(limits, -asked, fast), [-18, -27])  # braking is bounded by current
    np.testing.assert_allclose(leg.limited_torque(PARAMS.torque_limits, 1e3 * asked, fast), 1e3 * asked)


def test_both_limiters_are_one(params, state):
    rng = np.random.default_rng(0)
    for _ in range(50):
        dq, u = 30 * rng.standard_normal(4), 60 * rng.standard_normal(2)
        limited = u.copy()
        mechanics.limit_torque(dq, vector(params), limited)
        np.testing.assert_allclose(limited, leg.limited_torque(params.torque_limits, u, dq[2:]), rtol=1e-15)


def test_flight_obeys_the_equations(params, state):
    q, dq = state
    u, ddq = np.array([3.0, -7.0]), np.empty(4)
    mechanics.flight_acceleration(q, dq, vector(params), u, ddq)
    M, h, *_ = matrices(params, q, dq)
    np.testing.assert_allclose(M @ ddq + h, [0, 0, *u], atol=ROUNDING)


def test_stance_obeys_the_equations_and_the_constraint(params, state):
    q, dq = state
    M, h, J, dJ, radial = matrices(params, q, dq)
    u, ddq, F = np.array([3.0, -7.0]), np.empty(4), np.empty(2)
    mechanics.stance_acceleration(q, dq, vector(params), radial, u, ddq, F)
    np.testing.assert_allclose(M @ ddq + h - J.T @ F, [0, 0, *u], atol=ROUNDING)
    np.testing.assert_allclose(J @ ddq + dJ @ dq, 0, atol=ROUNDING)


def test_touchdown_stops_the_foot_and_loses_the_energy_of_the_formula(params, state):
    q, dq = state
    M, _, J, _, radial = matrices(params, q, dq)
    after, impulse = dq.copy(), np.empty(2)
    mechanics.impact(q, after, vector(params), radial, impulse)
    np.testing.assert_allclose(J @ after, 0, atol=1e-12)
    np.testing.assert_allclose(M @ (after - dq), J.T @ impulse, atol=1e-12)
    speed = J @ dq
    lost = 0.5 * speed @ np.linalg.solve(J @ np.linalg.solve(M, J.T), speed)
    before = mechanics.kinetic_energy(q, dq, vector(params))
    assert before - mechanics.kinetic_energy(q, after, vector(params)) == pytest.approx(lost, rel=1e-12)
    assert lost > 0


def test_touchdown_turns_the_leg_about_the_boom_by_the_impulse_alone(state):
    """The angular momentum about the boom's axis changes by the moment of the force along Y_hc, and by nothing else."""
    q, dq = state
    made = chain(PARAMS)
    *_, radial = matrices(PARAMS, q, dq)
    after, impulse = dq.copy(), np.empty(2)
    mechanics.impact(q, after, vector(PARAMS), radial, impulse)
    foot = leg.places(PARAMS, q).foot
    change = oracle.angular_momentum(made, q, after, (0, 0, 1)) - oracle.angular_momentum(made, q, dq, (0, 0, 1))
    assert change == pytest.approx(np.hypot(*foot[:2]) * impulse[0], abs=1e-12)


def test_the_bezier_mean_is_the_coefficients_mean():
    coefficients = np.array([1.0, -2.0, 5.0, 0.5, 3.0])
    s = np.linspace(0, 1, 10001)
    values = np.array([laws.bezier(coefficients, x) for x in s])
    assert np.trapezoid(values, s) == pytest.approx(coefficients.mean(), abs=1e-7)
    assert (values[0], values[-1]) == (1.0, 3.0)
    assert laws.bezier(np.array([0, 0, 60, 0, 0.0]), 0.5) == 22.5


GAINS = laws.RaibertGains()
P_GAINS = np.concatenate([vector(PARAMS), *(np.ravel(value) for value in GAINS.numbers(PARAMS).values())])


def stored(**values):
    d = np.zeros(len(laws.D))
    for name, value in values.items():
        d[getattr(laws.D, name)] = value
    return d


def test_the_stance_torque_pushes_the_ground_away(state):
    """With no speed and the posture of the feedback, u = -J^T F: a wrong sign would pull the foot up."""
    q = np.array([0.0, 0.0, *leg.leg_angles(PARAMS, np.array([0.0, -0.28]))])
    u, J, rest = np.empty(2), np.empty((2, 2)), np.concatenate([q, np.zeros(4)])
    at_peak = 0.5 * GAINS.stance_time
    laws.stance_torque(at_peak, rest, stored(mean_force=32.0), P_GAINS, u)
    mechanics.leg_jacobian(q, vector(PARAMS), J)
    F_z = 32.0 * laws.bezier(GAINS.bezier, 0.5)
    F_y = min(GAINS.kvy * GAINS.speed * laws.bezier(GAINS.bezier, 0.5), 0.4 * F_z)
    np.testing.assert_allclose(u, -J.T @ [F_y, F_z], rtol=1e-12)
    ddq, F = np.empty(4), np.empty(2)
    mechanics.stance_acceleration(q, np.zeros(4), vector(PARAMS), np.array([1.0, 0.0]), u, ddq, F)
    assert F[1] == pytest.approx(F_z, rel=0.05) and F[0] == pytest.approx(F_y, rel=0.2)  # the leg has some mass


def test_the_swing_torque_pulls_the_foot_to_its_target(state):
    q, _ = state
    u, target, rest = np.empty(2), np.empty(2), np.concatenate([q, np.zeros(4)])
    late, J = 1.0, np.empty((2, 2))
    laws.foot_target(late, rest, stored(), P_GAINS, target)
    np.testing.assert_allclose(target, [-GAINS.krh * GAINS.speed, -GAINS.leg_length])
    laws.swing_torque(late, rest, stored(), P_GAINS, u)
    mechanics.leg_jacobian(q, vector(PARAMS), J)
    pull = GAINS.kp * (target - leg.places(PARAMS, q).leg)
    np.testing.assert_allclose(u, J.T @ pull, rtol=1e-12)


def test_a_faster_leg_puts_its_foot_further_ahead():
    target, ahead = np.empty(2), []
    for yaw_rate in (0.0, 1.0):
        laws.foot_target(1.0, np.array([0, 0, 0, 0, yaw_rate, 0, 0, 0]), stored(), P_GAINS, target)
        ahead.append(target[0])
    assert ahead[1] - ahead[0] == pytest.approx(GAINS.neutral * GAINS.stance_time + GAINS.krh)


def test_a_low_apex_asks_for_more_force_and_a_slow_one_for_more_lean():
    d = stored(mean_force=70.0, apex_height=0.35, apex_speed=0.3)
    laws.on_touchdown(1.0, np.zeros(8), d, P_GAINS)
    assert d[laws.D.mean_force] == pytest.approx(70.0 + 120.0 * 0.05)
    assert d[laws.D.lean_now] == pytest.approx(0.05 * 0.2)
    assert d[laws.D.t_event] == 1.0


def test_the_apex_is_measured_from_the_foothold():
    d = stored(foothold=0.05)
    laws.on_apex(0.0, np.array([0, -0.12, 0, 0, 0.7, 0, 0, 0]), d, P_GAINS)
    assert d[laws.D.apex_height] == pytest.approx(0.28 + math.sin(0.12) - 0.05)
    assert d[laws.D.apex_speed] == pytest.approx(0.7)


def test_impossible_parameters_and_gains_are_refused():
    with pytest.raises(ValueError, match="unknown motor_mode 'magic'; known: ideal, current, voltage"):
        HoppingLegParams(motor_mode="magic")
    with pytest.raises(ValueError, match=r"com must have shape \(4, 3\)"):
        HoppingLegParams(com=np.zeros(3))
    with pytest.raises(ValueError, match="LB must be positive"):
        HoppingLegParams(LB=0.0)
    with pytest.raises(ValueError, match="force must lie between 40"):
        laws.RaibertGains(force=200.0)
    with pytest.raises(ValueError, match="a foot must be between"):
        laws.RaibertGains(leg_length=0.5).numbers(PARAMS)
