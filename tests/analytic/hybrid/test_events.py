"""What other engines learned about events the hard way, one test each. Interpreted: compiled runs agree bit for bit."""

import math

import numpy as np
import pytest

from tarsus.analytic import hybrid as hy
from tarsus.analytic.hybrid import Status

ULP = 2.3e-16
# Rounding of one DOP853 step: its weights sum to 1 with cancellation.
ROUNDING = 32 * ULP


def throw(height=1.0, speed=0.0, **guard):
    """A ball thrown in unit gravity: height h(t) = height + speed t - t^2 / 2; the guard is the height."""
    model = hy.Model("throw", state={"h": height, "v": speed}, charts=["up", "down"], memory={"n": 0.0})

    @model.field("up", "down")
    def fall(t, x, d, p, dx):
        dx[0] = x[1]
        dx[1] = -1.0

    return model


def clocks(*rates, **options):
    """Guards that count down at given rates from 1, each leading to its own chart."""
    model = hy.Model("clocks", state={"s": 0.0}, charts=["run", *(f"c{i}" for i in range(len(rates)))])

    @model.field(*model.charts)
    def flow(t, x, d, p, dx):
        dx[0] = 1.0

    for i, rate in enumerate(rates):

        def value(t, x, d, p, rate=rate):
            return 1.0 - rate * x[0]

        model.add_guard(hy.Guard(f"g{i}", charts=("run",), function=value, to=f"c{i}", **options))
    return model


def run(model, method="dop853", **kw):
    return hy.compile(model, mode="python", method=method).run(**kw)


def ground(model, **options):
    @model.guard("up", "down", to="down", **options)
    def hit(t, x, d, p):
        return x[0]

    return model


def stop_at_ground(model, **options):
    return run(ground(model), stop_at="hit", **{"final_time": 10.0, **options})


@pytest.mark.parametrize("method", ["dop853", "dopri5", "rk23", "rodas5p"])
def test_event_time_is_exact_to_rounding(method):
    r = (
        stop_at_ground(throw(0.7, 0.3), chart="up")
        if method == "dop853"
        else run(ground(throw(0.7, 0.3)), method, stop_at="hit", final_time=10.0)
    )
    exact = 0.3 + math.sqrt(0.09 + 1.4)
    # The flow is a parabola: exact for all; rk23's dense output is a cubic.
    assert abs(r.t_end - exact) <= ROUNDING
    assert r.status is Status.STOPPED


def test_crossing_exactly_at_a_steps_end():
    r = stop_at_ground(throw(0.5, 0.0), max_step=0.25, first_step=0.25)  # hits at t = 1 = 4 steps
    assert abs(r.t_end - 1.0) <= ROUNDING
    assert len(r.events) == 1


def test_start_on_a_guard_that_rises_does_not_fire_there():
    r = stop_at_ground(throw(0.0, 1.0))
    assert abs(r.t_end - 2.0) <= ROUNDING


def test_start_on_a_guard_that_falls_is_refused():
    r = stop_at_ground(throw(0.0, -1.0))
    assert r.status is Status.INVALID_ENTRY
    assert "guard hit, at t = 0.0" in r.message and "; it is 0 and falls at h = 0, v = -1: start where" in r.message


def test_start_on_a_guard_at_rest_is_decided_by_what_comes():
    assert stop_at_ground(throw(0.0, 0.0)).status is Status.INVALID_ENTRY  # gravity pulls it under
    model = hy.Model("rise", state={"h": 0.0, "v": 0.0}, charts=["up"])

    @model.field("up")
    def lift(t, x, d, p, dx):
        dx[0] = x[1]
        dx[1] = 1.0 - t

    @model.guard("up", to="up")
    def hit(t, x, d, p):
        return x[0]

    r = run(model, stop_at="hit", final_time=10.0)  # h = t^2/2 - t^3/6
    assert abs(r.t_end - 3.0) < 1e-12


@pytest.mark.parametrize("choice, status, fired", [("refuse", Status.INVALID_ENTRY, 0), ("fire", Status.STOPPED, 1)])
def test_start_below_ground(choice, status, fired):
    r = run(ground(throw(-0.1, 0.0), on_entry=choice), stop_at="hit", final_time=1.0)
    assert r.status is status
    assert len(r.events) == fired
    assert r.t_end == 0.0


