"""Records at given times, and dense output across events."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tarsus.analytic import hybrid as hy
from tarsus.analytic.models import bouncing_ball

PARTS = ["python", pytest.param("compiled", marks=pytest.mark.extra)]
G, RESTITUTION, HEIGHT = 9.81, 0.8, 1.0


def ball(mode="python", method="dop853"):
    model = hy.Model("ball", state={"z": HEIGHT, "v": 0.0}, memory={"hits": 0.0}, charts=["up", "down"], start="down")
    for chart in ("up", "down"):

        @model.field(chart)
        def fall(t, x, d, p, dx):
            dx[0], dx[1] = x[1], -9.81

    @model.guard("down", to="up")
    def hit(t, x, d, p):
        return x[0]

    @model.guard("up", to="down")
    def top(t, x, d, p):
        return x[1]

    @model.reset("hit")
    def bounce(t, x, d, p):
        x[0], x[1] = 0.0, -0.8 * x[1]
        d[0] += 1.0

    return hy.compile(model, method, mode)


def exact(t, side="right"):
    """Return height, speed and hits of the ball at `t`, by its formula."""
    v, at, hits = math.sqrt(2.0 * G * HEIGHT), math.sqrt(2.0 * HEIGHT / G), 0
    if t < at or (t == at and side == "left"):
        return HEIGHT - 0.5 * G * t * t, -G * t, 0
    while True:
        hits, v = hits + 1, RESTITUTION * v
        lasts = 2.0 * v / G
        if t < at + lasts or (t == at + lasts and side == "left"):
            s = t - at
            return v * s - 0.5 * G * s * s, v - G * s, hits
        at += lasts


@pytest.mark.parametrize("mode", PARTS)
@pytest.mark.parametrize("method", ["dop853", "dopri5", "rodas5p"])
def test_the_state_at_any_time_is_the_formula(mode, method):
    r = ball(mode, method).run(final_time=3.0, rtol=1e-10, dense=True)
    t = np.random.default_rng(0).uniform(0.0, 3.0, 300)
    want = np.array([exact(s) for s in t])
    far = np.min(np.abs(t[:, None] - r.events.t), axis=1) > 1e-6
    assert np.allclose(r.at(t)[far], want[far, :2], rtol=0, atol=1e-7)
    assert np.array_equal(r.memory_at(t)[far, 0], want[far, 2])
    assert np.array_equal(r.chart_at(t)[far], (want[far, 1] < 0.0).astype(int))


def test_at_an_event_there_are_two_sides():
    r = ball().run(final_time=3.0, rtol=1e-10, dense=True)
    log = r.events
    assert np.array_equal(r.at(log.t), log.x_plus) and np.array_equal(r.at(log.t, "left"), log.x_minus)
    assert np.array_equal(r.memory_at(log.t), log.d_plus) and np.array_equal(r.memory_at(log.t, "left"), log.d_minus)
    assert np.array_equal(r.chart_at(log.t), log.chart_after)
    assert np.array_equal(r.chart_at(log.t, side="left"), log.chart_before)
    assert np.array_equal(r.at(r.t_end), r.x_end) and np.array_equal(r.at(0.0), [HEIGHT, 0.0])


def test_shapes_follow_the_times():
    r = ball().run(final_time=1.0, dense=True)
    assert r.at(0.3).shape == (2,) and r.at([[0.1, 0.2, 0.3]]).shape == (1, 3, 2) and r.at([]).shape == (0, 2)
    assert r.memory_at(0.3).shape == (1,) and r.chart_at(0.3).shape == () and r.chart_at([0.1, 0.6]).tolist() == [1, 0]


def test_it_changes_nothing_else_and_agrees_with_records():
    sim, times = ball(), np.linspace(0.0, 3.0, 97)
    plain, dense, listed = sim.run(final_time=3.0), sim.run(final_time=3.0, dense=True), sim.run(times=times)
    assert np.array_equal(plain.events.log, dense.events.log) and np.array_equal(plain.events.log, listed.events.log)
    assert np.array_equal(plain.x_end, dense.x_end) and np.array_equal(plain.x_end, listed.x_end)
    assert np.array_equal(listed.t, times) and np.allclose(dense.at(times), listed.x, rtol=0, atol=1e-13)
    assert np.array_equal(dense.chart_at(times), listed.chart) and np.array_equal(dense.memory_at(times), listed.d)


@given(st.lists(st.floats(0.0, 3.0), min_size=1, max_size=12, unique=True).map(sorted), st.integers(0, 5))
def test_times_are_met_exactly(times, k):
    sim = ball()
    hits = sim.run(final_time=3.0).events.t
    times = sorted({*times, float(hits[k])})  # an event's own time: the state behind it
    r = sim.run(times=times, final_time=3.0)
    assert r.t.tolist() == times
    far = np.min(np.abs(np.array(times)[:, None] - hits), axis=1) > 1e-6
    want = np.array([exact(t)[:2] for t in times])
    assert np.allclose(r.x[far], want[far], rtol=0, atol=1e-5)
    assert np.array_equal(r.x[times.index(float(hits[k]))], r.events.x_plus[k])


def test_a_record_at_the_final_time_is_behind_an_event_that_falls_there():
    model = hy.Model("step", state={"x": 0.0}, charts=["run"])
    model.field("run")(lambda t, x, d, p, dx: dx.__setitem__(0, 1.0))
    model.at(hy.at([1.0]), name="jump")(lambda t, x, d, p: x.__setitem__(0, 10.0))
    sim = hy.compile(model, mode="python")
    for how in ({"record_period": 0.5}, {"times": [0.0, 0.5, 1.0]}, {"record_period": 0.0}):
        r = sim.run(**{"final_time": 1.0} | how)
        assert r.t[-1] == 1.0 and r.x[-1, 0] == 10.0 and np.sum(r.t == 1.0) == 1, how


def test_what_cannot_be_is_said():
    sim = ball()
    r = sim.run(final_time=1.0)
    with pytest.raises(ValueError, match=r"dense output was not kept: run\(..., dense=True\)"):
        r.at(0.5)
    r = sim.run(final_time=1.0, dense=True)
    with pytest.raises(ValueError, match="t must be within the run, from 0.0 to 1.0 s, got 1.5"):
        r.at([0.5, 1.5])
    with pytest.raises(ValueError, match="side must be 'left' or 'right', got 'up'"):
        r.at(0.5, "up")
    for how, words in (
        ({"times": [0.0, 2.0], "final_time": 1.0}, "times must be within the run, from 0.0 to 1.0 s, got 2.0"),
        ({"times": [0.5, 0.2]}, "times must increase, got 0.5 and then 0.2; sort them"),
        ({"times": [0.5], "record_period": 0.1}, "give times or record_period, not both"),
        ({"times": [0.5], "dense": True}, "leave record_period and times out"),
        ({"dense": True, "record_period": 0.1}, "leave record_period and times out"),
        ({"times": "all"}, "times must be a list of numbers"),
    ):
        with pytest.raises(ValueError, match=words):
            sim.run(**how)


def test_a_run_that_ends_early_has_the_records_up_to_there():
    r = hy.compile(bouncing_ball.build(), mode="python").run(times=[0.0, 0.1, 5.0, 50.0], stop_at="impact")
    assert r.t.tolist() == [0.0, 0.1] and r.t_end < 5.0
