"""Bouncing ball, pendulum and wall, dry friction: closed forms and invariants."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tarsus.analytic import hybrid as hy
from tarsus.analytic.hybrid import Status
from tarsus.analytic.models import bouncing_ball
from tarsus.scripts.laboratory.models import dry_friction, pendulum_wall

BALL = hy.compile(bouncing_ball.build(), mode="python")
WALL = hy.compile(pendulum_wall.build(), mode="python")
BLOCK = hy.compile(dry_friction.build(), mode="python")


@settings(max_examples=25, deadline=None)
@given(st.floats(0.01, 100.0), st.floats(0.1, 0.9))
def test_ball_comes_to_rest_at_the_exact_time(height, restitution):
    r = BALL.run({"height": height}, params={"restitution": restitution}, final_time=1e4)
    assert r.chart_end == bouncing_ball.REST
    exact = bouncing_ball.rest_time(height, r.p)
    limit = r.events.t[r.events.kind == "accumulation"][0]
    assert abs(limit - exact) < 1e-12 * exact


@settings(max_examples=15, deadline=None)
@given(st.floats(0.1, 10.0), st.floats(-3.0, 3.0))
def test_ball_energy_falls_by_the_restitution_squared(height, velocity):
    r = BALL.run({"height": height, "velocity": velocity}, final_time=20.0, max_charts=6)
    after = bouncing_ball.energy(r.p, r.events.x_plus)[:-1]
    before = bouncing_ball.energy(r.p, r.events.x_minus)[:-1]
    assert np.allclose(after, 0.25 * before, rtol=1e-12)
    assert np.allclose(before[1:], after[:-1], rtol=1e-12)


@settings(max_examples=15, deadline=None)
@given(st.floats(0.3, 2.5), st.floats(-2.0, 2.0), st.floats(-0.5, 0.25))
def test_pendulum_energy_between_impacts(angle, rate, wall):
    r = WALL.run({"angle": angle, "rate": rate}, params={"wall_angle": wall}, final_time=4.0, rtol=1e-11)
    e = r.events
    before, after = pendulum_wall.energy(r.p, e.x_minus), pendulum_wall.energy(r.p, e.x_plus)
    assert np.allclose(before[1:], after[:-1], rtol=0, atol=1e-8)
    kept = e.kind == "transition"
    assert np.allclose(e.x_plus[kept, 1], -0.6 * e.x_minus[kept, 1])
    assert np.all(r.x[:, 0] >= wall - 1e-9)


def test_block_sticks_and_slips_at_the_exact_times():
    """From rest at 0 the block is dragged until it has the belt's speed, rides to F / k, and slips."""
    r = BLOCK.run(final_time=3.0, rtol=1e-12)
    # x = (F/k) (1 - cos t), v = (F/k) sin t = belt speed: sin t = 0.6.
    catch = math.asin(0.6)
    ride = (0.5 - 0.5 * (1.0 - math.cos(catch))) / 0.3
    assert r.events.name.tolist() == ["excess_up", "stuck_to_behind"]
    assert np.allclose(r.events.t, [catch, catch + ride], rtol=0, atol=2e-12)
    stuck = r.chart == dry_friction.STUCK
    assert np.abs(r.x[stuck, 1] - 0.3).max() < 1e-12
    assert np.allclose(r.events.x_minus[1], [0.5, 0.3], rtol=0, atol=1e-12)


@settings(max_examples=15, deadline=None)
@given(st.floats(-2.0, 2.0), st.floats(-2.0, 2.0))
def test_block_sliding_energy_and_belt_speed(position, velocity):
    r = BLOCK.run([position, velocity], final_time=8.0, rtol=1e-11)
    assert r.status in (Status.FINAL_TIME, Status.CHATTER)
    energy = dry_friction.sliding_energy(r.p, r.x, r.chart)
    sliding = (r.chart[1:] == r.chart[:-1]) & (r.chart[1:] != dry_friction.STUCK)
    assert np.abs(np.diff(energy)[sliding]).max(initial=0.0) < 1e-9
    stuck = r.chart == dry_friction.STUCK
    assert np.abs(r.x[stuck, 1] - 0.3).max(initial=0.0) < 1e-9


def test_shaken_block_relays_between_both_ways_of_slipping():
    """Shaken hard, the stuck block breaks loose forwards and backwards, exactly when load reaches the limit."""
    params = {"amplitude": 1.2, "belt_speed": 0.0, "frequency": 0.5}
    r = BLOCK.run(params=params, final_time=60.0, rtol=1e-11)
    assert r.status is Status.FINAL_TIME
    leaves = [i for i, name in enumerate(r.events.name) if name.startswith("stuck_to")]
    assert {"stuck_to_ahead", "stuck_to_behind"} <= set(r.events.name[leaves])
    load = [dry_friction.load(r.events.t[i], r.events.x_minus[i], r.p) for i in leaves]
    assert np.allclose(np.abs(load), 0.5, rtol=0, atol=1e-9)


@pytest.mark.parametrize(
    "make, sentence",
    [
        (lambda: bouncing_ball.BouncingBall(restitution=1.2), r"restitution must lie in \[0, 1\], got 1.2"),
        (lambda: pendulum_wall.PendulumWall(length=0.0), "length must be positive, got 0.0"),
        (lambda: dry_friction.DryFriction(friction=-1.0), "friction must be positive, got -1.0"),
    ],
)
def test_wrong_parameters_are_refused(make, sentence):
    with pytest.raises(ValueError, match=sentence):
        make()


@pytest.mark.extra
def test_blocks_from_anywhere_stick_and_slip_to_the_end():
    """600 starts: leaving the surface begins on it, within rounding on either side, and must not end the run."""
    sim = hy.compile(dry_friction.build(), "dopri5")
    starts = np.random.default_rng(1).uniform(-2.0, 2.0, (600, 2))
    for params in (None, {"amplitude": 1.2, "frequency": 0.5}):
        ends = sim.batch(starts, params=params, final_time=40.0, rtol=1e-9)
        assert set(ends.status) == {Status.FINAL_TIME}
