"""Gradients backward through a run: against closed forms and the forward derivatives, and where they do not exist."""

import math

import numpy as np
import pytest

from tarsus.analytic import hybrid as hy
from tarsus.analytic.compilation import has_numba
from tarsus.analytic.hybrid.adjoint import Adjoint
from tarsus.analytic.hybrid.derivatives import Derivatives, Existence
from tarsus.analytic.models import bouncing_ball, slip
from tarsus.scripts.laboratory.benchmarks.derivatives import tabulated
from tarsus.scripts.laboratory.models import deadbeat_slip

pytestmark = pytest.mark.skipif(not has_numba(), reason="the adjoint runs compiled only")

RUNNER = slip.Slip(body_mass=80.0, k=20e3, spri=2.0, sprj=1.0, g_stance=9.81, g_flight=9.81)


@pytest.mark.extra
def test_a_ball_bounces_as_in_closed_form():
    g, e, height = 9.81, 0.5, 1.3
    wrt = ("restitution", "height", "gravity")
    made = Adjoint(bouncing_ball.build()).run(
        lambda t, x, d, p: np.array([t, x[1] ** 2 / (2 * p[0])]), wrt, {"height": height}, chart="flight",
        stop_at="impact", stop_count=3, final_time=10.0,
    )  # fmt: skip
    assert made.existence is Existence.EXISTS, made.message
    fall, total = math.sqrt(2 * height / g), 1 + 2 * e + 2 * e**2
    by_time = [fall * (2 + 4 * e), fall * total / (2 * height), -fall * total / (2 * g)]
    np.testing.assert_allclose(made.value, [fall * total, e**6 * height], rtol=1e-12)
    np.testing.assert_allclose(made.by, [by_time, [6 * e**5 * height, e**6, 0.0]], rtol=0, atol=1e-10)


def outcome(t, x, d, p):
    return np.array([t, x[0] * x[2] + d[2], x[1] * p[slip.P.body_mass]])


@pytest.mark.extra
def test_strides_have_the_gradient_of_their_differences():
    """In the core, by a model that other tests of the core compile too."""
    model = deadbeat_slip.build(RUNNER)
    wrt = ("k", "body_mass", "g_stance", "g_flight", "touchdown_angle", "compression", "decompression", "y", "xdot")
    start = {"k": 20e3, "body_mass": 80.0, "g_stance": 9.81, "g_flight": 9.81, "touchdown_angle": 0.4}
    start |= {"compression": 0.9, "decompression": 1.1, "y": 1.0, "xdot": 5.0}
    settings = {"chart": "descent", "stop_at": "apex", "stop_count": 2, "final_time": 5.0, "rtol": 1e-12, "atol": 1e-12}

    def split(values):
        parts = {"params": model.param_names, "x0": model.state_names, "d0": model.memory_names}
        return {part: {k: v for k, v in values.items() if k in names} for part, names in parts.items()}

    def end(values):
        r = by.sim.run(**split(values), **settings)
        return outcome(r.t_end, r.x_end, r.d_end, r.p)

    by = Adjoint(model)
    made = by.run(outcome, wrt, **split(start), **settings)
    assert made.existence is Existence.EXISTS, made.message
    for name, column in zip(wrt, made.by.T, strict=True):
        h = 1e-5 * start[name]
        ends = [end(start | {name: start[name] + sign * h}) for sign in (1, -1)]
        np.testing.assert_allclose(column, (ends[0] - ends[1]) / (2 * h), rtol=1e-5, atol=1e-7, err_msg=name)


@pytest.mark.extra
@pytest.mark.parametrize("run", [{"stop_at": "apex", "stop_count": 2, "final_time": 5.0}, {"final_time": 0.6}])
def test_slip_has_the_gradient_of_the_forward_derivatives(run):
    wrt = ("body_mass", "q_rt", "q_rl", "g_stance", "g_flight", "q_0", "k", "touchdown_angle", "y", "xdot")
    start = {"x0": {"y": 0.97, "xdot": 5.0}, "d0": {"touchdown_angle": math.radians(23.0)}, "chart": "descent"}
    backward = Adjoint(slip.build("fixed", RUNNER)).run(outcome, wrt, **start, **run)
    forward = Derivatives(slip.build("fixed", RUNNER), len(wrt)).run(wrt, **start, **run)
    assert backward.existence is Existence.EXISTS, backward.message
    value, by = forward.end.measure(outcome)
    np.testing.assert_array_equal(backward.value, value)
    np.testing.assert_allclose(backward.by, by, rtol=1e-9, atol=1e-9 * np.abs(by).max())


