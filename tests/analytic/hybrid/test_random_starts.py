"""Thousands of random starts: no event missed, none twice, whatever the step."""

import math

import numpy as np
import pytest

from tarsus.analytic import hybrid as hy
from tarsus.analytic.hybrid import Status


def bouncer():
    """A ball over a wavy floor, bouncing straight up: between impacts the height is a parabola, the floor a sine."""
    model = hy.Model(
        "bouncer", state={"x": 0.0, "y": 1.0, "u": 0.5, "v": 0.0}, params={"wave": 0.2, "length": 0.7}, charts=["fly"]
    )

    @model.field("fly")
    def fall(t, x, d, p, dx):
        dx[0] = x[2]
        dx[1] = x[3]
        dx[2] = 0.0
        dx[3] = -9.81

    @model.guard("fly", to="fly")
    def floor(t, x, d, p):
        return x[1] - p[0] * math.sin(2.0 * math.pi * x[0] / p[1])

    @model.reset("floor")
    def bounce(t, x, d, p):
        # Up, relative to the moving height of the floor below, so that it leaves the floor.
        slope = p[0] * 2.0 * math.pi / p[1] * math.cos(2.0 * math.pi * x[0] / p[1]) * x[2]
        x[3] = slope + 0.8 * (slope - x[3])

    return model


def first_crossing(x, y, u, v, end):
    """The first time the ball meets the floor, by dense sampling and bisection, independent of the engine."""

    def gap(t):
        return y + v * t - 0.5 * 9.81 * t * t - 0.2 * np.sin(2.0 * np.pi * (x + u * t) / 0.7)

    t = np.linspace(0.0, end, 20001)
    below = np.flatnonzero(gap(t) <= 0.0)
    if below.size == 0:
        return math.inf
    lo, hi = t[below[0] - 1], t[below[0]]
    for _ in range(60):
        mid = 0.5 * (lo + hi)
        lo, hi = (mid, hi) if gap(mid) > 0.0 else (lo, mid)
    return hi


@pytest.mark.parametrize("rtol", [1e-3, 1e-10])
def test_first_impact_of_random_throws(rtol):
    """150 throws per tolerance; at the loose one a step spans the whole flight and several waves of the floor."""
    sim = hy.compile(bouncer(), mode="python")
    rng = np.random.default_rng(7)
    for _ in range(150):
        x, y, u, v = rng.uniform([-1, 0.25, -3, -2], [1, 3.0, 3, 3])
        r = sim.run([x, y, u, v], stop_at="floor", final_time=5.0, rtol=rtol, record_period=None)
        assert r.status is Status.STOPPED
        assert abs(r.t_end - first_crossing(x, y, u, v, 3.0)) < 1e-11


@pytest.mark.extra
def test_five_thousand_bouncers_never_get_under_the_floor():
    """Every run ends at the final time or in a declared way, and no recorded point lies under the floor."""
    sim = hy.compile(bouncer())
    rng = np.random.default_rng(8)
    starts = rng.uniform([-1, 0.25, -2, -2], [1, 2.0, 2, 2], (5000, 4))
    ends = sim.batch(starts, final_time=1.5, rtol=1e-8)
    known = {Status.FINAL_TIME, Status.INVALID_ENTRY, Status.ZENO, Status.CHATTER}
    assert set(ends.status) <= known
    height = ends.x[:, 1] - 0.2 * np.sin(2 * np.pi * ends.x[:, 0] / 0.7)
    assert height[ends.status == Status.FINAL_TIME].min() > -1e-9
    assert np.mean(ends.status == Status.FINAL_TIME) > 0.9
    for i in range(0, 5000, 500):
        r = sim.run(starts[i], final_time=1.5, rtol=1e-8)
        assert np.all(r.x[:, 1] - 0.2 * np.sin(2 * np.pi * r.x[:, 0] / 0.7) > -1e-9)
        assert np.array_equal(r.x_end, ends.x[i])
