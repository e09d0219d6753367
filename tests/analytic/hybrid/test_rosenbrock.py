"""Rodas5P: the conditions its coefficients satisfy, its linear systems, and what it is for, stiff fields."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tarsus.analytic import hybrid as hy
from tarsus.analytic.hybrid import Status
from tarsus.analytic.hybrid import tableau_rodas5p as rodas
from tarsus.analytic.hybrid.tableau import RODAS5P

# The usual form, k = h f(x + alpha k) + h J Gamma k, of which the stages here are U = Gamma k.
GAMMAS = np.linalg.inv(np.eye(rodas.N_STAGES) / rodas.GAMMA - rodas.C)
ALPHA = rodas.A @ GAMMAS
BETA = ALPHA + GAMMAS
WEIGHTS = np.append(rodas.A[-1, :-1], 1.0) @ GAMMAS
EMBEDDED = rodas.A[-1] @ GAMMAS


def defects(weights, order, part=1.0):
    """Return what is left of the order conditions at a part of the step (Hairer & Wanner II, table IV.7.1, and 5)."""
    one = np.ones(rodas.N_STAGES)
    a, b = ALPHA @ one, BETA @ one
    conditions = {
        1: [(one, 1)],
        2: [(b, 2)],
        3: [(a**2, 3), (BETA @ b, 6)],
        4: [(a**3, 4), (a * (ALPHA @ b), 8), (BETA @ a**2, 12), (BETA @ BETA @ b, 24)],
        5: [
            (a**4, 5), (a**2 * (ALPHA @ b), 10), ((ALPHA @ b) ** 2, 20), (a * (ALPHA @ a**2), 15),
            (a * (ALPHA @ BETA @ b), 30), (BETA @ a**3, 20), (BETA @ (a * (ALPHA @ b)), 40),
            (BETA @ BETA @ a**2, 60), (BETA @ BETA @ BETA @ b, 120),
        ],
    }  # fmt: skip
    return [weights @ vector - part**n / value for n in range(1, order + 1) for vector, value in conditions[n]]


def test_the_solution_has_order_5_and_the_embedded_one_4():
    assert np.abs(defects(WEIGHTS, 5)).max() < 1e-13
    assert np.abs(defects(EMBEDDED, 4)).max() < 1e-13
    assert np.abs(defects(EMBEDDED, 5)).max() > 1e-4
    assert (RODAS5P.order, RODAS5P.error_order) == (5, 4)


@pytest.mark.parametrize("part", [0.1, 0.5, 0.77])
def test_the_dense_output_has_order_4(part):
    bend = rodas.H[0] + part * (rodas.H[1] + part * rodas.H[2])
    weights = part * WEIGHTS + part * (1.0 - part) * bend @ GAMMAS
    assert np.abs(defects(weights, 4, part)).max() < 1e-12


def test_times_belong_to_the_stages():
    one = np.ones(rodas.N_STAGES)
    np.testing.assert_allclose(ALPHA @ one, rodas.TIMES, atol=1e-13)
    np.testing.assert_allclose(GAMMAS @ one, rodas.D, atol=1e-13)


def growth(z, weights=WEIGHTS):
    """Return the factor by which a step changes x' = lambda x, of z = lambda h."""
    return 1.0 + z * weights @ np.linalg.solve(np.eye(rodas.N_STAGES) - z * BETA, np.ones(rodas.N_STAGES))


@pytest.mark.parametrize("weights", [WEIGHTS, EMBEDDED], ids=["solution", "embedded"])
def test_no_decay_grows_and_the_fastest_is_gone_at_once(weights):
    for size in np.logspace(-3, 8, 60):
        for angle in np.linspace(0.5 * np.pi, np.pi, 20):
            assert abs(growth(size * np.exp(1j * angle), weights)) <= 1.0 + 1e-9
    assert abs(growth(-1e9, weights)) < 1e-5


def linear_model(matrix):
    n = len(matrix)
    model = hy.Model("linear", state={"x": np.ones(n)}, charts=["run"])

    @model.field("run")
    def flow(t, x, d, p, dx):
        for i in range(n):
            dx[i] = 0.0
            for j in range(n):
                dx[i] += matrix[i, j] * x[j]

    return hy.compile(model, "rodas5p", "python")


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(1, 7), diagonal=st.sampled_from([0.0, 1.0, 50.0]))
def test_the_linear_systems_are_solved(seed, n, diagonal):
    """The diagonal may be zero, and many entries are: then rows must be exchanged and zeros passed over."""
    rng = np.random.default_rng(seed)
    matrix = rng.normal(size=(n, n)) * (rng.random((n, n)) < 0.6) + np.roll(np.eye(n), 1, axis=0)
    np.fill_diagonal(matrix, 0.0)
    if n == 1 and diagonal == 0.0 or abs(np.linalg.det(diagonal * np.eye(n) - matrix)) < 1e-6:
        return
    sim = linear_model(matrix)
    linear, w = sim.kernel.modules["linear"], as_run(sim)
    linear.rates(w, 0.0, w.x, w.k[0])
    linear.take_jacobian(w)
    np.testing.assert_allclose(w.jac.T, matrix, atol=1e-6)
    linear.factorise(w, diagonal)
    b = rng.normal(size=n)
    x = b.copy()
    linear.solve(w, x)
    np.testing.assert_allclose((diagonal * np.eye(n) - w.jac.T) @ x, b, atol=1e-9 * max(1.0, np.abs(x).max()))


def as_run(sim):
    from tarsus.analytic.hybrid.workspace import as_object

    w = as_object(sim.start.workspace(*sim.start.of())[0])
    w.chart = 0
    return w


