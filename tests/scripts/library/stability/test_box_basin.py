"""Basins of maps that are known: a linear one, and a cubic one that returns from within its unstable fixed points."""

import numpy as np
import pytest

from tarsus.analytic import hybrid
from tarsus.analytic.hybrid import sections
from tarsus.analytic.models import rimless_wheel
from tarsus.analytic.models.rimless_wheel import RimlessWheel
from tarsus.scripts.library.stability.surviving import box_basin

LINEAR = np.array([[0.5, 2.0], [0.0, 0.4]])


def cubic(z):
    """Return z / 2 + z^3 / 2 of each coordinate, whose fixed points are -1, 0 and 1; NaN beyond 3."""
    return np.where(np.abs(z) > 3.0, np.nan, 0.5 * z + 0.5 * z**3)


def test_all_of_a_box_returns_to_a_linear_maps_fixed_point():
    z = np.array([1.0, -2.0])
    found = box_basin(lambda x: z + LINEAR @ (x - z), z, LINEAR, np.array([3.0, 5.0]), np.random.default_rng(0))
    assert found.n_returned == found.n_points == 300 and found.high == 1.0
    assert found.low == pytest.approx(0.05 ** (1 / 300))
    assert found.inside == 1.0  # the first ellipsoid, which has the whole box, holds
    assert "100.0% of the box return within 20 periods" in found.message


def test_the_share_of_a_box_that_returns_is_the_basins():
    """|z| < 1 returns, of a box of 1.6 in each of two coordinates a share of 1 / 1.6^2 = 0.39."""
    args = np.zeros(2), 0.5 * np.eye(2), np.full(2, 1.6)
    found = box_basin(cubic, *args, np.random.default_rng(0), n_points=1000)
    assert found.low <= 1 / 1.6**2 <= found.high < 0.45
    assert 0.0 < found.inside < 1 / 1.6**2
    assert (found.ellipsoid.radii < 1.02).all()  # a share of 0.01 of it may lie outside


def test_what_passes_by_has_not_returned():
    """A turn by a quarter period brings a point back every fourth time, and never nearer."""
    turn = np.array([[0.0, -1.0], [1.0, 0.0]])
    found = box_basin(lambda z: turn @ z, np.zeros(2), 0.5 * turn, np.ones(2), np.random.default_rng(0))
    assert found.n_returned < 10 and found.ellipsoid.level == 0.0 and found.inside == 0.0


def test_a_wheel_rolls_on_if_it_comes_over_its_spoke():
    """The rimless wheel in the hybrid engine: above sqrt(2 g / l (1 - cos(alpha - gamma))), w' = w / 2 + c."""
    params = RimlessWheel()
    p, alpha = hybrid.vector(params), np.pi / params.spokes
    start = np.array([params.slope - alpha, 0.0])
    period = sections.return_map(
        hybrid.compile(rimless_wheel.build(), mode="python"),
        "step_down",
        lambda z: (start + [0.0, z[0]], np.zeros(1)),
        lambda x, d: x[1:2],
        p,
        chart="stance",
    )
    rate, least = rimless_wheel.rolling_rate(p), np.sqrt(2.0 * params.gravity * (1.0 - np.cos(alpha - params.slope)))
    args = np.array([rate]), np.array([[0.5]]), np.array([0.4]), np.random.default_rng(0)
    found = box_basin(period, *args, n_points=40, n_periods=8, share=0.05, beta=0.1)
    assert found.low <= (rate + 0.4 - least) / 0.8 <= found.high
    assert 0.6 * (rate - least) < found.ellipsoid.radii[0] < 1.06 * (rate - least)  # up to 0.05 of it may lie below


@pytest.mark.parametrize(
    ("closed", "reach", "words"),
    [
        (1.1 * np.eye(2), np.ones(2), "not stable"),
        (0.5 * np.eye(2), np.array([1.0, 0.0]), "positive width in each of 2"),
    ],
)
def test_misuse_is_refused(closed, reach, words):
    with pytest.raises(ValueError, match=words):
        box_basin(cubic, np.zeros(2), closed, reach, np.random.default_rng(0))
