"""Events at the edges: close together, at the end of a run, below zero by a hair; and runs that nobody can mean."""

import math

import numpy as np
import pytest

from tarsus.analytic import hybrid as hy
from tarsus.analytic.hybrid import Status
from tarsus.analytic.models import bouncing_ball
from tarsus.scripts.laboratory.models import dry_friction

ULP = 2.3e-16


def clock(value, direction=0, counts=False, charts=("run",), **guard):
    """A clock x' = 1 from 0 with a guard `value(x)`; an event changes nothing, or counts in the memory."""
    model = hy.Model("clock", state={"x": 0.0}, memory={"n": 0.0}, charts=charts)

    @model.field(*charts)
    def flow(t, x, d, p, dx):
        dx[0] = 1.0

    @model.guard("run", to=charts[-1], direction=direction, **{"on_entry": "ignore", **guard})
    def zero(t, x, d, p):
        return value(x[0])

    if counts:

        @model.reset("zero")
        def count(t, x, d, p):
            d[0] += 1.0

    return hy.compile(model, mode="python")


def product(*roots):
    return lambda x: math.prod(x - root for root in roots)


@pytest.mark.parametrize("counts", [False, True])
@pytest.mark.parametrize(
    "roots, final_time, rtol",
    [((0.5, 0.51), 2.0, 1e-9), ((0.3118, 0.4233, 0.8585, 0.8615), 1.0, 1e-10), ((1.0, 1.00001), 2.0, 1e-9)],
)
def test_a_guard_that_fires_both_ways_fires_once_at_every_root(roots, final_time, rtol, counts):
    r = clock(product(*roots), counts=counts).run(final_time=final_time, rtol=rtol)
    assert r.status is Status.FINAL_TIME
    assert np.allclose(r.events.t, roots, rtol=0, atol=1e-14) and len(r.events) == len(roots)


@pytest.mark.parametrize("periods", [3, 30, 300])
def test_every_wave_is_met_without_a_largest_step(periods):
    """The clock's steps grow without limit: only the guard tells how fast it oscillates."""
    r = clock(lambda x: math.sin(2.0 * math.pi * periods * x) + 0.01).run(final_time=1.0)
    dip = math.asin(0.01) / (2.0 * math.pi)
    exact = np.sort(np.concatenate([np.arange(periods) + 0.5 + dip, np.arange(1, periods + 1) - dip])) / periods
    assert r.status is Status.FINAL_TIME and len(r.events) == 2 * periods
    assert np.abs(r.events.t - exact).max() < 1e-13


@pytest.mark.parametrize("direction, times", [(1, [1.0, 4.0]), (-1, [2.5]), (0, [1.0, 2.5, 4.0])])
def test_an_event_at_the_final_time_happens_once(direction, times):
    sim = clock(product(1.0, 2.5, 4.0), direction=direction, counts=True)
    r = sim.run(final_time=4.0)
    assert r.status is Status.FINAL_TIME and r.t_end == 4.0
    assert np.allclose(r.events.t, times, rtol=0, atol=1e-14) and len(r.events) == len(times)
    assert r.d_end[0] == len(times)


def test_an_event_at_the_start_is_none_and_one_beyond_the_end_is_none():
    r = clock(product(0.0, 1.0 + 1e-9)).run(final_time=1.0)
    assert r.status is Status.FINAL_TIME and len(r.events) == 0


@pytest.mark.parametrize("depth", [1e-11, 1e-12, 1e-13, 1e-14])
@pytest.mark.parametrize("speed", [1e-13, 1e-11, 1e-9, 1e-7])
@pytest.mark.parametrize("pull", [-9.81, 9.81])
def test_a_falling_guard_does_not_fire_while_it_rises(depth, speed, pull):
    """A foot that starts a hair below the ground, where it may: it lands only after it has been above, and falling."""
    model = hy.Model("foot", state={"z": -depth, "w": speed}, charts=["air"])

    @model.field("air")
    def fly(t, x, d, p, dx):
        dx[0] = x[1]
        dx[1] = pull

    @model.guard("air", to="air", on_entry="ignore")
    def touchdown(t, x, d, p):
        return x[0]

    r = hy.compile(model, mode="python").run(final_time=1.0)
    comes_up = pull < 0.0 and speed * speed / (2.0 * 9.81) > depth
    assert r.status is Status.FINAL_TIME
    assert len(r.events) == (1 if comes_up else 0)
    assert np.all(r.events.x_minus[:, 1] < 0.0)


