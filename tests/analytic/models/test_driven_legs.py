"""The legs that are driven from outside: a foot that can neither stay nor rise slides, and is held again."""

import gymnasium
import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import approx_fprime, brentq

from tarsus.analytic import hybrid as hy
from tarsus.analytic.hybrid.names import items, vector
from tarsus.analytic.models import driven_legs, slip_leg, slip_leg_motion
from tarsus.analytic.models import hopping_leg_mechanics as mechanics
from tarsus.analytic.models.driven_leg import DRIVE, SLIDING
from tarsus.analytic.models.ground import ground_of
from tarsus.analytic.models.ground_line import ground_table
from tarsus.analytic.models.hopping_leg import HoppingLegParams
from tarsus.analytic.models.slip_leg import SlipLegParams
from tarsus.analytic.terrain import Flat, Sinusoid, Slope
from tarsus.controllers import raibert

TORQUE = np.array([3.0, -2.0])
FREE = np.array([1e3, 1e3, 1e6, 1e6, 0.0, 0.0])  # motors without limits
GROUNDS = {"flat": Flat(), "slope": Slope(0.1), "sinusoid": Sinusoid(0.02, 8.0, 0.0)}


class Hopping:
    """The leg on its boom: its model, place of the foot, and energy."""

    q, dq, free = np.array([0.3, 0.2, 0.5, -1.2]), np.array([1.0, 0.5, -4.0, 6.0]), 1

    def __init__(self, ground):
        table = mechanics.numbers(HoppingLegParams()) | DRIVE | {"torque": TORQUE, "limits": FREE}
        self.p = vector(table | ground_of(ground, 0).params)
        self.model, self.readings = driven_legs.hopping_leg(ground=ground)

    def toe(self, q):
        out = np.empty(3)
        mechanics.toe_position(q, self.p, out)
        return out

    def energy(self, x):
        return mechanics.kinetic_energy(x[:4], x[4:], self.p) + mechanics.potential_energy(x[:4], self.p)

    def balance(self, x, ddq):
        M, load = mechanics.mass_and_load(mechanics.frames_of(x[:4], x[4:], self.p), x[4:], self.p, TORQUE)
        return M @ ddq - load


class Slip:
    """The articulated leg, likewise."""

    q, dq, free = np.array([0.2, 0.5, 0.6, -1.1]), np.array([1.0, -0.5, 3.0, -5.0]), 1

    def __init__(self, ground):
        table = items(SlipLegParams()) | DRIVE | {"torque": TORQUE, "limits": FREE}
        self.p = vector(table | ground_table(ground))
        self.model, self.readings = driven_legs.slip_leg(ground=ground)

    def toe(self, q):
        return np.array([slip_leg.foot_x(q, self.p), 0.0, slip_leg.foot_z(q, self.p)])

    def energy(self, x):
        return slip_leg_motion.energy(x, self.p)

    def balance(self, x, ddq):
        M, h, *_ = slip_leg_motion.terms(x, self.p)
        return M @ ddq + h - np.array([0.0, 0.0, *TORQUE])


@pytest.fixture(
    params=[(leg, name) for leg in (Hopping, Slip) for name in GROUNDS], ids=lambda p: f"{p[0].__name__}-{p[1]}"
)
def sliding(request):
    """Return a leg whose foot slides on a ground, the gap as a function of its position, and its state."""
    kind, name = request.param
    ground, leg = GROUNDS[name], kind(GROUNDS[name])

    def gap(q):
        x, y, z = leg.toe(q)
        return z - ground.height(x, y)

    def placed(value):
        q = leg.q.copy()
        q[leg.free] = value
        return q

    at = leg.q[leg.free]
    q = placed(brentq(lambda value: gap(placed(value)), at - 0.6, at + 0.6, xtol=1e-15))
    row = approx_fprime(q, gap, 1e-7)
    dq = leg.dq - row * (row @ leg.dq) / (row @ row)
    return leg, gap, np.concatenate([q, dq])


