"""Why a run ended, in a sentence that names the cure; clocks that begin late; wrong arguments; Ctrl-C."""

import math

import numpy as np
import pytest

from tarsus.analytic import hybrid as hy
from tarsus.analytic.hybrid import Status
from tarsus.analytic.models import bouncing_ball

PARTS = ["python", pytest.param("compiled", marks=pytest.mark.extra)]


def pulses(mode="python"):
    """Return a switch that is on for a share of each period, timed by its own memory; one event for each edge."""
    model = hy.Model("pulses", state={"i": 0.0}, memory={"next": 0.0, "n": 0.0}, params={"T": 1e-4, "share": 0.3},
                     charts=["on", "off"])  # fmt: skip
    for chart, drive in (("on", 1.0), ("off", 0.0)):

        def flow(t, x, d, p, dx, drive=drive):
            dx[0] = drive - x[0]

        model.field(chart)(flow)

    @model.guard("on", to="off")
    def off(t, x, d, p):
        return d[0] + p[1] * p[0] - t

    @model.guard("off", to="on")
    def on(t, x, d, p):
        return d[0] + p[0] - t

    @model.reset("on")
    def count(t, x, d, p):
        d[0] += p[0]
        d[1] += 1.0

    return hy.compile(model, mode=mode)


@pytest.mark.parametrize("mode", PARTS)
def test_a_clock_that_begins_in_the_year_2023_ticks(mode):
    """Unix time 1.7e9 s, where the clock resolves 2.4e-7 s, and pulses of .1 ms: a thousand edges and more."""
    t0 = 1.7e9
    r = pulses(mode).run(d0=[t0, 0.0], t0=t0, final_time=t0 + 0.1, record_period=None)
    sums = [t0]
    while sums[-1] <= t0 + 0.1:
        sums.append(sums[-1] + 1e-4)
    edges = sorted([s + 0.3 * 1e-4 for s in sums] + sums[1:])
    want = np.array([s for s in edges if s <= t0 + 0.1])
    assert r.status is Status.FINAL_TIME and len(r.events) == len(want) > 2000
    assert np.abs(r.events.t - want).max() <= 2 * 2.4e-7


def test_gaps_that_the_clock_does_not_resolve_are_said_to_be():
    """Pulses of a microsecond at 1.7e9 s."""
    t0 = 1.7e9
    r = pulses().run(d0=[t0, 0.0], t0=t0, params={"T": 1e-6}, final_time=t0 + 1e-3, record_period=None)
    assert r.status in (Status.CHATTER, Status.INVALID_ENTRY)
    assert "this far from t = 0 the clock resolves gaps of 6e-06 s" in r.message
    assert "begin at t0=0 and carry the offset in a parameter" in r.message


def test_a_surface_that_both_fields_point_at_is_called_one():
    model = hy.Model("relay", state={"x": 0.1}, charts=["above", "below"])
    model.field("above")(lambda t, x, d, p, dx: dx.__setitem__(0, -1.0))
    model.field("below")(lambda t, x, d, p, dx: dx.__setitem__(0, 1.0))
    model.guard("above", to="below", on_entry="fire", name="down")(lambda t, x, d, p: x[0])
    model.guard("below", to="above", direction=1, on_entry="fire", name="up")(lambda t, x, d, p: x[0])
    r = hy.compile(model, mode="python").run(final_time=1.0)
    assert r.status is Status.CHATTER and "declare it with model.surface" in r.message


def test_a_reset_that_leaves_its_guard_at_zero_is_called_that():
    model = hy.Model("stuck", state={"x": 0.1}, charts=["run"])
    model.field("run")(lambda t, x, d, p, dx: dx.__setitem__(0, -1.0))
    model.guard("run", on_entry="fire", name="hit")(lambda t, x, d, p: x[0])
    model.reset("hit")(lambda t, x, d, p: x.__setitem__(0, 1e-15))
    r = hy.compile(model, mode="python").run(final_time=1.0)
    assert r.status is Status.CHATTER and "a reset may leave its guard at zero" in r.message


