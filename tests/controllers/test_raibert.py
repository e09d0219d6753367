"""The Raibert controller at samples: events, laws, and as a policy."""

import numpy as np
import pytest

from tarsus.analytic.models.hopping_leg import HoppingLegParams, places, start_angles
from tarsus.controllers.raibert import SETTLED, RaibertGains, policy, sampled
from tarsus.controllers.raibert_laws import D

PARAMS = HoppingLegParams()
START = np.concatenate([start_angles(PARAMS), np.zeros(4)])


def started(gains=None, params=None, x=START):
    """The controller after its first sample, at 0."""
    controller = sampled(gains, params, fast=False)
    controller(0.0, x)
    return controller


def test_contact_switches_the_law_and_calls_the_events():
    controller = started()
    swing = controller(0.1, START)
    assert controller.phase == "descent"
    stance = controller(0.2, START, True)
    assert controller.phase == "stance" and controller.memory[D.t_event] == 0.2
    bent = START + [0, 0, 0.1, -0.1, 0, 0, 0, 0]
    assert np.abs(controller(0.25, bent, True) - swing).min() > 0.1 and not stance.any()
    controller(0.35, START)
    assert controller.phase == "descent" and controller.memory[D.t_event] == 0.35


def test_touchdown_corrects_the_force_and_liftoff_remembers_where_the_foot_left():
    gains, controller = RaibertGains(), started()
    left, height = controller.memory[[D.from_y, D.from_z]], controller.memory[D.apex_height]
    bent = START + [0, 0.02, 0.1, -0.1, 0, 0, 0, 0]
    controller(0.2, bent, True)
    force = gains.force + gains.k_height * (gains.height - height)
    assert controller.memory[D.mean_force] == pytest.approx(force) and force != gains.force
    np.testing.assert_array_equal(controller.memory[[D.from_y, D.from_z]], left)
    controller(0.35, bent, False)
    there = places(PARAMS, bent[:4])
    np.testing.assert_allclose(controller.memory[[D.from_y, D.from_z]], there.leg, atol=1e-12)
    assert controller.memory[D.foothold] == pytest.approx(there.foot[2])
    assert controller.memory[D.mean_force] == pytest.approx(force)


def test_a_chattering_contact_is_one_touchdown():
    controller = started()
    controller(0.2, START, True)
    controller(0.2 + 0.5 * SETTLED, START, False)
    assert controller.phase == "stance" and controller.memory[D.t_event] == 0.2


def test_the_apex_is_where_the_boom_stops_rising():
    rising = START + [0, 0, 0, 0, 0, -1.0, 0, 0]
    controller = started(x=rising)
    assert controller.phase == "ascent"
    controller(0.1, START + [0, -0.05, 0, 0, 0.8, 0.1, 0, 0])
    assert controller.memory[D.apex_height] == pytest.approx(0.28 + np.sin(0.17), abs=1e-9)
    assert controller.memory[D.apex_speed] == pytest.approx(0.8)
    controller(0.2, rising, True)
    controller(0.3, START + [0, 0, 0, 0, 0.5, 0.1, 0, 0], True)  # that the body falls again in stance is no apex
    assert controller.memory[D.apex_speed] == pytest.approx(0.8)
    assert [event.name for event in controller.log] == ["start", "apex", "touchdown"]


def test_torque_stays_within_the_motors_limits():
    params = HoppingLegParams(motor_mode="current")
    controller = started(RaibertGains(kp=1e5), params)
    torque = controller(0.1, START + [0, 0, 0.5, 0, 0, 0, 0, 0])
    assert np.all(np.abs(torque) <= params.rated_torque) and np.any(np.abs(torque) == params.rated_torque)


def test_reset_forgets():
    controller, fresh = started(), started()
    controller(0.2, START + [0, 0, 0, 0, 0.3, -1, 0, 0], True)
    controller.reset()
    controller(0.0, START)
    np.testing.assert_array_equal(controller.memory, fresh.memory)


def test_the_policy_asks_for_the_controllers_torque():
    scale, x = np.array([18.0, 27.0]), START + [0, 0, 0, 0, 0.5, 0.1, 1.0, -2.0]
    act, torque = policy(PARAMS, scale, fast=False), sampled(fast=False)(0.0, x)
    info = {"time": 0.0, "qpos": x[:4], "qvel": x[4:], "foot_contact": np.array([False])}
    np.testing.assert_allclose(act(None, info), torque / scale, rtol=1e-6)
    assert np.abs(torque).min() > 0.01


def test_a_leg_longer_than_it_is_is_refused():
    with pytest.raises(ValueError, match="a foot must be between"):
        sampled(RaibertGains(leg_length=0.41))