@pytest.mark.parametrize("period", [0.0, 0.1])
def test_a_refused_start_says_what_was_negative_and_is_the_only_row(period):
    r = run(ground(throw(-0.1, 0.5)), final_time=1.0, record_period=period)
    assert r.t.tolist() == [0.0] and r.x.tolist() == [[-0.1, 0.5]]
    assert "; it is -0.1 at h = -0.1, v = 0.5: start where it is positive, or in another chart, or" in r.message


def test_start_below_ground_is_refused_even_if_it_rises():
    assert run(ground(throw(-0.1, 1.0)), final_time=1.0).status is Status.INVALID_ENTRY


@pytest.mark.parametrize("moves", [False, True])
def test_declined_exactly_at_a_steps_end_the_memory_is_kept_and_the_state_must_be(moves):
    model = hy.Model("count", state={"s": 0.0}, memory={"n": 0.0}, charts=["run"])

    @model.field("run")
    def flow(t, x, d, p, dx):
        dx[0] = 1.0

    @model.guard("run")
    def one(t, x, d, p):
        return 1.0 - t

    @model.on("one")
    def no(t, x, d, p):
        d[0] = 7.0
        if moves:
            x[0] = 9.0
        return hy.DECLINE

    r = run(model, final_time=2.0, max_step=0.25, first_step=0.25)
    assert r.counts["declined"] == 1 and r.d_end[0] == 7.0
    if moves:
        assert r.status is Status.MODEL_ERROR and abs(r.x_end[0] - 1.0) < ROUNDING
        assert "guard one declined and changed the state, at t = 1.0" in r.message and "return the chart's" in r.message
    else:
        assert r.status is Status.FINAL_TIME and abs(r.x_end[0] - 2.0) < ROUNDING


def test_ignored_start_below_ground_fires_after_it_came_up():
    r = run(ground(throw(-0.5, 2.0), on_entry="ignore"), stop_at="hit", final_time=10.0)
    assert abs(r.t_end - (2.0 + math.sqrt(3.0))) < 1e-14


def test_two_crossings_in_one_step():
    # Up through the guard and down again within a single step of length 8; starts below, waiting.
    r = run(ground(throw(-0.5, 2.0), on_entry="ignore"), stop_at="hit", final_time=8.0, first_step=8.0)
    assert abs(r.t_end - (2.0 + math.sqrt(3.0))) < 1e-13  # heights reach 30 inside the step: 30 units of rounding


@pytest.mark.parametrize("depth", [1e-2, 1e-6, 1e-9, 1e-12])
@pytest.mark.parametrize("method", ["dop853", "dopri5", "rodas5p"])
def test_shallow_dips_are_found(depth, method):
    """h = (t - 1)^2 - depth: positive at every step's end."""
    model = hy.Model("dip", state={"s": 0.0}, charts=["run"])

    @model.field("run")
    def flow(t, x, d, p, dx):
        dx[0] = 1.0

    @model.guard("run", to="run", on_entry="ignore")
    def dip(t, x, d, p):
        return (x[0] - 1.0) * (x[0] - 1.0) - depth

    r = run(model, method, stop_at="dip", final_time=3.0, first_step=0.7)
    assert r.status is Status.STOPPED
    # The value has rounding 1e-16, so the time has 1e-16 / slope.
    assert abs(r.t_end - (1.0 - math.sqrt(depth))) < 1e-15 + 1e-15 / math.sqrt(depth)


def test_a_guard_that_oscillates_within_a_step_is_found():
    """Sixteen waves in one step: the ball meets the second wave crest, not the floor far below."""
    model = hy.Model("waves", state={"s": 0.0, "y": 1.0}, charts=["run"])

    @model.field("run")
    def flow(t, x, d, p, dx):
        dx[0] = 1.0
        dx[1] = -0.05

    @model.guard("run", to="run")
    def wave(t, x, d, p):
        return x[1] - 0.9 * math.sin(2.0 * math.pi * x[0])

    r = run(model, stop_at="wave", final_time=16.0, first_step=16.0)
    t = np.linspace(0.0, 16.0, 2_000_001)
    first = t[np.argmax(1.0 - 0.05 * t - 0.9 * np.sin(2.0 * np.pi * t) <= 0.0)]
    assert abs(r.t_end - first) < 1e-5


