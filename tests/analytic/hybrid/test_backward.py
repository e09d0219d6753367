"""Plans with hundreds of decisions, whose derivatives go backward: closed forms, the forward derivatives, refusals."""

import numpy as np
import pytest

from tarsus.analytic import hybrid as hy
from tarsus.analytic.compilation import has_numba
from tarsus.analytic.hybrid import control
from tarsus.analytic.hybrid.control import Bound, ControlProblem, ControlStatus, Segment
from tarsus.analytic.hybrid.horizon import Horizon
from tarsus.scripts.laboratory.benchmarks.control import slip_problem

pytestmark = [pytest.mark.skipif(not has_numba(), reason="the adjoint runs compiled only"), pytest.mark.extra]

TIME, WAY, N = 1.5, 0.8, 200


def slider(n=N, **how):
    """A mass on a track, pushed by a force that is linear between n numbers, with its square as the running cost."""
    model = hy.Model(
        "slider", state={"x": 0.0, "v": 0.0, "cost": 0.0}, params={"u": np.zeros(n)}, charts=["track"], **how
    )

    @model.field("track")
    def move(t, x, d, p, dx):
        place = min(max(t / TIME, 0.0), 1.0) * (n - 1)
        i = min(int(place), n - 2)
        u = p[i] + (place - i) * (p[i + 1] - p[i])
        dx[0], dx[1], dx[2] = x[1], u, u * u

    @model.guard("track", to="track")
    def wall(t, x, d, p):
        return 10.0 - x[0]

    return model


def transfer(**changes):
    """From rest to rest over a way, with the least squared force."""
    bounds = [Bound("x", WAY, WAY, at="end"), Bound("v", 0.0, 0.0, at="end")]
    settings = {"chart": "track", "final_time": TIME, "max_step": TIME / (N - 1), "rtol": 1e-11, "atol": 1e-13}
    about = {"model": slider(), "cost": "cost", "bounds": bounds, "settings": settings} | changes
    return ControlProblem(decisions={f"u_{i}": (-10.0, 10.0) for i in range(N)}, **about)


@pytest.fixture(scope="module")
def problem():
    return transfer()


def test_two_hundred_numbers_become_the_line_that_calculus_finds(problem):
    """The least square of the force that carries a mass from rest to rest falls on a line: 6 d / T^2 (1 - 2 t / T)."""
    found = control.solve(problem, {}, tol=1e-10)
    assert found.status is ControlStatus.CONVERGED and found.violation < 1e-6
    assert found.cost == pytest.approx(12.0 * WAY**2 / TIME**3, rel=1e-4)
    force = np.array(list(found.decisions.values()))
    line = 6.0 * WAY / TIME**2 * (1.0 - 2.0 * np.linspace(0.0, 1.0, N))
    assert np.sqrt(np.mean((force - line)[1:-1] ** 2)) < 0.0125  # what the cost above allows; the ends count half
    assert found.n_derived < 40 and control.verify(found).agrees


def test_gradients_are_those_of_runs(problem):
    whole = control.horizon(problem, [Segment(tuple(problem.decisions))], "backward")
    rng = np.random.default_rng(0)
    z = rng.normal(size=N)
    made, step = whole.derived(z), rng.normal(size=N)
    ends = [whole.plain(z + h * step) for h in (1e-4, -1e-4)]
    assert made.gradient @ step == pytest.approx(
        (ends[0].cost - ends[1].cost) / 2e-4, rel=5e-4
    )  # steps meet the force's bends elsewhere
    np.testing.assert_allclose(made.jac @ step, (ends[0].c - ends[1].c) / 2e-4, rtol=5e-4)


def test_through_touchdowns_and_liftoffs_it_finds_the_plan_of_the_forward_derivatives():
    problem = slip_problem()
    forward = control.solve(problem, {}, feasible=1e-8, tol=1e-10)
    backward = control.solve(problem, {}, feasible=1e-8, tol=1e-10, derivatives="backward")
    assert backward.status is ControlStatus.CONVERGED and backward.cost == pytest.approx(forward.cost, rel=1e-7)
    assert backward.decisions == pytest.approx(forward.decisions, abs=1e-5)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"bounds": [Bound("x", 0.0, 1.0, at="wall")]}, "bounds are read at the end only"),
        ({"bounds": [Bound("x", 0.0, 1.0, at="end", charts=("track",))]}, "bounds hold in all charts"),
        ({"mode": "python"}, "they run compiled"),
        ({"model": slider(method="rodas5p")}, "they go back over explicit steps"),
    ],
)
def test_what_cannot_go_backward_is_refused_and_goes_forward_by_itself(changes, sentence):
    made = transfer(**changes)
    assert type(control.horizon(made, [Segment(tuple(made.decisions))], None)) is Horizon
    with pytest.raises(ValueError, match=f"no derivatives backward: {sentence}"):
        control.solve(transfer(**changes), {}, derivatives="backward")
    with pytest.raises(ValueError, match="derivatives must be 'forward' or 'backward', got 'sideways'"):
        control.solve(transfer(), {}, derivatives="sideways")
