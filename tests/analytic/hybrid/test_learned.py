"""Curvature that is learned on the way of a descent: the secant where that is positive, damped where it is not."""

import numpy as np
import pytest

from tarsus.analytic.hybrid.backward import DAMPING, learned


@pytest.fixture
def before():
    root = np.random.default_rng(1).normal(size=(4, 4))
    return root @ root.T + np.eye(4)


def test_a_positive_change_of_gradient_is_taken_over(before):
    s = np.array([0.3, -0.2, 0.5, 0.1])
    y = 0.7 * before @ s
    after = learned(before, s, y)
    np.testing.assert_allclose(after @ s, y, rtol=1e-12)
    other = np.linalg.svd((before @ s)[None])[2][1:]  # directions whose curvature along s is none
    np.testing.assert_allclose(other @ after @ other.T, other @ before @ other.T, atol=1e-12)


@pytest.mark.parametrize("share", [0.1, 0.0, -3.0])
def test_a_change_that_is_small_or_negative_is_damped(before, share):
    s = np.array([0.3, -0.2, 0.5, 0.1])
    after = learned(before, s, share * before @ s)
    assert s @ after @ s == pytest.approx(DAMPING * (s @ before @ s), rel=1e-12)
    assert np.linalg.eigvalsh(after).min() > 0
