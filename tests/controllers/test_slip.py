"""The SLIP laws against their defining properties and the textbook's projections; the controller at samples."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tarsus.analytic.hybrid import vector
from tarsus.analytic.hybrid.names import items
from tarsus.analytic.models import slip_leg_motion
from tarsus.analytic.models.slip_leg import SlipLegParams, apex_state, com_state, foot_state
from tarsus.analytic.models.slip_leg_hybrid import table
from tarsus.controllers import slip_laws
from tarsus.controllers.slip import SlipControl, believe, sampled
from tarsus.controllers.slip_laws import D, K
from tarsus.controllers.slip_parameters import DEFECTS, MEMORY

STATES = st.tuples(
    st.floats(-0.8, 1.2), st.floats(-1.8, -0.2), st.floats(-2.0, 3.0), st.floats(-2.0, 2.0), st.floats(-10, 10)
)


def parameters(**control):
    return vector(table() | items(SlipControl(**control)))


def memory(**values):
    d = vector({"foot_x": 0.0, "foot_z": 0.0, **MEMORY})
    for name, value in values.items():
        d[getattr(D, name)] = value
    return d


def standing(values):
    """A random state whose foot is at rest: its velocity is what an impact leaves."""
    hip, knee, vx, vz, w = values
    x = np.array([0.1, 0.75, hip, knee, vx, vz, w, -1.5 * w])
    slip_leg_motion.impact(x, parameters())
    return x


def projected(x, d, p):
    """Return the report's stance torque, its matrices written as they stand (eqs. 5, 6, 11), and J*, L*, N_s."""
    M, h, Js, Jc, drift_s, drift_c = slip_leg_motion.terms(x, p)
    inverse, S = np.linalg.inv(M), np.eye(4)[2:]
    Ls = np.linalg.inv(Js @ inverse @ Js.T)
    N = np.eye(4) - inverse @ Js.T @ Ls @ Js
    SN = S @ N
    J = Jc @ inverse @ SN.T @ np.linalg.inv(SN @ inverse @ SN.T)
    L = np.linalg.inv(Jc @ inverse @ SN.T @ J.T)
    bias = L @ (Jc @ inverse @ N.T @ h - drift_c + Jc @ inverse @ Js.T @ Ls @ drift_s)
    force = np.empty(2)
    slip_laws.spring_force(x, d, p, force)
    return J.T @ (L @ (force / 10.0 + [0.0, -9.81]) + bias), J, L, N


@settings(max_examples=100, deadline=None)
@given(STATES)
def test_stance_torque_is_the_reports_and_makes_the_leg_a_slip(values):
    x, d, p, tau = standing(values), memory(rest_length=0.7), parameters(), np.empty(2)
    slip_laws.stance_torque(0.0, x, d, p, tau)
    wanted, J, L, N = projected(x, d, p)
    scale = 1 + np.abs(wanted).max()
    np.testing.assert_allclose(tau, wanted, atol=1e-9 * scale)
    np.testing.assert_allclose(L, L.T, atol=1e-8 * np.abs(L).max())
    assert np.all(np.linalg.eigvalsh(L) > 0)
    np.testing.assert_allclose(J @ np.eye(4)[2:] @ N, slip_leg_motion.terms(x, p)[3] @ N, atol=1e-9)
    rates, force, spring = np.empty(8), np.empty(2), np.empty(2)
    slip_leg_motion.stance_rates(x, p, tau, rates, force)
    slip_laws.spring_force(x, d, p, spring)
    M, _, _, Jc, _, drift = slip_leg_motion.terms(x, p)
    acceleration = Jc @ rates[4:] + drift
    np.testing.assert_allclose(acceleration, spring / 10.0 + [0.0, -9.81], atol=1e-10 * scale)
    np.testing.assert_allclose(force, spring, atol=1e-9 * scale)  # the ground's force is the spring's


def test_the_springs_force_points_from_foot_to_mass_centre_and_only_pushes():
    x, p, force = standing((0.3, -1.0, 1.0, 0.0, 1.0)), parameters(), np.empty(2)
    length = slip_laws.leg_length(x, p)
    foot, com = np.empty(4), np.empty(4)
    foot_state(x, p, foot)
    com_state(x, p, com)
    slip_laws.spring_force(x, memory(rest_length=length + 0.1), p, force)
    np.testing.assert_allclose(force, 350.0 * (com - foot)[:2] / length, rtol=1e-12)
    slip_laws.spring_force(x, memory(rest_length=length - 0.1), p, force)
    assert np.all(force == 0.0)


@settings(max_examples=50, deadline=None)
@given(STATES, st.floats(0.0, 0.1))
def test_flight_torque_gives_the_joints_the_acceleration_asked_for(values, t):
    hip, knee, vx, vz, w = values
    x = np.array([0.1, 0.75, hip, knee, vx, vz, w, -w])
    d = memory(duration=0.08, from_hip=0.2, from_knee=-1.0, to_hip=1.0, to_knee=-1.5)
    p, tau, rates = parameters(), np.empty(2), np.empty(8)
    slip_laws.flight_torque(t, x, d, p, tau)
    slip_leg_motion.flight_rates(x, p, tau, rates)
    way, rate, acceleration = slip_laws.timed_move(t, 0.08)
    start, travel = np.array([0.2, -1.0]), np.array([0.8, -0.5])
    error, slow = start + travel * way - x[2:4], travel * rate - x[6:8]
    np.testing.assert_allclose(rates[6:], travel * acceleration + 3600 * error + 120 * slow, atol=1e-8)


