"""The Raibert controller as an object: events, laws, and the same hop in either engine."""

import numpy as np
import pytest

from tarsus.analytic.models import hopping_leg_laws as laws
from tarsus.analytic.models.hopping_leg import HoppingLegParams, places, start_angles
from tarsus.controllers.raibert import SETTLED, Raibert, RaibertGains, RaibertPolicy

PARAMS = HoppingLegParams()
Q = start_angles(PARAMS)


def test_contact_switches_the_law_and_calls_the_events():
    controller = Raibert()
    controller.reset(0.0, Q, np.zeros(4))
    swing = controller(0.1, Q, np.zeros(4), False)
    assert not controller.in_stance
    stance = controller(0.2, Q, np.zeros(4), True)
    assert controller.in_stance and not np.allclose(swing, stance)
    assert controller.memory[laws.T_EVENT] == 0.2
    controller(0.35, Q, np.zeros(4), False)
    assert not controller.in_stance and controller.memory[laws.T_EVENT] == 0.35


def test_touchdown_corrects_the_force_and_liftoff_remembers_where_the_foot_left():
    gains, controller = RaibertGains(), Raibert()
    controller.reset(0.0, Q, np.zeros(4))
    left, height = controller.memory[[laws.FROM_Y, laws.FROM_Z]], controller.memory[laws.APEX_HEIGHT]
    bent = Q + [0, 0.02, 0.1, -0.1]
    controller(0.2, bent, np.zeros(4), True)
    force = gains.force + gains.k_height * (gains.height - height)
    assert controller.memory[laws.FORCE] == pytest.approx(force) and force != gains.force
    np.testing.assert_array_equal(controller.memory[[laws.FROM_Y, laws.FROM_Z]], left)
    controller(0.35, bent, np.zeros(4), False)
    there = places(PARAMS, bent)
    np.testing.assert_allclose(controller.memory[[laws.FROM_Y, laws.FROM_Z]], there.leg, atol=1e-12)
    assert controller.memory[laws.FOOTHOLD] == pytest.approx(there.foot[2])
    assert controller.memory[laws.FORCE] == pytest.approx(force)


def test_a_chattering_contact_is_one_touchdown():
    controller = Raibert()
    controller.reset(0.0, Q, np.zeros(4))
    controller(0.2, Q, np.zeros(4), True)
    controller(0.2 + 0.5 * SETTLED, Q, np.zeros(4), False)
    assert controller.in_stance and controller.memory[laws.T_EVENT] == 0.2


def test_the_apex_is_where_the_boom_stops_rising():
    controller = Raibert()
    controller.reset(0.0, Q, np.array([0, -1.0, 0, 0]))
    high, speed = Q - [0, 0.05, 0, 0], np.array([0.8, 0.1, 0, 0])
    controller(0.1, high, speed, False)
    assert controller.memory[laws.APEX_HEIGHT] == pytest.approx(0.28 + np.sin(0.17), abs=1e-9)
    assert controller.memory[laws.APEX_SPEED] == pytest.approx(0.8)
    controller(0.2, Q, np.array([0.5, -1.0, 0, 0]), True)
    controller(0.3, Q, np.array([0.5, 0.1, 0, 0]), True)  # that the body falls again in stance is no apex
    assert controller.memory[laws.APEX_SPEED] == pytest.approx(0.8)


def test_torque_stays_within_the_motors_limits():
    params = HoppingLegParams(motor_mode="current")
    controller = Raibert(RaibertGains(kp=1e5), params)
    controller.reset(0.0, Q, np.zeros(4))
    torque = controller(0.1, Q + [0, 0, 0.5, 0], np.zeros(4), False)
    assert np.all(np.abs(torque) <= params.rated_torque) and np.any(np.abs(torque) == params.rated_torque)


def test_reset_forgets():
    controller = Raibert()
    fresh = Raibert()
    for c in (controller, fresh):
        c.reset(0.0, Q, np.zeros(4))
    controller(0.2, Q, np.array([0.3, -1, 0, 0]), True)
    controller.reset(0.0, Q, np.zeros(4))
    np.testing.assert_array_equal(controller.memory, fresh.memory)


def test_the_policy_asks_for_the_controllers_torque():
    scale = np.array([18.0, 27.0])
    policy = RaibertPolicy(Raibert(), scale)
    speed = np.array([0.5, 0.1, 1.0, -2.0])
    info = {"time": 0.0, "qpos": Q, "qvel": speed, "foot_contact": np.array([False])}
    other = Raibert()
    other.reset(0.0, Q, speed)
    torque = other(0.0, Q, speed, False)
    np.testing.assert_allclose(policy(None, info), torque / scale, rtol=1e-6)
    assert np.abs(torque).min() > 0.01


def test_a_leg_longer_than_it_is_is_refused():
    with pytest.raises(ValueError, match="a foot must be between"):
        Raibert(RaibertGains(leg_length=0.41))
