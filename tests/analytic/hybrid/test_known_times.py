"""Events at known times: to the bit where they were asked for, without a search, beside guards that are searched."""

import math

import numpy as np
import pytest

from tarsus.analytic import hybrid as hy
from tarsus.analytic.hybrid import Status
from tarsus.analytic.hybrid.derivatives import Derivatives
from tarsus.analytic.hybrid.schedule import scheduled

PARTS = ["python", pytest.param("compiled", marks=pytest.mark.extra)]


def doses(times, **more):
    """Return a drug that decays as e^-t, with a dose at each known time, and the guard of a level that it falls to."""
    model = hy.Model("drug", state={"x": 0.0}, memory={"n": 0.0}, params={"dose": 1.0, "period": 0.3, "first": 0.0},
                     charts=["run"])  # fmt: skip

    @model.field("run")
    def decay(t, x, d, p, dx):
        dx[0] = -x[0]

    @model.at(times, **more)
    def give(t, x, d, p):
        x[0] += p[0]
        d[0] += 1.0

    return model


def level(t, times):
    """Return the exact level at `t`, behind the doses up to then."""
    return sum(math.exp(-(t - at)) for at in times if at <= t)


@pytest.mark.parametrize("mode", PARTS)
@pytest.mark.parametrize("method", ["dop853", "rodas5p"])
def test_a_list_of_times_is_met_to_the_bit(mode, method):
    times = [0.1, 0.30000000000000004, 1.0 / 3.0, 2.0, 2.0000000001, 7.7]
    r = hy.compile(doses(hy.at(times)), method, mode).run(final_time=7.7, rtol=1e-10)
    assert r.status is Status.FINAL_TIME and r.events.t.tolist() == times
    assert r.d_end[0] == len(times) and r.n_sampled == 0
    assert r.x_end[0] == pytest.approx(level(7.7, times), rel=1e-8)


@pytest.mark.parametrize("t0", [0.0, -1.0, 5.0, 1e6])
@pytest.mark.parametrize("period, offset", [(0.1, 0.0), ("period", 0.0), (0.7, 0.25), ("period", "first"), (0.3, -2.0)])
def test_a_period_is_met_by_multiplication(period, offset, t0):
    p = {"period": 0.3, "first": -0.05}
    r = hy.compile(doses(hy.every(period, offset)), mode="python").run(
        params=p, t0=t0, final_time=t0 + 10.0, record_period=None
    )
    period, offset = p.get(period, period), p.get(offset, offset)
    k = np.arange(0, int((t0 + 11.0 - offset) / period) + 1)
    exact = offset + k * period
    exact = exact[(exact > t0) & (exact <= t0 + 10.0)]
    assert r.events.t.tolist() == exact.tolist() and len(exact) > 10


def test_a_time_at_the_start_does_not_happen_and_one_at_the_end_does():
    sim = hy.compile(doses(hy.at([1.0, 2.0])), mode="python")
    first = sim.run(t0=1.0, final_time=2.0)
    assert first.events.t.tolist() == [2.0] and first.x_end[0] == 1.0
    again = sim.run(first.x_end, first.d_end, t0=2.0, final_time=3.0)
    assert not len(again.events) and again.x_end[0] == pytest.approx(math.exp(-1.0), rel=1e-6)


def test_known_times_and_guards_that_are_searched_for_are_in_order():
    model = doses(hy.every(1.0))

    @model.guard("run")
    def low(t, x, d, p):
        return x[0] - 0.5

    r = hy.compile(model, mode="python").run(final_time=4.5, rtol=1e-11)
    names, exact = [], []
    x, t = 0.0, 0.0
    for k in range(1, 5):
        x = x * math.exp(-(k - t)) + 1.0
        t = float(k)
        names.append("give")
        exact.append(t)
        falls = t + math.log(x / 0.5)
        if x > 0.5 and falls < min(t + 1.0, 4.5):
            names.append("low")
            exact.append(falls)
    assert r.events.name.tolist() == names and "low" in names
    assert np.allclose(r.events.t, exact, rtol=0, atol=1e-10)


def test_a_known_time_and_a_zero_at_one_moment_both_happen():
    model = doses(hy.at([0.5, 1.0]))

    @model.guard("run")
    def due(t, x, d, p):
        return 1.0 - t

    r = hy.compile(model, mode="python").run(final_time=2.0)
    assert r.events.name.tolist() == ["give", "give+due"]
    assert r.d_end[0] == 2.0