@pytest.mark.extra
def test_a_law_of_a_hundred_numbers_has_the_gradient_of_the_forward_derivatives():
    model = tabulated(100)
    wrt, run = model.param_names, {"chart": "air", "stop_at": "liftoff", "stop_count": 2, "final_time": 9.0}
    backward = Adjoint(model).run(lambda t, x, d, p: x[1], wrt, **run)
    forward = Derivatives(model, len(wrt)).run(wrt, looser=math.inf, **run)  # the state's steps, at the knots too
    by = forward.end.measure(lambda t, x, d, p: x[1])[1]
    assert np.sum(np.abs(by) > 1e-6) > 30  # most of the table is passed through
    np.testing.assert_allclose(backward.by, by, rtol=1e-9, atol=1e-9 * np.abs(by).max())


def borders():
    """One model for two tests, because each is compiled on its own: `cascade` and `walls`.

    The first falls into a chart that is left as soon as it is entered: its guard is negative because of the event
    before. In the second two guards fire at once.
    """
    params = {"wall": 1.0, "turn": 0.5, "speed": 1.0, "first": 1.0, "second": 1.0}
    model = hy.Model("borders", state={"x": 2.0, "v": -1.0}, params=params, charts=["fall", "brief", "rise", "walls"])

    @model.field("fall", "brief")
    def fall(t, x, d, p, dx):
        dx[0], dx[1] = x[1], -x[0]

    @model.field("rise")
    def rise(t, x, d, p, dx):
        dx[0], dx[1] = x[1], 3.0 + p[1] * x[1]

    @model.field("walls")
    def flow(t, x, d, p, dx):
        dx[0], dx[1] = p[2], 0.0

    @model.guard("fall", to="brief")
    def switch(t, x, d, p):
        return x[0] - p[0]

    @model.guard("brief", to="rise", on_entry="fire")
    def let_go(t, x, d, p):
        return 0.3 * x[0] + x[1] - 10.0

    @model.guard("walls", to="walls", on_entry="ignore")
    def near(t, x, d, p):
        return p[3] - x[0]

    @model.guard("walls", to="walls", on_entry="ignore")
    def far(t, x, d, p):
        return p[4] - x[0]

    @model.reset("let_go")
    def turn(t, x, d, p):
        x[1] = -p[1] * x[1] * x[0] + 0.1 * t

    return model


@pytest.mark.extra
def test_an_event_that_fires_on_entry_takes_the_time_of_the_one_before():
    wrt, run = ("x", "v", "wall", "turn"), {"chart": "fall", "final_time": 1.5}
    made = Adjoint(borders()).run(lambda t, x, d, p: x, wrt, **run)
    forward = Derivatives(borders(), 4, mode="python").run(wrt, **run)
    np.testing.assert_allclose(made.by, forward.end.x_by, rtol=1e-9, atol=1e-8)  # interpreted: differences


@pytest.mark.extra
def test_what_has_no_gradient_is_refused():
    by, run = Adjoint(borders()), {"chart": "walls", "x0": {"x": 0.0}}
    made = by.run(lambda t, x, d, p: x[0], ["speed"], final_time=1.5, **run)
    assert made.existence is Existence.SIMULTANEOUS and "near+far at t = " in made.message and np.isnan(made.by).all()
    made = by.run(lambda t, x, d, p: x[0], ["speed"], params={"second": 2.0}, final_time=0.5, stop_at="far", **run)
    assert made.existence is Existence.UNREACHED and np.isnan(made.by).all()
    parted = by.run(lambda t, x, d, p: x[0], ["speed"], params={"second": 2.0}, final_time=1.5, **run)
    np.testing.assert_allclose(parted.by, [1.5], atol=1e-12)


def test_misuse_is_explained():
    with pytest.raises(ValueError, match="goes back over explicit steps, not rodas5p"):
        Adjoint(borders(), "rodas5p")
    with pytest.raises(ValueError, match="'mass' is unknown.*speed"):
        Adjoint(borders()).run(lambda t, x, d, p: x[0], ["mass"])
    with pytest.raises(ValueError, match="give the first chart"):
        Adjoint(slip.build("fixed", RUNNER)).run(outcome, ["k"])
