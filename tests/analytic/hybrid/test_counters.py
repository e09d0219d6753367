"""Events that change the memory alone: they count by default, from whatever state, however they are written."""

import functools
import math
from dataclasses import replace

import numpy as np
import pytest

from tarsus.analytic import hybrid as hy
from tarsus.analytic.hybrid import Status
from tarsus.analytic.hybrid.derivatives import Derivatives
from tarsus.analytic.hybrid.existence import Existence
from tarsus.analytic.hybrid.expand import to_functions
from tarsus.analytic.hybrid.guard import ON_ENTRY

PARTS = ["python", pytest.param("compiled", marks=pytest.mark.extra)]
WAYS = ("to", "nothing", "reset", "on", "decline", "none")


def wave(way, direction=1, state=0.0, **more):
    """Return a = sin t from a(0) = 0 with a guard that counts its crossings of one half."""
    model = hy.Model("wave", state={"a": state}, memory={"n": 0.0}, charts=["c"])

    @model.field("c")
    def flow(t, x, d, p, dx):
        dx[0] = math.cos(t)

    @model.guard("c", direction=direction, **({"to": "c"} if way == "to" else {}) | more)
    def half(t, x, d, p):
        return x[0] - 0.5

    def count(t, x, d, p):
        d[0] += 1.0

    def chosen(t, x, d, p):
        d[0] += 1.0
        return 0 if way == "on" else hy.DECLINE

    def nothing_chosen(t, x, d, p):
        d[0] += 1.0

    if way in ("to", "reset"):
        model.reset("half")(count)
    elif way in ("on", "decline"):
        model.on("half")(chosen)
    elif way == "none":
        model.on("half")(nothing_chosen)
    return model


@functools.cache
def crossings(state):
    """Return how often the wave rises through a half and falls through it, by its signs at close times."""
    signs = np.sign(state - 0.5 + np.sin(np.linspace(1e-9, 200.0, 2_000_001)))
    return np.sum((signs[:-1] < 0) & (signs[1:] > 0)), np.sum((signs[:-1] > 0) & (signs[1:] < 0))


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("direction", [-1, 0, 1])
@pytest.mark.parametrize("state", [0.0, 0.5, 1.0])
def test_they_count(way, direction, state):
    """The wave a(0) + sin t, which begins below a half, on it and above."""
    if way == "none" and (direction or state):
        pytest.skip("as `decline`")
    r = hy.compile(wave(way, direction, state), mode="python").run(final_time=200.0)
    rises, falls = crossings(state)
    want = {1: rises, -1: falls, 0: rises + falls}[direction]
    assert r.status is Status.FINAL_TIME and len(r.events) == want and want > 20
    assert r.d_end[0] == (0 if way == "nothing" else want)
    assert set(r.events.kind) == {"declined" if way in ("decline", "none") else "transition"}


@pytest.mark.extra
@pytest.mark.parametrize("way", ["to", "decline", "none"])
def test_compiled_they_count_alike(way):
    one, two = (hy.compile(wave(way), mode=mode).run(final_time=50.0) for mode in ("python", "compiled"))
    assert np.array_equal(one.events.log, two.events.log) and len(one.events) == 8


@pytest.mark.parametrize("way", ["nothing", "on", "decline", "none"])
def test_events_without_end_end_the_run(way):
    noise = wave(way, direction=0)
    noise.guards["half"] = replace(noise.guards["half"], function=lambda t, x, d, p: 1.0 - 2.0 * (int(t * 1e15) % 2))
    r = hy.compile(noise, mode="python").run(final_time=1.0, max_charts=100)
    assert r.status is (Status.CHART_LIMIT if way == "nothing" else Status.CHATTER) and "half" in r.message
    fast = wave(way, direction=0)
    fast.guards["half"] = replace(fast.guards["half"], function=lambda t, x, d, p: math.sin(1e7 * t))
    r = hy.compile(fast, mode="python").run(final_time=1.0, max_charts=100)
    assert r.status is Status.CHART_LIMIT and "max_charts" in r.message and len(r.events) == 100


@pytest.mark.parametrize("mode", PARTS)
def test_a_transition_may_return_a_chart_now_and_nothing_then(mode):
    model = hy.Model("walls", state={"x": 0.0, "v": 1.0}, memory={"n": 0.0}, charts=["a", "b"])

    @model.field("a", "b")
    def flow(t, x, d, p, dx):
        dx[0], dx[1] = x[1], -x[0]

    @model.guard("a", name="top", direction=-1)
    def top(t, x, d, p):
        return x[1]

    @model.on("top")
    def turn(t, x, d, p):
        d[0] += 1.0
        if d[0] > 2.0:
            return 1

    r = hy.compile(model, mode=mode).run(final_time=40.0)
    assert r.status is Status.FINAL_TIME and r.chart_end == 1 and r.d_end[0] == 3.0
    assert list(r.events.kind) == ["declined", "declined", "transition"]
    assert np.allclose(np.diff(r.events.t), 2.0 * math.pi)


