"""The tableaux: against SciPy's numbers, and the conditions that any Runge-Kutta method of their order satisfies."""

import numpy as np
import pytest
from scipy.integrate import RK23, RK45
from scipy.integrate._ivp import dop853_coefficients as reference

from tarsus.analytic.hybrid import tableau
from tarsus.analytic.hybrid.tableau import METHODS


@pytest.mark.parametrize("name", ["A", "B", "C", "D", "E3", "E5"])
def test_dop853_numbers(name):
    assert np.array_equal(tableau.DOP853.arrays[name], getattr(reference, name))


@pytest.mark.parametrize("method, peer", [(tableau.DOPRI5, RK45), (tableau.RK23, RK23)], ids=["dopri5", "rk23"])
def test_numbers_of_the_others(method, peer):
    n = method.n_stages
    assert np.allclose(method.arrays["A"][:, : peer.A.shape[1]], peer.A[:n], rtol=1e-15, atol=0)
    for name in ("B", "C"):
        assert np.allclose(method.arrays[name], getattr(peer, name), rtol=1e-15, atol=0)
    powers = peer.P.shape[1]
    assert np.allclose(method.arrays["P"][:, :powers], peer.P, rtol=1e-15, atol=0)
    assert not method.arrays["P"][:, powers:].any()
    assert np.allclose(np.abs(method.arrays["E"]), np.abs(peer.E), rtol=1e-14, atol=0)


EXPLICIT = [method for method in METHODS.values() if not method.gamma]


@pytest.mark.parametrize("method", EXPLICIT, ids=lambda method: method.name)
def test_quadrature_and_row_conditions(method):
    n = method.n_stages
    a, b, c = method.arrays["A"][:n, :n], method.arrays["B"], method.arrays["C"][:n]
    assert np.allclose(a.sum(axis=1), c, rtol=0, atol=1e-14)
    for power in range(method.order):
        assert abs(b @ c**power - 1.0 / (power + 1)) < 1e-14
    assert abs(b @ (a @ c) - 1.0 / 6.0) < 1e-14  # the first condition that is no quadrature


def test_a_wrong_digit_is_seen():
    wrong = tableau.DOP853.arrays["B"].copy()
    wrong[5] += 1e-12
    c = tableau.DOP853.arrays["C"][:12]
    assert abs(wrong @ c - 0.5) > 1e-13
