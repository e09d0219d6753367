"""SLIP running at samples: what the controller predicts, notices and holds, against fine integrations."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from tarsus.analytic.hybrid import vector
from tarsus.analytic.hybrid.names import items
from tarsus.analytic.models.slip_leg import SlipLegParams, apex_state, foot_z
from tarsus.analytic.models.slip_leg_hybrid import EXTEND, HOLD, RETRACT, STANCE
from tarsus.analytic.models.slip_leg_motion import flight_rates, impact, stance_rates
from tarsus.controllers import slip_laws, slip_sampled
from tarsus.controllers.slip_laws import D
from tarsus.controllers.slip_parameters import MEMORY, SlipControl

P = vector({**items(SlipLegParams()), **items(SlipControl())})
FALLING = apex_state(SlipLegParams(), 0.6, 2.5, 0.58, 1.36) + [0, 0, 0.1, 0.05, 0, -0.7, -2.0, 1.0]
MOVE = {"started": 0.0, "duration": 0.095, "from_hip": 0.3, "from_knee": -1.2, "to_hip": 0.7, "to_knee": -1.0}


def memory(**values):
    d = vector({"foot_x": 0.0, "foot_z": 0.0, **MEMORY})
    for name, value in values.items():
        d[getattr(D, name)] = value
    return d


def moved(x, torque, seconds, rates):
    """Integrate the leg under `torque(t, x)` [N m], finely."""

    def field(t, x):
        dx = np.empty(8)
        rates(x, P, torque(t, x), dx)
        return dx

    return solve_ivp(field, (0.0, seconds), x, rtol=1e-12, atol=1e-13).y[:, -1]


def on_the_ground(x, p, tau, dx):
    stance_rates(x, p, tau, dx, np.empty(2))


def last(t, x, tau=(0.0, 0.0)):
    return np.concatenate([[t], x, tau])


def test_flight_is_predicted_to_the_second_order_in_time():
    errors = []
    for elapsed in (1e-3, 5e-4):
        found = slip_sampled.without_ground(elapsed, FALLING, P, last(0.0, FALLING, (20.0, -10.0)))
        true = moved(FALLING, lambda t, x: np.array([20.0, -10.0]), elapsed, flight_rates)
        errors.append([np.abs(found - true)[:4].max(), np.abs(found - true)[4:].max()])
    np.testing.assert_allclose(np.log2(np.divide(*errors)), [3.0, 2.0], atol=0.2)  # places, velocities


@pytest.mark.parametrize("phase, law, rates", [
    (EXTEND, slip_laws.flight_torque, flight_rates), (STANCE, slip_laws.stance_torque, on_the_ground)
], ids=["flight", "stance"])  # fmt: skip
def test_a_held_torque_is_the_laws_in_the_middle_of_its_time(phase, law, rates):
    d, x = memory(rest_length=0.7, **MOVE), FALLING.copy()
    if phase == STANCE:
        impact(x, P)

    def torque(t, x):
        tau = np.empty(2)
        law(t, x, d, P, tau)
        return tau

    errors = []
    for hold in (4e-3, 2e-3):
        tau = np.empty(2)
        kept = slip_sampled.sample(0.0, x, d.copy(), P, phase, last(-1e-4, x), -1.0, hold, tau)
        middle = moved(x, torque, 0.5 * hold, rates)
        errors.append(np.abs(tau - torque(0.5 * hold, middle)).max())
        assert kept == phase
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.3)


def test_a_touchdown_is_noticed_though_the_foot_has_bounced_up_again():
    x, elapsed = FALLING.copy(), 2e-3
    free = slip_sampled.without_ground(elapsed, x, P, last(0.0, x))
    ground = 0.5 * (foot_z(x, P) + foot_z(free, P))  # the foot would be below it by now
    measured, d = x.copy(), memory()
    measured[5] += 5.0  # thrown up
    assert slip_sampled.next_phase(elapsed, measured, d, P, EXTEND, last(0.0, x), ground) == STANCE
    told = np.concatenate([measured[:4], free[4:]])  # where it is, with the velocity before the impact
    assert d[D.energy_lost] == pytest.approx(slip_laws.impact_loss(told, P))
    assert d[D.energy_lost] != pytest.approx(slip_laws.impact_loss(free, P), rel=1e-6)
    low = foot_z(free, P) - 1e-6
    assert slip_sampled.next_phase(elapsed, measured, memory(), P, EXTEND, last(0.0, x), low) == EXTEND


def test_only_a_leg_that_lengthens_leaves_the_ground_and_no_apex_ends_a_stance():
    rising = FALLING + [0, 0, 0, 0, 0, 2.0, 0, 0]
    length, ground = slip_laws.leg_length(rising, P), foot_z(rising, P)
    slack, loaded = memory(rest_length=length - 0.05), memory(rest_length=length + 0.1)
    shorter, longer = (last(0.099, rising + [0, 0, 0, bend, 0, 0, 0, 0]) for bend in (-0.05, 0.05))
    assert slip_laws.leg_length(shorter[1:9], P) < length < slip_laws.leg_length(longer[1:9], P)
    assert slip_sampled.next_phase(0.1, rising, slack.copy(), P, STANCE, shorter, ground) == HOLD
    assert slip_sampled.next_phase(0.1, rising, slack.copy(), P, STANCE, longer, ground) == STANCE
    assert slip_sampled.next_phase(0.1, rising, loaded, P, STANCE, shorter, ground) == STANCE
    assert slip_sampled.next_phase(0.1, FALLING, loaded, P, STANCE, shorter, ground) == STANCE


def test_the_first_sample_retracts_a_rising_leg_and_extends_a_falling_one():
    rising = FALLING + [0, 0, 0, 0, 0, 2.0, 0, 0]
    for x, phase in ((rising, RETRACT), (FALLING, EXTEND)):
        assert slip_sampled.next_phase(0.0, x, memory(), P, -1, np.zeros(11), -1.0) == phase