def test_minimum_jerk_is_smooth_and_its_rates_are_derivatives():
    for t in np.linspace(-0.1, 1.2, 27):
        h = 1e-5
        behind, here, ahead = (slip_laws.timed_move(t + s * h, 1.0) for s in (-1, 0, 1))
        assert here[1] == pytest.approx((ahead[0] - behind[0]) / (2 * h), abs=1e-6)
        assert here[2] == pytest.approx((ahead[1] - behind[1]) / (2 * h), abs=1e-3)
    assert slip_laws.timed_move(0.0, 1.0) == (0.0, 0.0, 0.0) and slip_laws.timed_move(1.0, 1.0) == (1.0, 0.0, 0.0)


@settings(max_examples=60, deadline=None)
@given(STATES)
def test_compensation_stores_what_the_mass_centre_loses_with_its_sign(values):
    hip, knee, vx, vz, w = values
    x, p, d = np.array([0.1, 0.75, hip, knee, vx, vz, w, -w]), parameters(), memory()
    slip_laws.on_touchdown(0.0, x, d, p)
    M, _, _, Jc, _, _ = slip_leg_motion.terms(x, p)
    _, _, _, N = projected(x, d, p)
    before, after = Jc @ x[4:], Jc @ N @ x[4:]
    loss = 5.0 * (before @ before - after @ after)
    assert d[D.energy_lost] == pytest.approx(loss, abs=1e-9)
    travel = d[D.rest_length] - slip_laws.leg_length(x, p)
    assert 0.5 * 3500 * travel * abs(travel) == pytest.approx(loss, abs=1e-9)


def test_each_defect_changes_what_its_erratum_says():
    assert set(DEFECTS) == {7, 8, 9, 10, 17}
    rising = np.array([0.0, 0.7, 0.66, -1.39, 2.5, -1.0, -5.16, -1.73])  # its impact speeds the mass centre up
    p, d = parameters(), memory()
    slip_laws.on_touchdown(0.0, rising, d, p)
    assert d[D.energy_lost] < 0 and d[D.rest_length] < slip_laws.leg_length(rising, p)
    slip_laws.on_touchdown(0.0, rising, d, parameters(absolute_loss=1.0))
    assert d[D.rest_length] > slip_laws.leg_length(rising, p)
    slip_laws.on_touchdown(0.0, rising, d, parameters(nominal_length=1.0, compensate=0.0))
    assert d[D.rest_length] == 0.58
    apex = apex_state(SlipLegParams(), 0.62, 2.5, 0.435, 1.3648)
    slip_laws.on_apex(0.0, apex, d, parameters(frozen_com=1.0))
    landed = np.concatenate([apex[:2], d[[D.to_hip, D.to_knee]], apex[4:]])
    assert slip_laws.leg_length(landed, p) == pytest.approx(0.5519, abs=2e-4)  # 28 mm too short
    d = memory(rest_length=0.5 + 98.1 / 3500)
    weight = slip_laws.spring(0.0, landed, d, p) - slip_laws.spring(
        0.0, landed, d, parameters(liftoff_under_weight=1.0)
    )
    assert weight * 3500 == pytest.approx(98.1 + 0.08)
    slip_laws.on_apex(0.0, apex, memory(apex_height=0.60), parameters(previous_apex=1.0))


@pytest.mark.parametrize("switch, wanted", [(0.0, 1.3648113659), (1.0, 1.3648113659 + 0.9 * 0.02)])
def test_the_apex_law_refers_to_the_wanted_or_to_the_last_apex(switch, wanted):
    apex, d = apex_state(SlipLegParams(), 0.62, 2.5, 0.435, 1.3648), memory(apex_height=0.60)
    slip_laws.on_apex(0.0, apex, d, parameters(previous_apex=switch))
    assert d[D.angle] == pytest.approx(wanted, abs=1e-9) and d[D.apex_height] == pytest.approx(0.62)


def test_energy_regulation_adds_its_share_of_what_the_apex_lacked():
    x, p = standing((0.3, -1.0, 2.0, -1.0, 1.0)), parameters(energy_gain=0.5)
    d = memory(apex_energy=slip_laws.energy_wanted(p) - 4.0)
    slip_laws.on_touchdown(0.0, x, d, p)
    travel = d[D.rest_length] - slip_laws.leg_length(x, p)
    assert 0.5 * p[K.stiffness] * travel * abs(travel) == pytest.approx(2.0, abs=1e-9)  # no impact: the foot is at rest


def test_the_controller_begins_in_flight_and_can_begin_again():
    controller = sampled(fast=False)
    x = apex_state(SlipLegParams(), 0.62, 2.5, 0.435, 1.3648)
    assert controller.phase == ""
    first = controller(0.0, x)
    assert controller.phase == "extend" and np.all(np.isfinite(first))
    believe(controller.beliefs, 0.5)
    controller(0.001, x)
    assert controller.phase == "stance"
    controller.reset()
    assert controller.phase == ""
    np.testing.assert_array_equal(controller(0.0, x), first)
    controller.reset()
    controller(0.0, x + [0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0])
    assert controller.phase == "retract"
