"""Motion under constraints: the linear system, its special cases and its energy."""

import numpy as np
import pytest

from tarsus.analytic.models import constrained

N = 5


@pytest.fixture
def system():
    rng = np.random.default_rng(1)
    half = rng.standard_normal((N, N))
    return half @ half.T + np.eye(N), rng


@pytest.mark.parametrize("m", range(N + 1))
def test_the_solution_solves_both_equations(system, m):
    M, rng = system
    load, J, drift = rng.standard_normal(N), rng.standard_normal((m, N)), rng.standard_normal(m)
    rate, force = np.full(N, np.nan), np.full(m, np.nan)
    constrained.solve(M.copy(), load, J, drift, rate, force)
    np.testing.assert_allclose(M @ rate, load + J.T @ force, atol=1e-12 * (1 + np.abs(force).max(initial=0)))
    np.testing.assert_allclose(J @ rate, -drift, atol=1e-12 * (1 + np.abs(force).max(initial=0)))


def test_factor_and_substitute_solve(system):
    M, rng = system
    b = rng.standard_normal(N)
    L, x = M.copy(), b.copy()
    constrained.factor(L)
    np.testing.assert_allclose(np.tril(L), np.linalg.cholesky(M), atol=1e-13)
    constrained.substitute(L, x)
    np.testing.assert_allclose(M @ x, b, atol=1e-12)


def test_an_impact_stops_what_is_held_and_loses_the_energy_of_its_motion(system):
    M, rng = system
    J, before = rng.standard_normal((2, N)), rng.standard_normal(N)
    after, impulse = before.copy(), np.empty(2)
    constrained.impact(M.copy(), J, after, impulse)
    np.testing.assert_allclose(J @ after, 0.0, atol=1e-13)
    np.testing.assert_allclose(M @ (after - before), J.T @ impulse, atol=1e-12)
    speed = J @ before
    lost = 0.5 * speed @ np.linalg.solve(J @ np.linalg.solve(M, J.T), speed)
    assert 0.5 * before @ M @ before - 0.5 * after @ M @ after == pytest.approx(lost, rel=1e-12)