def rates(leg, x):
    dx = np.empty(8)
    leg.model.fields["sliding"](0.0, x, leg.model.d0, leg.p, dx)
    return dx


def test_a_sliding_foot_stays_on_the_ground_which_does_no_work(sliding):
    leg, gap, x = sliding
    run = solve_ivp(lambda t, y: [*rates(leg, y[:8]), TORQUE @ y[6:8]], (0.0, 0.05), [*x, 0.0], rtol=1e-10, atol=1e-12)
    way = leg.toe(run.y[:4, -1]) - leg.toe(x[:4])
    assert np.abs([gap(q) for q in run.y[:4].T]).max() < 2e-8  # the slope is a difference
    assert np.linalg.norm(way[:2]) > 0.02  # and it does slide
    gained = leg.energy(run.y[:8, -1]) - leg.energy(x)
    assert gained == pytest.approx(run.y[8, -1], abs=1e-6) and abs(gained) > 0.05


def test_the_force_on_a_sliding_foot_is_what_the_motion_lacks(sliding):
    leg, _, x = sliding
    foot = np.empty(4)
    leg.readings(x, leg.model.d0, leg.p, SLIDING, foot)
    jacobian = np.array([approx_fprime(x[:4], lambda q, k=k: leg.toe(q)[k], 1e-7) for k in range(3)])
    assert foot[0] == 1.0 and foot[3] != 0.0
    np.testing.assert_allclose(leg.balance(x, rates(leg, x)[4:]), foot[1:] @ jacobian, atol=1e-5 * abs(foot[3]))


def test_a_foot_that_stood_below_a_slope_rises_from_there_and_lands_on_it():
    """It slides along its boom at the height at which it landed, so that the slope gets above it."""
    ground, leg, depth = GROUNDS["slope"], Hopping(GROUNDS["slope"]), 5e-5

    def gap(q):
        x, y, z = leg.toe(q)
        return z - ground.height(x, y)

    def placed(value):
        return np.array([leg.q[0], value, *leg.q[2:]])

    q = placed(brentq(lambda value: gap(placed(value)) + depth, leg.q[1] - 0.6, leg.q[1] + 0.6, xtol=1e-15))
    params = dict(zip(leg.model.param_names, leg.p, strict=True))
    sim = hy.compile(leg.model, mode="python")
    start = np.concatenate([q, np.zeros(4)])
    r = sim.run(start, params=params, chart="stance", final_time=1.0, stop_at="touchdown", stop_count=1, rtol=1e-8)
    assert list(r.events.name) == ["liftoff", "touchdown"] and r.events.t[0] == 0.0 and r.events.t[1] > 0.1
    assert r.d_end[3] == pytest.approx(depth, rel=1e-6) and abs(gap(r.events.x_minus[1][:4])) < 1e-8


@pytest.mark.extra
@pytest.mark.parametrize(("speed", "hold"), [(0.75, 0.005), (1.0, 0.001), (1.0, 0.005)])
def test_torques_that_are_held_let_the_foot_go(speed, hold):
    options = {"engine": "exact", "action_mode": "torque", "ctrl_dt": hold, "max_episode_steps": 10**5}
    env = gymnasium.make("HoppingLeg-v1", **options).unwrapped
    policy = raibert.policy(env.params, env.action_scale, raibert.RaibertGains(speed=speed))
    (observation, info), rows, terminated = env.reset(seed=0), [], False
    charts = 0
    while info["time"] < 4.0 and not terminated:
        observation, _, terminated, _, info = env.step(policy(observation, info))
        rows.append((info["foot_contact"][0], info["distance"]))
    contact, distance = np.array(rows, float).T
    hops = np.sum(np.diff(contact) < 0)
    charts = env._sim._runs.runs._runs["n_charts"][0]
    assert not terminated and 8 <= hops <= 10 and charts < 8 * hops
    assert (distance[-1] - distance[len(distance) // 2]) / 2.0 == pytest.approx(speed, rel=0.15)