@pytest.mark.parametrize(
    ("chosen", "words"), [("c", "got 'c': 0"), ("dry", "got 'dry'$"), (0.5, "got 0.5$"), ([0], r"got \[0\]$")]
)
def test_what_is_no_chart_is_refused_with_its_code_if_it_is_a_name(chosen, words):
    model = wave("nothing")
    model.on("half")(lambda t, x, d, p: chosen)
    with pytest.raises(ValueError, match="the transition of guard half must return a chart's code, " + words):
        hy.compile(model, mode="python")


def test_what_changes_state_or_chart_is_refused_where_it_begins_negative():
    """Unless it says otherwise: the default is the guard's own."""
    ball = hy.Model("ball", state={"z": -1.0, "v": 0.0}, charts=["fall", "lie"])
    for chart in ("fall", "lie"):
        ball.field(chart)(lambda t, x, d, p, dx: dx.fill(0.0))
    ball.guard("fall", name="hit")(lambda t, x, d, p: x[0])
    ball.reset("hit")(lambda t, x, d, p: x.__setitem__(1, -x[1]))
    ball.guard("fall", to="lie", name="stop")(lambda t, x, d, p: x[0])
    ball.guard("fall", to="fall", name="counted")(lambda t, x, d, p: x[0])
    words = {code: word for word, code in ON_ENTRY.items()}
    assert [words[code] for code in to_functions(ball).tables["ON_ENTRY"]] == ["refuse", "refuse", "ignore"]
    assert hy.compile(ball, mode="python").run().status is Status.INVALID_ENTRY


def test_a_transition_that_declines_keeps_its_memory_and_has_no_derivative():
    sim = hy.compile(wave("decline"), mode="python")
    assert sim.run(final_time=10.0).d_end[0] == 2.0
    made = Derivatives(wave("decline"), 1, mode="python").run(["a"], final_time=10.0)
    assert made.existence is Existence.DECLINED and "half at t = 0.52" in made.message
    made = Derivatives(wave("on"), 1, mode="python").run(["a"], final_time=10.0)
    assert made.existence is Existence.EXISTS and made.end.x_by[0, 0] == pytest.approx(1.0)


@pytest.mark.parametrize("on_entry", [None, "refuse", "fire"])
@pytest.mark.parametrize("left", [0.0, 1e-15, 1e-14])
def test_a_reset_that_happens_to_change_nothing_lets_nobody_through(on_entry, left):
    """What falls at 1 m/s is put back at zero, or a rounding above: the run ends there, whoever counts beside."""
    for counts in (False, True):
        model = hy.Model("floor", state={"z": 0.1}, memory={"n": 0.0}, charts=["run"])
        model.field("run")(lambda t, x, d, p, dx: dx.__setitem__(0, -1.0))
        model.guard("run", name="hit", on_entry=on_entry)(lambda t, x, d, p: x[0])

        @model.reset("hit")
        def back(t, x, d, p, counts=counts):
            x[0] = left
            d[0] += counts

        r = hy.compile(model, mode="python").run(final_time=1.0)
        assert r.status in (Status.INVALID_ENTRY, Status.CHATTER) and r.x_end[0] > -1e-12, r.message


def test_a_reset_that_acts_under_a_condition_is_no_counter():
    for reset in (
        lambda t, x, d, p: x.__setitem__(0, 1.0) if p[0] > 0.0 else None,
        lambda t, x, d, p: x.__setitem__(0, 1.0) if x[0] < -0.5 else None,
        lambda t, x, d, p: x.__setitem__(0, 1.0) if d[0] > 1.0 and t > 5.0 else None,
    ):
        model = hy.Model("m", state={"x": 0.0}, memory={"n": 0.0}, params={"p": 0.0}, charts=["run"])
        model.field("run")(lambda t, x, d, p, dx: dx.__setitem__(0, -1.0))
        model.guard("run", name="g")(lambda t, x, d, p: x[0])
        model.reset("g")(reset)
        assert to_functions(model).tables["ON_ENTRY"].tolist() == [ON_ENTRY["refuse"]]