def test_a_field_that_switches_without_a_guard_is_told_how_to():
    model = hy.Model("relay", state={"x": 0.1, "y": 0.0}, charts=["run"])

    @model.field("run")
    def flow(t, x, d, p, dx):
        dx[0] = -1.0 if x[0] > 0.0 else 1.0
        dx[1] = 0.5

    r = hy.compile(model, mode="python").run(final_time=1.0, max_steps=2000)
    assert r.status is Status.STEP_LIMIT
    assert "for the rate of x, which goes from -1 to 1 within one" in r.message
    assert "declare a guard, or sliding with model.surface" in r.message and "s long" in r.message


def test_a_stiff_field_is_told_the_method_for_it():
    model = hy.Model("stiff", state={"x": 1.0}, charts=["run"])
    model.field("run")(lambda t, x, d, p, dx: dx.__setitem__(0, -1e6 * (x[0] - math.cos(t))))
    r = hy.compile(model, mode="python").run(final_time=10.0, max_steps=500)
    assert r.status is Status.STEP_LIMIT and 'compile with method="rodas5p"' in r.message


@pytest.mark.parametrize(
    "how, words",
    [
        (
            {"record_period": [0.0, 0.1]},
            r"record_period must be a number, got \[0.0, 0.1\]; records at given times: times=",
        ),
        ({"rtol": "1e-6"}, "rtol must be a number, got '1e-6'"),
        ({"max_step": None}, "max_step must be a number, got None"),
        ({"final_time": [1.0]}, "final_time must be a number"),
        ({"atol": "small"}, "atol must be a number or a list of 2 numbers"),
        ({"max_steps": "many"}, "max_steps must be a number"),
        ({"t0": "now"}, "t0 must be a number"),
        ({"stop_at": "impact", "stop_count": "two"}, "stop_count must be a whole number"),
        ({"x0": "high"}, "state must be numbers"),
        ({"x0": [1.0 + 1j, 0.0]}, "state must be real"),
        ({"x0": [1.0, 2.0, 3.0]}, r"state must have shape \(2,\) \(height, velocity\), got \(3,\)"),
        ({"t_eval": [1, 2]}, r"t_eval: records at given times are times=\[...\]"),
        ({"dense_output": True}, r"dense_output: the state at any time is dense=True, then result.at\(t\)"),
        ({"events": None}, "events: events are guards of the model"),
        ({"method": "RK45"}, "method: the method is chosen when the model is compiled"),
        ({"final_time": -1.0}, "resets cannot be undone, so runs go forward: for a stretch without events run a model"),
    ],
)
def test_wrong_arguments_of_a_run_are_refused_in_a_sentence(how, words):
    sim = hy.compile(bouncing_ball.build(), mode="python")
    with pytest.raises(ValueError, match=words):
        sim.run(**{"final_time": 1.0} | how)


@pytest.mark.parametrize("mode", ["python", pytest.param("compiled", marks=pytest.mark.extra)])
def test_ctrl_c_ends_the_callers_loop_unless_partial_results_are_asked_for(mode):
    sim, runs = hy.compile(bouncing_ball.build(), mode=mode), []

    def pressed(t, x, d, chart):
        if t > 0.35:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        for _ in range(3):
            runs.append(sim.run(final_time=1.0, measure_period=0.1, on_measure=pressed))
    assert not runs
    r = sim.run(final_time=1.0, measure_period=0.1, on_measure=pressed, partial=True)
    assert r.status is Status.STOPPED and isinstance(r.error, KeyboardInterrupt) and r.t_end == pytest.approx(0.4)
    assert len(r.t) and r.t[-1] <= 0.4 + 1e-12
    with pytest.raises(RuntimeError, match="a field that fails"):
        raise hy.compile(failing(), mode="python").run(final_time=1.0).error


def failing():
    model = hy.Model("failing", state={"x": 0.0}, charts=["run"])

    @model.field("run")
    def flow(t, x, d, p, dx):
        dx[0] = 1.0
        if t > 0.5:
            raise RuntimeError("a field that fails")

    return model