def test_grazing_is_reported_and_not_acted_on():
    model = throw(-0.5, 1.0)  # peaks at height 0 exactly at t = 1

    @model.guard("up", "down", to="down")
    def ceiling(t, x, d, p):
        return 1e-12 - x[0]

    r = run(model, final_time=2.0)
    assert r.events.kind.tolist() == ["grazing"]
    assert abs(r.events.t[0] - 1.0) < 1e-6
    assert r.chart_end == 0
    assert r.counts["transitions"] == 0


def test_tangency_that_only_touches_zero_is_one_event_or_grazing():
    model = throw(-0.5, 1.0)

    @model.guard("up", to="down")
    def ceiling(t, x, d, p):
        return -x[0]

    r = run(model, final_time=2.0)
    assert r.status is Status.FINAL_TIME
    assert len(r.events) == 1
    assert abs(r.events.t[0] - 1.0) < 1e-6


def test_of_two_guards_at_one_instant_the_first_declared_fires():
    r = run(clocks(2.0, 2.0), final_time=1.0)
    assert r.events.name.tolist() == ["g0"]
    assert r.chart_end == 1  # the first declared; the second is no guard of the new chart, and has not fired


def test_guards_staggered_in_one_step_fire_in_order_of_time():
    model = clocks(1.0, 1.25)
    r = run(model, final_time=3.0, first_step=3.0)
    assert r.events.name.tolist() == ["g1"]
    assert abs(r.events.t[0] - 0.8) <= ROUNDING


def test_a_guard_made_positive_by_an_earlier_reset_does_not_fire():
    model = hy.Model("two", state={"a": 1.0, "b": 1.0}, charts=["run"], memory={"n": 0.0})

    @model.field("run")
    def flow(t, x, d, p, dx):
        dx[0] = -1.0
        dx[1] = -1.0

    @model.guard("run", to="run")
    def first(t, x, d, p):
        return x[0]

    @model.guard("run", to="run")
    def second(t, x, d, p):
        return x[1]

    @model.reset("first")
    def both_up(t, x, d, p):
        x[0] = 5.0
        x[1] = 5.0

    @model.reset("second")
    def count(t, x, d, p):
        d[0] += 1.0

    r = run(model, final_time=2.0)
    assert r.events.name.tolist() == ["first"]
    assert r.d_end[0] == 0.0


def test_declined_event_waits_until_the_guard_is_positive_again():
    """sin(t) falls at pi, 3 pi, 5 pi; the transition declines the second."""
    model = hy.Model("wave", state={"s": 0.0}, charts=["run"], memory={"n": 0.0, "declined": 0.0})

    @model.field("run")
    def flow(t, x, d, p, dx):
        dx[0] = 1.0

    @model.guard("run", on_entry="ignore")
    def zero(t, x, d, p):
        return math.sin(x[0])

    @model.on("zero")
    def every_other(t, x, d, p):
        if 6.0 < t < 12.0:
            d[1] += 1.0  # a declined transition's changes of the memory are kept
            return hy.DECLINE
        d[0] += 1.0
        return 0

    r = run(model, final_time=16.0, max_step=3.0)
    assert np.allclose(r.events.t, np.pi * np.array([1, 3, 5]), rtol=0, atol=1e-13)
    assert r.events.kind.tolist() == ["transition", "declined", "transition"]
    assert r.d_end.tolist() == [2.0, 1.0] and r.events.d_plus.tolist() == [[1, 0], [1, 1], [2, 1]]
    assert r.counts["declined"] == 1


@pytest.mark.parametrize("direction, times", [(-1, [1, 3]), (1, [2, 4]), (0, [1, 2, 3, 4])])
def test_direction(direction, times):
    model = hy.Model("wave", state={"s": 0.5}, charts=["run"])

    @model.field("run")
    def flow(t, x, d, p, dx):
        dx[0] = 1.0

    @model.guard("run", direction=direction, on_entry="ignore")
    def zero(t, x, d, p):
        return math.sin(x[0])

    @model.on("zero")
    def note(t, x, d, p):
        return 0

    r = run(model, final_time=13.0)
    assert np.allclose(r.events.t, np.pi * np.array(times) - 0.5, rtol=0, atol=1e-12)


