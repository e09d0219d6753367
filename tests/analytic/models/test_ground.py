"""Every registered terrain as functions of a point, compiled, is the terrain."""

import numba
import numpy as np
import pytest

from tarsus.analytic.compilation.rebuild import rebuild
from tarsus.analytic.models.ground import ground_of
from tarsus.analytic.terrain import TERRAINS


@pytest.mark.parametrize("kind", TERRAINS.values(), ids=TERRAINS.keys())
def test_compiled_points_are_the_terrains(kind):
    terrain = kind()
    ground = ground_of(terrain, 2)
    p = np.array([7.0, 8.0, *ground.params.values()])
    compiled = {}
    height = rebuild(ground.height, numba.njit, {}, compiled, __name__)
    gradient = rebuild(ground.gradient, numba.njit, {}, compiled, __name__)
    rng = np.random.default_rng(0)
    for x, y in rng.uniform(-2, 2, (20, 2)):
        assert height(x, y, p) == pytest.approx(float(terrain.height(x, y)), abs=1e-14)
        np.testing.assert_allclose(gradient(x, y, p), np.array(terrain.gradient(x, y), float), atol=1e-14)
