"""The legs' controllers at samples: what each of prediction, middle of the hold, settling and beliefs is for.

Each test runs the controller as it is and without one of them, in the environments.
"""

from dataclasses import replace

import gymnasium
import numpy as np
import pytest
from scipy.integrate import solve_ivp

from tarsus.analytic.hybrid.sampled import MOST_EVENTS, Sampled, sampling
from tarsus.analytic.models import slip_leg_hybrid
from tarsus.analytic.models.slip_leg import SlipLegParams, apex_state
from tarsus.analytic.models.slip_leg_motion import impact
from tarsus.analytic.terrain import Slope
from tarsus.controllers import raibert, slip, slip_laws
from tarsus.controllers.sampled import SampledPolicy
from tarsus.controllers.slip_laws import D

REGULATED = slip.SlipControl(energy_gain=0.5)
P = slip.sampled(control=REGULATED, fast=False).beliefs
FALLING = apex_state(SlipLegParams(), 0.6, 2.5, 0.58, 1.36) + [0, 0, 0.1, 0.05, 0, -0.7, -2.0, 1.0]
MOVE = {"started": 0.0, "duration": 0.095, "from_hip": 0.3, "from_knee": -1.2, "to_hip": 0.7, "to_knee": -1.0}


def slip_without(*, hold=0.0, seen="predicted"):
    """The SLIP controller with a touchdown that is seen in some way."""
    automaton = slip.slip(REGULATED)
    automaton.events["touchdown"] = replace(automaton.events["touchdown"], seen=seen)
    memory = slip_leg_hybrid.MEMORY | automaton.memory
    beliefs = slip_leg_hybrid.table() | automaton.params
    return Sampled(automaton, slip_leg_hybrid.PLANT, memory, beliefs, hold=hold, fast=False)


def log_of(controller, name="SlipLeg-v1", believe=slip.believe, seconds=1.6, **options):
    """What the controller notices in an environment; the last entry is how the episode ended."""
    options = {"action_mode": "torque", "reset_noise": 0.0, "max_episode_steps": 10**6} | options
    env = gymnasium.make(name, **options).unwrapped
    policy = SampledPolicy(controller, env.action_scale, believe)
    observation, info = env.reset(seed=0)
    while info["time"] < seconds:
        observation, _, over, _, info = env.step(policy(observation, info))
        if over:
            return controller.log, info["termination"]
    return controller.log, ""


def heights(log):
    return np.array([event.d[D.apex_height] for event in log if event.name == "apex"])


@pytest.mark.extra
def test_without_prediction_the_slip_leg_leaves_its_gait():
    options = {"preset": "rl", "ctrl_dt": 0.002}
    for seen, kept in (("predicted", True), ("measured", False)):
        log, end = log_of(slip_without(hold=0.002, seen=seen), **options)
        apexes = heights(log)
        assert bool(not end and len(apexes) >= 4 and np.ptp(apexes) < 0.01) is kept


@pytest.mark.extra  # the exact engine is compiled
def test_a_torque_for_the_moment_adds_energy_and_one_for_the_middle_of_its_hold_does_not():
    gained = {}
    for hold in (0.0, 0.005):
        log, end = log_of(slip_without(hold=hold), engine="exact", ctrl_dt=0.005, seconds=2.0)
        assert not end
        energy = np.array([event.d[D.apex_energy] for event in log if event.name == "apex"])
        gained[hold] = energy[-1] / log[0].d[D.apex_energy] - 1.0
    assert abs(gained[0.005]) < 0.006 and gained[0.0] > 0.01


def test_without_settling_a_soft_contact_is_many_touchdowns():
    counts = {}
    for settle in (raibert.SETTLED, 0.0):
        controller = raibert.sampled(fast=False)
        controller.settle = settle
        log, _ = log_of(controller, "HoppingLeg-v1", None, preset="reference", ctrl_dt=0.001, seconds=1.2)
        counts[settle] = sum(event.name == "touchdown" for event in log)
    assert counts[raibert.SETTLED] == 3 and counts[0.0] >= 6


@pytest.mark.extra
def test_a_leg_that_believes_its_ground_level_at_zero_does_not_run_uphill():
    options = {"terrain": Slope(0.01), "preset": "rl", "seconds": 1.0}
    steps = [
        len(heights(log_of(slip_without(hold=0.002), believe=tell, **options)[0])) for tell in (slip.believe, None)
    ]
    assert steps[0] >= 3 and steps[1] == 0


def moved(x, torque, seconds, stands):
    """Integrate the leg under `torque(t, x)` [N m], finely."""

    def field(t, x):
        dx = np.empty(8)
        if stands:
            slip_leg_hybrid.stand(x, np.zeros(14), P, torque(t, x), dx, np.empty(2))
        else:
            slip_leg_hybrid.fly(x, np.zeros(14), P, torque(t, x), dx)
        return dx

    return solve_ivp(field, (0.0, seconds), x, rtol=1e-12, atol=1e-13).y[:, -1]


@pytest.mark.parametrize("phase, law", [
    (slip_laws.EXTEND, slip_laws.flight_torque), (slip_laws.STANCE, slip_laws.stance_torque)
], ids=["flight", "stance"])  # fmt: skip
def test_a_held_torque_is_the_laws_in_the_middle_of_its_time(phase, law):
    d, x, stands = np.zeros(len(D)), FALLING.copy(), phase == slip_laws.STANCE
    for name, value in ({"rest_length": 0.7} | MOVE).items():
        d[getattr(D, name)] = value
    if stands:
        impact(x, P)
    sample, high = sampling(slip.slip(), slip_leg_hybrid.PLANT), P.copy()
    slip.believe(high, -1.0)

    def torque(t, x):
        tau = np.empty(2)
        law(t, x, d, P, tau)
        return tau

    errors = []
    for hold in (4e-3, 2e-3):
        tau, last = np.empty(2), np.concatenate([[-1e-4, -np.inf], x, np.zeros(2)])
        notes = np.empty((1 + MOST_EVENTS, 1 + d.size))
        assert sample(0.0, x, d.copy(), high, phase, last, False, 0.0, hold, tau, notes) == phase
        errors.append(np.abs(tau - torque(0.5 * hold, moved(x, torque, 0.5 * hold, stands))).max())
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.3)