def test_times_count_in_their_charts_only():
    model = hy.Model("shift", state={"x": 0.0}, memory={"n": 0.0}, charts=["off", "on"])
    for chart in ("off", "on"):

        @model.field(chart)
        def still(t, x, d, p, dx):
            dx[0] = 0.0

    @model.at(hy.every(0.25), "on")
    def count(t, x, d, p):
        d[0] += 1.0

    @model.at(hy.at([1.0]), "off", to="on")
    def start(t, x, d, p):
        pass

    @model.at(hy.at([2.1]), "on", to="off")
    def stop(t, x, d, p):
        pass

    r = hy.compile(model, mode="python").run(final_time=4.0)
    counted = r.events.t[r.events.name == "count"]
    assert counted.tolist() == [1.25, 1.5, 1.75, 2.0] and r.d_end[0] == 4.0
    assert r.names.chart(r.chart_end) == "off"


@pytest.mark.parametrize("mode", PARTS)
def test_a_sampled_controller_is_its_difference_equation(mode):
    """A double integrator whose force is held for T: x+ = A x + B u with A, B of the zero-order hold."""
    T, k1, k2, n = 0.05, 4.0, 3.0, 200
    model = hy.Model("sampled", state={"q": 1.0, "v": 0.0}, memory={"u": 0.0}, charts=["run"])

    @model.field("run")
    def flow(t, x, d, p, dx):
        dx[0], dx[1] = x[1], d[0]

    @model.at(hy.every(0.05))
    def sample(t, x, d, p):
        d[0] = -4.0 * x[0] - 3.0 * x[1]

    r = hy.compile(model, mode=mode).run(d0=[-k1], final_time=n * T, rtol=1e-12)
    x, a, b = np.array([1.0, 0.0]), np.array([[1.0, T], [0.0, 1.0]]), np.array([0.5 * T * T, T])
    for _ in range(n):
        x = a @ x + b * (-k1 * x[0] - k2 * x[1])
    assert r.events.t.tolist() == [k * T for k in range(1, n + 1)]
    assert np.allclose(r.x_end, x, rtol=1e-9, atol=1e-12)


@pytest.mark.extra
def test_compiled_and_interpreted_agree_to_the_bit():
    def made(mode):
        model = doses(hy.every("period", "first"))
        model.guard("run", name="low")(lambda t, x, d, p: x[0] - 0.7)
        return hy.compile(model, mode=mode).run(params={"dose": 0.5, "period": 0.6, "first": 0.05}, final_time=20.0)

    one, two = made("python"), made("compiled")
    assert np.array_equal(one.events.log, two.events.log) and np.array_equal(one.x, two.x)
    assert len(one.events.of("give")) == 34 and len(one.events.of("low")) > 25


def test_what_cannot_be_is_said():
    for wrong, words in (
        ([], "at least one time"), ([1.0, 1.0], "must increase, got 1.0 and then 1.0"), ([math.nan], "finite"),
        ("soon", "list of numbers"), (3.0, "shape"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=words):
            hy.at(wrong)
    with pytest.raises(ValueError, match="period must be positive, got 0"):
        hy.every(0)
    with pytest.raises(ValueError, match="its period 'T' is not a parameter; known: dose, period, first"):
        hy.compile(doses(hy.every("T")), mode="python")
    sim = hy.compile(doses(hy.every("period")), mode="python")
    with pytest.raises(ValueError, match="guard give: its period, parameter period, must be positive, got -1.0"):
        sim.run(params={"period": -1.0})
    with pytest.raises(ValueError, match="parameter period, must be positive, got 0.0"):
        sim.batch(params=np.array([[1.0, 0.5, 0.0], [1.0, 0.0, 0.0]]), final_time=1.0)
    model = doses(hy.every(1.0))
    model.guard("run", name="node")(lambda t, x, d, p: 1.0 - t)
    with pytest.raises(ValueError, match="derivatives cannot pass the known times of give; make it a guard of time"):
        Derivatives(model, 1, mode="python")
    with pytest.raises(ValueError, match="a given order of events cannot pass the known times of give"):
        scheduled(model, "node")