@pytest.mark.parametrize("z", [-0.3, -2.0, -50.0])
def test_the_error_is_the_distance_to_the_embedded_solution(z):
    sim = linear_model(np.array([[z]]))
    steps, w = sim.kernel.modules["steps"], as_run(sim)
    steps.rates(w, 0.0, w.x, w.k[0])
    steps.stages(w, 1.0, w.x1)
    assert w.x1[0] == pytest.approx(growth(z), abs=1e-8)
    scale = w.atol[0] + w.rtol * max(1.0, abs(w.x1[0]))
    assert steps.error_norm(w, 1.0) * scale == pytest.approx(abs(growth(z) - growth(z, EMBEDDED)), rel=1e-3)


def relaxation(rate):
    """Return x' = -rate (x - cos t) - sin t, whose solution from 1 is cos t (Prothero & Robinson 1974)."""
    model = hy.Model("relaxation", state={"x": 1.0}, params={"rate": rate}, charts=["run"])

    @model.field("run")
    def flow(t, x, d, p, dx):
        dx[0] = -p[0] * (x[0] - math.cos(t)) - math.sin(t)

    return model


def test_steps_do_not_follow_the_fast_rate():
    """An explicit method takes at least a step per 3.4 time constants, 3e5 here; this one those the cosine asks for."""
    r = hy.compile(relaxation(1e5), "rodas5p", "python").run(final_time=10.0, rtol=1e-6, record_period=0.0)
    assert r.counts["steps"] + r.counts["rejected"] < 150
    assert np.abs(r.x[:, 0] - np.cos(r.t)).max() < 1e-6
    short = hy.compile(relaxation(1e5), "dopri5", "python").run(final_time=0.01, rtol=1e-6)
    assert short.counts["steps"] > 0.01 * 1e5 / 3.4


def test_a_transient_is_followed():
    rate, start = 1e4, 3.0
    sim = hy.compile(relaxation(rate), "rodas5p", "python")
    r = sim.run({"x": start}, final_time=2e-3, rtol=1e-8, record_period=1e-5)
    exact = np.cos(r.t) + (start - 1.0) * np.exp(-rate * r.t)
    assert np.abs(r.x[:, 0] - exact).max() < 1e-6


def kicked():
    """Return a stiff relaxation to cos t whose transition changes the rate, kept in the memory, and nothing of x."""
    model = hy.Model("kicked", state={"x": 1.0}, memory={"rate": 1e3, "next": 0.5}, charts=["run"])

    @model.field("run")
    def flow(t, x, d, p, dx):
        dx[0] = -d[0] * (x[0] - math.cos(t)) - math.sin(t)

    @model.guard("run", to="run")
    def tick(t, x, d, p):
        return d[1] - t

    @model.reset("tick")
    def stiffen(t, x, d, p):
        x[0] += 0.1
        d[0] *= 10.0
        d[1] += 0.5

    return model


def test_events_of_a_stiff_field():
    """Four kicks; each decays as the exponential of the rate of its time."""
    r = hy.compile(kicked(), "rodas5p", "python").run(final_time=2.2, rtol=1e-8, record_period=0.0)
    assert r.status is Status.FINAL_TIME and np.abs(r.events.t - [0.5, 1.0, 1.5, 2.0]).max() < 1e-14
    kick = np.floor(r.t / 0.5 + 1e-12)
    since = r.t - 0.5 * kick
    exact = np.cos(r.t) + np.where(kick > 0, 0.1, 0.0) * np.exp(-1e3 * 10.0**kick * since)
    before = np.append(np.diff(r.t) == 0, False)  # the last points before a kick
    assert np.abs(r.x[:, 0] - exact)[~before].max() < 1e-6
    assert r.counts["steps"] < 600


def test_a_second_event_at_the_same_time_has_its_own_jacobian():
    """So soon after the first that the time is the same number; the Jacobian of the step between them is another's."""
    model = hy.Model("twice", state={"x": 1.0, "left": 1.0}, memory={"rate": 10.0, "next": 0.5}, charts=["run"])

    @model.field("run")
    def flow(t, x, d, p, dx):
        dx[0] = -d[0] * x[0]
        dx[1] = -1.0

    @model.guard("run", to="run")
    def tick(t, x, d, p):
        return d[1] - t

    @model.reset("tick")
    def begin(t, x, d, p):
        x[1] = 1e-18
        d[1] = 9.0

    @model.guard("run", to="run")
    def spent(t, x, d, p):
        return x[1]

    @model.reset("spent")
    def stiffen(t, x, d, p):
        x[0] = 1.0
        x[1] = 9.0
        d[0] *= 1e3

    step = 1e-3  # 10 time constants
    r = hy.compile(model, "rodas5p", "python").run(final_time=0.501, rtol=1.0, atol=1e9, max_step=step, first_step=step)
    assert r.events.name.tolist() == ["tick", "spent"] and np.diff(r.events.t) == 0.0
    assert r.x_end[0] == pytest.approx(growth(-10.0), abs=1e-3)


def test_a_field_that_is_not_finite_ends_the_run():
    model = hy.Model("root", state={"x": 1.0}, charts=["run"])

    @model.field("run")
    def flow(t, x, d, p, dx):
        dx[0] = -1.0 / math.sqrt(x[0])

    r = hy.compile(model, "rodas5p", "python").run(final_time=5.0, rtol=1e-8)
    assert r.status in (Status.NONFINITE, Status.STEP_TOO_SMALL)
    assert r.t_end == pytest.approx(2.0 / 3.0, abs=1e-3)
