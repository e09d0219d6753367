"""Guards that are zero over intervals: they fall to rest, which is an event, and rise from it, which is none."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tarsus.analytic import hybrid as hy
from tarsus.analytic.hybrid import Status

END = 20.0  # [s]
GUARDS = {
    "line": lambda t, x, d, p: x[0],
    "upper": lambda t, x, d, p: max(x[0], 0.0),
    "lower": lambda t, x, d, p: min(x[0], 0.0),
    "square": lambda t, x, d, p: x[0] * x[0] if x[0] > 0.0 else 0.0,
    "dead": lambda t, x, d, p: x[0] - 0.5 if x[0] > 0.5 else (x[0] + 0.5 if x[0] < -0.5 else 0.0),
    "sampled": lambda t, x, d, p: max(x[0], 0.0) + 0.0 * np.sign(x[1]),
}


def counter(function, direction, w, offset, mode="python", **how):
    """Return an oscillator, x = offset + sin(w t), whose guard's events are counted."""
    state = {"x": offset, "v": w}
    model = hy.Model("flat", charts=["c"], state=state, memory={"n": 0.0}, params={"w": w, "offset": offset})

    @model.field("c")
    def flow(t, x, d, p, dx):
        dx[0] = x[1]
        dx[1] = p[0] * p[0] * (p[1] - x[0])

    model.add_guard(hy.Guard("g", charts=("c",), function=function, direction=direction, on_entry="ignore"))

    @model.on("g")
    def count(t, x, d, p):
        d[0] += 1.0

    return hy.compile(model, mode=mode, **how)


def events(function, direction, w, offset):
    """Return when a guard that was positive is so no longer (without direction: changes its sign), to a millisecond."""
    t = np.arange(0.0, END, 1e-3)
    x = offset + np.sin(w * t)
    signs = np.sign([function(s, (a, 1.0), None, None) for s, a in zip(t, x, strict=True)])
    found, armed = [], 0.0
    for s, sign in zip(t, signs, strict=True):
        u = sign if direction == 0 else -direction * sign
        if armed != 0.0 and u != armed:
            found.append(s)
        armed = u if direction == 0 else max(u, 0.0)
    return np.array(found)


@pytest.mark.extra
@settings(max_examples=40)
@given(
    st.sampled_from(sorted(GUARDS)), st.sampled_from([-1, 0, 1]), st.floats(0.5, 3.0), st.floats(-0.9, 0.9),
    st.sampled_from([1e-3, 1e-5, 1e-8]), st.sampled_from([0.5, 8.0]), st.sampled_from(["dop853", "dopri5"]),
)  # fmt: skip
def test_a_flat_guard_fires_as_it_falls_to_zero_and_only_then(name, direction, w, offset, tol, step, method):
    kinks = (-0.5, 0.5) if name == "dead" else (0.0,)
    if any(abs(abs(kink - offset) - 1.0) < 0.05 for kink in kinks):
        return  # it turns close to its zero
    sim = counter(GUARDS[name], direction, w, offset, method=method)
    r = sim.run(final_time=END, rtol=tol, atol=tol, max_step=step)
    want = events(GUARDS[name], direction, w, offset)
    want = want[want < END - 0.1]
    assert r.status is Status.FINAL_TIME, r.message
    assert (r.events.kind != "grazing").all()
    found = r.events.t[r.events.t < END - 0.1]
    assert found.size == want.size and r.d_end[0] == len(r.events)
    assert np.allclose(found, want, rtol=0, atol=2e-3 + 300.0 * tol)


@pytest.mark.parametrize("tol", [1e-3, 1e-4])
@pytest.mark.parametrize("direction", [-1, 1])
def test_a_crossing_is_one_event_at_coarse_tolerances(direction, tol):
    """The full step to an event is off the dense output by the tolerance: the guard, still positive, fired again."""
    for offset in (-0.7, 0.1, 0.6):
        sim = counter(GUARDS["line"], direction, 1.3, offset)
        r = sim.run(final_time=60.0, rtol=tol, atol=tol)
        period = 2.0 * math.pi / 1.3
        first = 0.5 * period + math.asin(offset) / 1.3 if direction < 0 else -math.asin(offset) / 1.3 % period
        assert np.allclose(np.diff(r.events.t), period, rtol=0.02) and r.events.t[0] == pytest.approx(first, abs=0.02)
        assert np.abs(r.events.x_minus[:, 0]).max() < 1e-9
