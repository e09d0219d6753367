"""Runs as a whole: exact times, limits, what is kept on a failure, accumulation, orders, replay."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tarsus.analytic import hybrid as hy
from tarsus.analytic.hybrid import Status
from tarsus.analytic.models import bouncing_ball
from tarsus.scripts.laboratory.models import pendulum_wall


def decay(rate=1.0, **extra):
    model = hy.Model("decay", state={"x": 1.0, "y": 0.5}, params={"rate": rate}, charts=["run"], **extra)

    @model.field("run")
    def flow(t, x, d, p, dx):
        dx[0] = -p[0] * x[0]
        dx[1] = math.cos(t)

    return model


def python(model, method="dop853"):
    return hy.compile(model, mode="python", method=method)


def kepler():
    model = hy.Model("kepler", state={"x": 0.5, "y": 0.0, "u": 0.0, "v": math.sqrt(3.0)}, charts=["run"])

    @model.field("run")
    def flow(t, x, d, p, dx):
        r3 = (x[0] * x[0] + x[1] * x[1]) ** 1.5
        dx[0] = x[2]
        dx[1] = x[3]
        dx[2] = -x[0] / r3
        dx[3] = -x[1] / r3

    return model


def harmonic(t, x, d, p, dx):
    dx[0] = x[1]
    dx[1] = -x[0]


def logistic(t, x, d, p, dx):
    dx[0] = x[0] * (1.0 - x[0])
    dx[1] = 0.0


def modulated(t, x, d, p, dx):
    dx[0] = x[0] * math.cos(t)
    dx[1] = 0.0


def witch(t, x, d, p, dx):
    dx[0] = -2.0 * t * x[0] * x[0]
    dx[1] = 0.0


EXACT = {
    harmonic: ({"x": 1.0, "y": 0.0}, lambda t: (math.cos(t), -math.sin(t))),
    logistic: ({"x": 0.1, "y": 0.0}, lambda t: (1.0 / (1.0 + 9.0 * math.exp(-t)), 0.0)),
    modulated: ({"x": 1.0, "y": 0.0}, lambda t: (math.exp(math.sin(t)), 0.0)),
    witch: ({"x": 1.0, "y": 0.0}, lambda t: (1.0 / (1.0 + t * t), 0.0)),
}


@pytest.mark.parametrize(
    "method, order, field, steps",
    [
        ("dop853", 8, harmonic, 8),
        ("dop853", 8, logistic, 8),
        ("dopri5", 5, harmonic, 40),
        ("dopri5", 5, modulated, 80),
        ("rk23", 3, harmonic, 50),
        ("rk23", 3, logistic, 100),
        ("rk23", 3, modulated, 100),
        ("rodas5p", 5, logistic, 30),  # the harmonic's and the modulated error happen to vanish in order 5
        ("rodas5p", 5, witch, 40),
    ],
)
def test_measured_order(method, order, field, steps):
    """Fixed steps: doubling their number divides the error at t = 5 by 2^order."""
    start, exact = EXACT[field]
    model = hy.Model("order", state=start, charts=["run"])
    model.field("run")(field)
    sim = python(model, method)
    errors = []
    for n in (steps, 2 * steps):
        r = sim.run(final_time=5.0, rtol=1.0, atol=1e9, max_step=5.0 / n, first_step=5.0 / n)
        assert r.counts["steps"] == n
        errors.append(np.linalg.norm(r.x_end - exact(5.0)))
    assert abs(math.log2(errors[0] / errors[1]) - order) < 0.15


@pytest.mark.parametrize("method, order", [("dop853", 7), ("dopri5", 4), ("rk23", 3), ("rodas5p", 4)])
def test_dense_output_order(method, order):
    """Records inside a single step, from the exact orbit, against a run at tight tolerance at the same times."""
    orbit = {"x": 1.0, "y": 0.0, "u": 0.0, "v": 1.1}
    fine = python(kepler())
    errors = []
    for h in (0.4, 0.2) if method == "dop853" else (0.05, 0.025):
        period = h / 8
        r = python(kepler(), method).run(
            orbit, final_time=h, rtol=1.0, atol=1e9, max_step=h, first_step=h, record_period=period
        )
        exact = fine.run(orbit, final_time=h, rtol=1e-13, atol=1e-15, max_step=period, record_period=period)
        assert r.counts["steps"] == 1
        errors.append(np.abs(r.x[1:-1] - exact.x[1:-1]).max())
    assert abs(math.log2(errors[0] / errors[1]) - (order + 1)) < 0.35  # local error, one order more; one step pair


def test_final_time_and_record_times_are_exact():
    r = python(decay()).run(final_time=0.7, record_period=0.1, t0=0.05)
    assert r.t_end == 0.7
    assert r.t.tolist() == [k * 0.1 for k in range(1, 7)] + [0.7]
    assert np.allclose(r.x[:, 0], np.exp(-(r.t - 0.05)), rtol=1e-9)


def test_records_do_not_change_the_run():
    ball = python(bouncing_ball.build())
    ends = [ball.run(final_time=1.3, record_period=period).x_end for period in (None, 0.0, 0.01)]
    assert np.array_equal(ends[0], ends[1]) and np.array_equal(ends[0], ends[2])


def test_a_record_at_an_event_has_the_state_after_it():
    model = decay(memory={"next": 0.5})

    @model.guard("run", to="run")
    def tick(t, x, d, p):
        return d[0] - t

    @model.reset("tick")
    def lift(t, x, d, p):
        x[0] = 7.0
        d[0] = 9.0

    r = python(model).run(final_time=1.0, record_period=0.25)
    assert r.t.tolist() == [0.0, 0.25, 0.5, 0.75, 1.0]
    assert r.events.t[0] == 0.5 and r.x[2, 0] == 7.0 and r.events.x_minus[0, 0] < 1.0


def test_measurements_stop_the_steps_exactly_and_may_end_the_run():
    seen = []

    def note(t, x, d, chart):
        seen.append((t, x[0]))
        return t >= 0.5

    r = python(decay()).run(final_time=2.0, measure_period=0.1, on_measure=note)
    assert [t for t, _ in seen] == [k * 0.1 for k in range(1, 6)]
    assert r.status is Status.STOPPED and r.t_end == 0.5
    assert np.allclose([x for _, x in seen], np.exp(-np.array([t for t, _ in seen])), rtol=1e-9)


def test_frames_come_at_their_times_and_leave_the_run_alone():
    seen = []
    sim = python(decay())
    r = sim.run(final_time=1.0, frame_period=0.25, on_frame=lambda t, x, d, c: seen.append((t, x[0])))
    assert [t for t, _ in seen] == [0.0, 0.25, 0.5, 0.75, 1.0]
    assert np.array_equal(r.x_end, sim.run(final_time=1.0).x_end)


def test_chart_limit_performs_exactly_that_many_transitions():
    r = python(bouncing_ball.build()).run(final_time=9.0, max_charts=3)
    assert r.status is Status.CHART_LIMIT
    assert r.counts["transitions"] == 3 and r.d_end[0] == 3.0
    assert len(r.events) == 3  # the one that was due is not performed, and no line of the log


def test_step_limit_returns_what_it_has():
    r = python(decay()).run(final_time=1e6, max_step=0.1, max_steps=50)
    assert r.status is Status.STEP_LIMIT
    assert r.t.size == 51 and abs(r.t_end - r.t[-1]) == 0.0


@pytest.mark.parametrize("bad", [math.nan, math.inf])
@pytest.mark.parametrize("where, word", [("x0", "state y"), ("params", "parameter rate"), ("d0", "memory m")])
def test_nonfinite_input_names_time_and_component(bad, where, word):
    sim = python(decay(memory={"m": 0.0}))
    names = {"x0": "y", "params": "rate", "d0": "m"}
    r = sim.run(**{where: {names[where]: bad}})
    assert r.status is Status.NONFINITE
    assert word in r.message and "t = 0.0" in r.message


def test_a_field_that_becomes_nan_keeps_the_run_until_then():
    model = hy.Model("root", state={"a": 0.0, "b": 1.0}, charts=["run"])

    @model.field("run")
    def flow(t, x, d, p, dx):
        dx[0] = 1.0
        dx[1] = -0.5 / math.sqrt(1.0 - t)

    r = python(model).run(final_time=2.0)  # b = sqrt(1 - t)
    assert r.status in (Status.NONFINITE, Status.STEP_TOO_SMALL)
    assert 0.99 < r.t_end <= 1.0
    assert np.allclose(r.x[:, 1], np.sqrt(1.0 - r.t), atol=1e-6)


def test_a_nan_guard_is_named():
    model = decay()

    @model.guard("run", to="run")
    def strange(t, x, d, p):
        return math.sqrt(x[0] - 0.5)

    r = python(model).run(final_time=2.0)
    assert r.status is Status.NONFINITE and "guard strange" in r.message


def test_an_exception_in_a_model_keeps_the_run_until_then():
    model = decay()

    @model.guard("run")
    def half(t, x, d, p):
        return x[0] - 0.5

    @model.on("half")
    def fail(t, x, d, p):
        if t > 0.1:
            raise RuntimeError("no chart today")
        return 0

    r = python(model).run(final_time=2.0)
    assert r.status is Status.MODEL_ERROR and "no chart today" in r.message
    assert isinstance(r.error, RuntimeError)
    assert r.t.size > 1


def test_an_unknown_chart_at_run_time_is_a_status():
    model = decay()

    @model.guard("run")
    def half(t, x, d, p):
        return x[0] - 0.5

    @model.on("half")
    def astray(t, x, d, p):
        return 0 if t < 0.1 else 17

    r = python(model).run(final_time=2.0)
    assert r.status is Status.UNKNOWN_CHART and "17" in r.message


def test_validate_stops_or_warns():
    model = decay()

    @model.validate
    def above(t, x, d, p, chart):
        return x[0] > 0.5

    sim = python(model)
    stopped, warned = sim.run(final_time=2.0), sim.run(final_time=2.0, warn_only=True)
    assert stopped.status is Status.INVALID_CHART and "validate" in stopped.message
    assert warned.status is Status.FINAL_TIME and warned.counts["warnings"] > 0


def test_an_invalid_guard_locates_the_failure():
    model = decay()

    @model.guard("run", invalid=True, target=0.5)
    def half(t, x, d, p):
        return x[0]

    r = python(model).run(final_time=2.0, rtol=1e-12)
    assert r.status is Status.INVALID_CHART and "half" in r.message
    assert abs(r.t_end - math.log(2.0)) < 1e-11


def test_zeno_time_is_predicted_after_a_few_bounces():
    sim = python(bouncing_ball.build(rests=False))
    r = sim.run(final_time=2.0, max_charts=5)
    assert abs(r.zeno.time - 1.3545709) < 1e-7
    assert abs(r.zeno.time - bouncing_ball.rest_time(1.0, r.p)) < 1e-13
    assert r.zeno.settled_after <= 5 and r.zeno.guard == "impact"
    assert r.zeno.ratio == pytest.approx(0.5, rel=1e-9)  # the restitution
    stopped = sim.run(final_time=2.0)
    assert stopped.status is Status.ZENO and stopped.t_end < stopped.zeno.time


def test_a_batch_tells_where_the_events_of_each_run_accumulate():
    sim = python(bouncing_ball.build(rests=False))
    batch = sim.batch(np.array([[1.0, 0.0], [4.0, 0.0], [1e3, 0.0]]), final_time=3.0)
    limits = [bouncing_ball.rest_time(height, sim.model.p0) for height in (1.0, 4.0)]
    np.testing.assert_allclose(batch.zeno_time, [*limits, np.inf], rtol=1e-12)
    assert repr(batch) == "Batch(3 runs: 2 ZENO, 1 FINAL_TIME)"


def test_a_run_goes_on_behind_the_limit():
    r = python(bouncing_ball.build()).run(final_time=2.0)
    assert r.status is Status.FINAL_TIME and r.chart_end == bouncing_ball.REST
    assert r.events.kind[-1] == "accumulation"
    assert abs(r.events.t[-1] - bouncing_ball.rest_time(1.0, r.p)) < 1e-13


def test_pendulum_leans_on_the_wall_after_infinitely_many_impacts():
    sim = python(pendulum_wall.build())
    r = sim.run(final_time=20.0, rtol=1e-12)
    early = sim.run(final_time=20.0, rtol=1e-12, max_charts=20)
    assert r.chart_end == pendulum_wall.LEANING
    # Independent: all impact times at a hundredth of the tolerance, gaps summed by Aitken's rule.
    t = sim.run(final_time=20.0, rtol=1e-13, zeno=False, max_charts=26).events.t
    aitken = t[-1] - (t[-1] - t[-2]) ** 2 / (t[-1] - 2 * t[-2] + t[-3])
    assert abs(r.zeno.time - aitken) < 1e-9
    assert abs(early.zeno.time - aitken) < 1e-8


def test_gaps_that_shrink_to_a_constant_are_no_accumulation():
    """Gaps 1 + 0.98^k: their ratio settles below 1 for a while, and the limit it predicts passes without an event."""
    model = hy.Model("slowing", state={"s": 1.0}, memory={"k": 0.0}, charts=["run"])

    @model.field("run")
    def flow(t, x, d, p, dx):
        dx[0] = -1.0

    @model.guard("run", to="run")
    def tick(t, x, d, p):
        return x[0]

    @model.reset("tick")
    def again(t, x, d, p):
        d[0] += 1.0
        x[0] = 1.0 + 0.9 * 0.98 ** d[0]

    r = python(model).run(final_time=1e9, max_charts=300, zeno_drift=0.3)
    assert r.status is Status.CHART_LIMIT
    assert r.zeno is None or r.zeno.time > r.t_end


def test_forty_bounces_into_the_zeno_sequence_are_right():
    r = python(bouncing_ball.build(rests=False)).run(final_time=2.0, zeno=False, max_charts=42)
    assert len(r.events) >= 42
    exact = bouncing_ball.impact_times(1.0, r.p, 42)
    assert np.allclose(r.events.t[:42], exact, rtol=0, atol=1e-15 * 42)  # rounding of each time
    speeds = np.abs(r.events.x_minus[:42, 1])
    assert np.allclose(speeds, speeds[0] * 0.5 ** np.arange(42), rtol=1e-9)


def test_undeclared_relay_is_chattering_not_a_loop():
    model = hy.Model("relay", state={"x": 1.0}, charts=["above", "below"])

    @model.field("above")
    def down(t, x, d, p, dx):
        dx[0] = -1.0

    @model.field("below")
    def up(t, x, d, p, dx):
        dx[0] = 1.0

    @model.guard("above", to="below")
    def falls(t, x, d, p):
        return x[0]

    @model.guard("below", to="above")
    def rises(t, x, d, p):
        return -x[0]

    r = python(model).run(final_time=3.0)
    assert r.status is Status.CHATTER
    assert abs(r.t_end - 1.0) < 1e-12
    assert r.counts["transitions"] < 60


def many_charts():
    """A state in [0, 1) whose chart is the whole number of laps: charts are made as they are needed."""
    model = hy.Model("laps", state={"s": 0.0}, memory={"laps": np.zeros(2)})

    def field(t, x, d, p, chart, dx):
        dx[0] = 1.0 + 0.5 * (chart % 3)

    def guards(t, x, d, p, chart, g):
        g[chart % 2] = 1.0 - x[0]
        return 2

    def transition(t, x, d, p, chart, fired):
        x[0] = 0.0
        d[chart % 2] += fired[chart % 2]
        return chart + 1

    model.functions(field=field, guards=guards, transition=transition, table=["even", "odd"])
    return model


@pytest.mark.extra
def test_charts_made_on_demand():
    r = python(many_charts()).run(final_time=1e4, max_charts=3000)
    assert r.status is Status.CHART_LIMIT and r.chart_end == 3000
    assert r.d_end.tolist() == [1500.0, 1500.0]
    assert r.events.name[:4].tolist() == ["even", "odd", "even", "odd"]
    assert np.allclose(np.diff(r.events.t)[:3], [1 / 1.5, 1 / 2.0, 1.0], rtol=1e-12)


@settings(max_examples=30, deadline=None)
@given(st.floats(0.1, 10.0), st.floats(-5.0, 5.0), st.floats(0.2, 0.95))
def test_impacts_of_random_throws(height, speed, restitution):
    r = BALL_SIM.run(
        {"height": height, "velocity": speed}, params={"restitution": restitution}, final_time=50.0, max_charts=12
    )
    g = r.p[0]
    impact = math.sqrt(speed * speed + 2 * g * height)
    times = (speed + impact) / g + 2 * impact / g * np.cumsum(np.append(0.0, restitution ** np.arange(1, 12)))
    n = min(12, len(r.events))
    assert np.allclose(r.events.t[:n], times[:n], rtol=1e-12)
    assert np.all(r.x[:, 0] >= -1e-12)


BALL = bouncing_ball.build(rests=False)
BALL_SIM = hy.compile(BALL, mode="python")


def test_replay_is_equal():
    sim = python(pendulum_wall.build())
    a, b = sim.run(final_time=5.0), sim.run(final_time=5.0)
    assert np.array_equal(a.t, b.t) and np.array_equal(a.x, b.x) and np.array_equal(a.events.t, b.events.t)