@pytest.mark.parametrize("same_field", [True, False])
def test_a_run_refused_behind_an_event_stands_at_the_event(same_field):
    model = hy.Model("refused", state={"x": 0.0}, charts=["run", "next"])

    def flow(t, x, d, p, dx):
        dx[0] = 1.0

    def again(t, x, d, p, dx):
        dx[0] = 1.0

    model.field("run")(flow)
    model.field("next")(flow if same_field else again)

    @model.guard("run", to="next")
    def half(t, x, d, p):
        return 0.5 - x[0]

    @model.guard("next", to="next", on_entry="refuse")
    def wall(t, x, d, p):
        return 0.2 - x[0]

    r = hy.compile(model, mode="python").run(final_time=2.0)
    assert r.status is Status.INVALID_ENTRY and "wall" in r.message and "chart next" in r.message
    assert "it is -0.3 at x = 0.5: let the event before leave it positive" in r.message
    assert abs(r.t_end - 0.5) < 4 * ULP and abs(r.x_end[0] - 0.5) < 4 * ULP and r.chart_end == 1


@pytest.mark.parametrize("velocity, chart", [(0.0, "ahead"), (-1.0, "ahead"), (0.5, "behind"), (0.3, "ahead")])
def test_a_run_on_the_wrong_side_of_a_surface_is_refused(velocity, chart):
    sim = hy.compile(dry_friction.build(), mode="python")
    r = sim.run({"position": 1.9, "velocity": velocity}, chart=chart, final_time=2.0)
    assert r.status is Status.INVALID_ENTRY and r.t_end == 0.0
    assert sim.run({"position": 1.9, "velocity": velocity}, final_time=2.0).status is Status.FINAL_TIME


def test_a_restart_at_a_late_time_moves():
    """A first step of a few units of rounding in time would not: the guard behind the restart is seen all the same."""
    scale = 1e15
    model = hy.Model("slow", state={"x": 0.0}, charts=["run", "other"])

    def flow(t, x, d, p, dx):
        dx[0] = 1.0 / scale

    def same(t, x, d, p, dx):
        dx[0] = 1.0 / scale

    model.field("run")(flow)
    model.field("other")(same)

    @model.guard("run", "other", direction=0)
    def zero(t, x, d, p):
        return (x[0] - 0.3) * (x[0] - 0.6)

    @model.on("zero")
    def change(t, x, d, p):
        return 1

    r = hy.compile(model, mode="python").run(final_time=scale)
    assert np.allclose(r.events.t / scale, [0.3, 0.6], rtol=0, atol=1e-14)


def test_grazings_are_logged_in_order_of_time():
    model = hy.Model("graze", state={"x": 0.0}, charts=["run"])

    @model.field("run")
    def flow(t, x, d, p, dx):
        dx[0] = 1.0

    for place, name in ((0.7, "late"), (0.4, "early")):

        def value(t, x, d, p, place=place):
            return (x[0] - place) * (x[0] - place) + 1e-12

        model.add_guard(hy.Guard(name, charts=("run",), function=value, to="run"))
    r = hy.compile(model, mode="python").run(final_time=1.0)
    assert r.events.name.tolist() == ["early", "late"] and set(r.events.kind) == {"grazing"}


@pytest.mark.parametrize(
    "settings, sentence",
    [
        ({"t0": 1.0, "final_time": 0.0}, "final_time must not lie before t0"),
        ({"t0": math.nan}, "t0 must be finite"),
        ({"record_period": 1e-300}, "record_period must be at least"),
        ({"measure_period": 1e-300}, "measure_period must be at least"),
        ({"frame_period": 1e-12}, "frame_period must be at least"),
        ({"max_step": 1e-20}, "max_step must not be below min_step"),
        ({"max_steps": 1e30}, "max_steps must be a whole number"),
        ({"max_charts": 2.5}, "max_charts must be a whole number"),
        ({"max_stop_iter": math.nan}, "max_stop_iter must be"),
        ({"stop_at": "impact", "stop_count": 0}, "stop_count must be a whole number, at least 1"),
        ({"stop_at": "impact", "stop_count": 1.5}, "stop_count must be a whole number, at least 1"),
    ],
)
def test_a_run_that_nobody_can_mean_is_refused(settings, sentence):
    sim = hy.compile(bouncing_ball.build(), mode="python")
    with pytest.raises(ValueError, match=sentence):
        sim.run(**settings)


def test_a_guard_that_is_no_number_in_the_middle_of_a_step_is_named():
    """At both ends of the run it is far from zero and hardly changes."""
    r = clock(lambda x: math.nan if 0.3 < x < 0.7 else 10.0).run(final_time=1.0, first_step=1.0)
    assert r.status is Status.NONFINITE
    assert "guard zero" in r.message