@pytest.mark.parametrize("side", ["left", "right"])
def test_side_of_the_accepted_point(side):
    """The guard is irrational everywhere, so no point is exactly on it."""
    for start in np.linspace(0.1, 1.3, 40):
        model = hy.Model("side", state={"s": start}, charts=["run", "end"])

        @model.field("run", "end")
        def flow(t, x, d, p, dx):
            dx[0] = -x[0]

        @model.guard("run", to="end", side=side)
        def level(t, x, d, p):
            return x[0] * x[0] - math.e / 300.0

        r = run(model, final_time=10.0)
        value = r.events.x_minus[0, 0] ** 2 - math.e / 300.0
        assert (value > 0) == (side == "left")
        assert abs(value) < 1e-15


def test_target_value_is_a_parameter():
    model = throw(1.0, 0.0)
    model = hy.Model("target", state={"h": 1.0}, params={"level": 0.25}, charts=["run"])

    @model.field("run")
    def flow(t, x, d, p, dx):
        dx[0] = -1.0

    @model.guard("run", to="run", target="level")
    def reach(t, x, d, p):
        return x[0]

    @model.reset("reach")
    def restart(t, x, d, p):
        x[0] = 1.0

    sim = hy.compile(model, mode="python")
    assert abs(sim.run(stop_at="reach", final_time=5.0).t_end - 0.75) < 1e-15
    assert abs(sim.run(params={"level": 0.5}, stop_at="reach", final_time=5.0).t_end - 0.5) < 1e-15


def test_event_then_immediate_recrossing():
    """A bounce far shorter than the step before it: a fall of 1 s, then a hop of 2e-6 s."""
    model = ground(throw(0.5, 0.0))

    @model.reset("hit")
    def hop(t, x, d, p):
        x[0] = 0.0
        x[1] = 1e-6

    r = run(model, final_time=10.0, stop_at="hit", stop_count=4)
    gaps = np.diff(r.events.t)
    assert np.allclose(gaps, 2e-6, rtol=1e-9)


@pytest.mark.parametrize("scale", [1e-9, 1e-5, 1.0, 1e5, 1e9])
def test_time_scales(scale):
    """The same throw in other units of time has its event at the same place."""
    model = hy.Model("scaled", state={"h": 1.0, "v": 0.5}, charts=["run"])

    @model.field("run")
    def flow(t, x, d, p, dx):
        dx[0] = x[1] / scale
        dx[1] = -1.0 / scale

    @model.guard("run", to="run")
    def hit(t, x, d, p):
        return x[0]

    r = run(model, stop_at="hit", final_time=10.0 * scale, min_step=0.0)
    assert abs(r.t_end / scale - 2.0) < 1e-14


def test_a_large_irrelevant_state_hides_no_bounce():
    """The step control sees only the large state, so steps are far longer than a bounce."""
    model = hy.Model("far", state={"h": 1.0, "v": 0.0, "far": 1e9}, charts=["run"])

    @model.field("run")
    def flow(t, x, d, p, dx):
        dx[0] = x[1]
        dx[1] = -9.81
        dx[2] = 1.0

    @model.guard("run", to="run")
    def hit(t, x, d, p):
        return x[0]

    @model.reset("hit")
    def bounce(t, x, d, p):
        x[0] = 0.0
        x[1] = -0.9 * x[1]

    r = run(model, final_time=5.0, rtol=1e-3, zeno=False)
    fall = math.sqrt(2.0 / 9.81)
    exact = fall * (1.0 + 2.0 * np.cumsum(0.9 ** np.arange(1, len(r.events))))
    assert len(r.events) == 8
    assert np.allclose(r.events.t[1:], exact, rtol=1e-10)
    assert np.all(r.x[:, 0] >= -1e-12)


def test_too_few_iterations_is_a_status():
    r = stop_at_ground(throw(0.7, 0.3), max_stop_iter=1)
    assert r.status is Status.STOP_ITER


def test_time_guards_fire_exactly():
    """A clock's kinks, seen by a guard of time alone."""
    model = hy.Model("clock", state={"s": 0.0}, memory={"next": 0.1}, charts=["run"])

    @model.field("run")
    def flow(t, x, d, p, dx):
        dx[0] = -x[0] + d[0]

    @model.guard("run", to="run")
    def kink(t, x, d, p):
        return d[0] - t

    @model.reset("kink")
    def later(t, x, d, p):
        d[0] = d[0] + 0.1

    r = run(model, final_time=1.05)
    assert np.allclose(r.events.t, 0.1 * np.arange(1, 11), rtol=0, atol=4 * ULP)
