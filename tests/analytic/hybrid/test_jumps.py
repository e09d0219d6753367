"""Guards that jump: bisected and called a jump, or refused; the same compiled and interpreted."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tarsus.analytic import hybrid as hy
from tarsus.analytic.hybrid import Status
from tarsus.analytic.hybrid.derivatives import Derivatives
from tarsus.analytic.hybrid.existence import Existence

PARTS = ["python", pytest.param("compiled", marks=pytest.mark.extra)]
STEP, WINDOW, ROUND, SIGN, SAW, TOOTH, MODULO, BACK = range(8)  # the guards below, by chart


def values(t, x, d, p, chart, g):
    g[0] = math.inf
    if chart == STEP:
        g[0] = 1.0 if x[0] > p[0] else -1.0
    elif chart == WINDOW:
        g[0] = 1.0 if p[0] < x[0] < p[0] + 1.0 else -1.0
    elif chart == ROUND:
        g[0] = math.floor(x[0]) - 2.5
    elif chart == SAW:
        g[0] = x[0] % 1.0 - 0.5
    elif chart == TOOTH:
        g[0] = x[0] % 0.1
    elif chart == BACK:
        g[0] = 0.1 - x[0] % 0.1
    return 1


def sampled_values(t, x, d, p, chart, g):
    values(t, x, d, p, chart, g)
    if chart == SIGN:
        g[0] = np.sign(x[0] - p[0])
    elif chart == MODULO:
        g[0] = np.mod(x[0], 0.1)
    return 1


def counter(mode="python", direction=0, guards=values):
    """Return a clock x' = 1 whose guard's events are counted."""
    model = hy.Model("clock", state={"x": 0.0}, memory={"n": 0.0}, params={"at": 2.0})

    def flow(t, x, d, p, chart, dx):
        dx[0] = 1.0

    def transition(t, x, d, p, chart, fired):
        d[0] += 1.0
        return chart

    table = [hy.Guard("edge", direction=direction, on_entry="ignore")]
    model.functions(field=flow, guards=guards, transition=transition, table=table, field_key=lambda chart: 0)
    return hy.compile(model, mode=mode)


@pytest.mark.parametrize("mode", PARTS)
@pytest.mark.parametrize("guards", [values, sampled_values])
def test_jumps_past_zero_are_events(guards, mode):
    for direction in (-1, 0, 1):
        sim = counter(mode, direction, guards)
        for chart, up, down, jumps in (
            (STEP, [2.0], [], "all"),
            (WINDOW, [2.0], [3.0], "all"),
            (ROUND, [3.0], [], "all"),
            (SIGN, [2.0], [], "all"),
            (SAW, [k + 0.5 for k in range(10)], [float(k) for k in range(1, 10)], "down"),
        ):
            if chart == SIGN and guards is values:
                continue
            want = {1: up, -1: down, 0: sorted(up + down)}[direction]
            r = sim.run(chart=chart, final_time=9.75)
            assert r.status is Status.FINAL_TIME, (chart, direction, r.message)
            assert np.allclose(r.events.t, want, rtol=0, atol=1e-14) and r.d_end[0] == len(want), (chart, direction)
            assert r.events.jumped.sum() == (len(want) if jumps == "all" else np.isin(want, down).sum())


@pytest.mark.parametrize("mode", PARTS)
@pytest.mark.parametrize("guards", [values, sampled_values])
def test_a_jump_onto_zero_that_does_not_pass_it_is_refused(guards, mode):
    for direction in (-1, 0, 1):
        sim = counter(mode, direction, guards)
        for chart in (TOOTH, BACK) if guards is values else (TOOTH, BACK, MODULO):
            r = sim.run(chart=chart, final_time=9.75)
            assert r.status is Status.STOP_ITER, (chart, direction)
            assert "jumps to or from zero without passing it: guard edge at t = 0." in r.message
            assert "hy.every(period)" in r.message


@given(st.floats(0.05, 9.0), st.sampled_from([STEP, SIGN, WINDOW]), st.floats(-3.0, 3.0), st.booleans())
def test_a_jump_is_found_to_rounding(at, chart, t0, sampled):
    sim = counter(guards=sampled_values if sampled or chart == SIGN else values)
    r = sim.run(chart=chart, t0=t0, final_time=t0 + 12.0, params={"at": at}, record_period=None)
    want = [at, at + 1.0] if chart == WINDOW else [at]
    assert np.allclose(r.events.t - t0, want, rtol=0, atol=1e-14 * (1.0 + abs(t0) + 12.0))
    assert r.events.x_plus[0, 0] > at or chart == SIGN  # on the far side of it


@pytest.mark.extra
def test_compiled_and_interpreted_agree_to_the_bit():
    for guards in (values, sampled_values):
        one, two = counter("python", 0, guards), counter("compiled", 0, guards)
        for chart in range(8):
            a, b = (sim.run(chart=chart, final_time=9.75) for sim in (one, two))
            assert a.status is b.status and a.message == b.message and np.array_equal(a.events.log, b.events.log)


def edge(function, **more):
    model = hy.Model("edge", state={"x": 0.0, "y": 1.0}, charts=["c"])

    @model.field("c")
    def flow(t, x, d, p, dx):
        dx[0], dx[1] = 1.0, 0.5

    model.guard("c", name="edge", **more)(function)
    return model


@pytest.mark.parametrize("mode", ["python", "compiled"])
@pytest.mark.parametrize(
    "function, words",
    [
        (lambda t, x, d, p: x[0] > 2.0, r"got np.False_; write \"x\[0\] > 2.0\" as x\[0\] - 2.0"),
        (lambda t, x, d, p: bool(x[0] > 2.0), "got False"),
        (lambda t, x, d, p: (x > 2.0).all(), "got np.False_"),
        (lambda t, x, d, p: x - 2.0, r"it has shape \(2,\): declare one guard for each entry"),
        (lambda t, x, d, p: x[:1], r"it has shape \(1,\)"),
        (lambda t, x, d, p: None, "got None"),
        (lambda t, x, d, p: 1j * x[0], "got 0j"),
        (lambda t, x, d, p: "no", "got 'no'"),
    ],
)
def test_a_guard_that_is_no_real_number_is_refused_when_the_model_is_built(function, words, mode):
    with pytest.raises(
        ValueError,
        match="guard edge must be a real number whose sign changes at the event, " + words
        if words.startswith("got")
        else words,
    ):
        hy.compile(edge(function), mode=mode)

    def write(t, x, d, p, chart, g):
        g[0] = function(t, x, d, p)
        return 1

    with pytest.raises(ValueError, match="guard edge must be a real number"):
        two = hy.Model("edge", state={"x": 0.0, "y": 1.0})
        two.functions(
            field=lambda t, x, d, p, chart, dx: dx.fill(0.0), guards=write, field_key=lambda chart: 0,
            transition=lambda t, x, d, p, chart, fired: chart, table=["edge"],
        )  # fmt: skip
        hy.compile(two, mode=mode)


def test_a_guard_that_jumps_at_every_step_ends_the_run_with_a_sentence():
    noise = counter(
        direction=0, guards=lambda t, x, d, p, chart, g: g.__setitem__(0, 1.0 - 2.0 * (int(t * 1e15) % 2)) or 1
    )
    r = noise.run(chart=0, final_time=1.0)
    assert r.status is Status.CHATTER and "guard edge" in r.message
    assert "the guard jumps back and forth, as rounding does; make it continuous" in r.message


def test_there_is_no_derivative_through_a_jump():
    model = edge(lambda t, x, d, p: 1.0 if x[0] < 2.0 else -1.0)
    made = Derivatives(model, 1, mode="python").run(["x"], final_time=3.0)
    assert (
        made.existence is Existence.JUMP
        and abs(made.result.events.t[0] - 2.0) < 1e-14
        and "edge at t = " in made.message
        and np.isnan(made.end.x_by).all()
    )
    smooth = edge(lambda t, x, d, p: 2.0 - x[0])
    assert Derivatives(smooth, 1, mode="python").run(["x"], final_time=3.0).existence is Existence.EXISTS
