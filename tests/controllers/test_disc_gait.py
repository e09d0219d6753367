"""The gait of the disc: rates are derivatives, it repeats, two thirds of the legs push at any time."""

import numpy as np
import pytest

from tarsus.controllers.disc_gait import DiscGait


def test_rates_are_the_derivative_of_the_joints():
    gait, h = DiscGait(7, 0.2), 1e-6
    t = np.random.default_rng(0).uniform(0, 5, 200)
    slope = (gait(t + h)[0] - gait(t - h)[0]) / (2 * h)
    kinked = np.abs(slope - gait(t)[1]).max(axis=(-1, -2)) > 1e-6
    assert kinked.mean() < 0.02  # only those that straddle a kink
    assert gait(t)[0].shape == (200, 7, 3)


def test_it_repeats_and_two_thirds_push_backward_on_the_ground():
    gait = DiscGait(9, 0.2)
    t = np.linspace(0, 1.5, 100, endpoint=False) + 1e-4
    joints, rates = gait(t)
    np.testing.assert_allclose(gait(t + gait.period)[0], joints, atol=1e-12)
    pushing = rates[..., 1] > 0  # a foot below its hip goes back as the swing about +y grows
    assert np.all(pushing.sum(axis=1) == 6) and np.all(joints[pushing][:, 0] == 0)
    assert joints[..., 0].max() == pytest.approx(gait.lift, rel=1e-3)
    assert np.abs(joints[..., 1]).max() == pytest.approx(0.2, rel=0.02)


def test_too_few_legs_are_refused():
    with pytest.raises(ValueError, match="needs 3 legs or more, one to a group, got 2"):
        DiscGait(2, 0.1)
