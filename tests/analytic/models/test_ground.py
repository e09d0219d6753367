"""Every registered terrain as functions of a point, compiled, is the terrain."""

import numba
import numpy as np
import pytest

from tarsus.analytic.compilation.rebuild import rebuild
from tarsus.analytic.models.ground import ground_of
from tarsus.analytic.terrain import TERRAINS


@pytest.mark.parametrize("fast", [False, pytest.param(True, marks=pytest.mark.extra)])
@pytest.mark.parametrize("kind", TERRAINS.values(), ids=TERRAINS.keys())
def test_points_are_the_terrains(kind, fast):
    terrain = kind()
    ground = ground_of(terrain, 2)
    p = np.array([7.0, 8.0, *ground.params.values()])
    height, gradient, compiled = ground.height, ground.gradient, {}
    if fast:
        height, gradient = (rebuild(plain, numba.njit, {}, compiled, __name__) for plain in (height, gradient))
    rng = np.random.default_rng(0)
    for x, y in rng.uniform(-2, 2, (20, 2)):
        assert height(x, y, p) == pytest.approx(float(terrain.height(x, y)), abs=1e-14)
        np.testing.assert_allclose(gradient(x, y, p), np.array(terrain.gradient(x, y), float), atol=1e-14)
