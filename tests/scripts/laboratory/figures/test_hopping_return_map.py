"""The hopping leg's return map: its coordinates are the state's, and its multipliers are how errors shrink."""

import numpy as np
import pytest

from tarsus.analytic import hybrid as hy
from tarsus.analytic.hybrid import sections
from tarsus.analytic.models import hopping_leg_hybrid as model
from tarsus.analytic.models.hopping_leg import places
from tarsus.controllers.raibert import RaibertGains, raibert
from tarsus.scripts.laboratory.figures import hopping_leg_return_map as figure

Z = np.array([0.98, -1.57, 0.52, 1.61, 74.0, 0.09])


def test_coordinates_and_state_are_each_other():
    x, d = figure.lift(Z)
    np.testing.assert_allclose(figure.project(x, d), Z, rtol=1e-14)
    h, radial = 1e-6, d[:2]
    ahead, behind = (places(figure.PARAMS, x[:4] + s * h * x[4:]).foot for s in (1, -1))
    velocity = (ahead - behind) / (2 * h)
    assert abs(places(figure.PARAMS, x[:4]).foot[2]) < 1e-14
    assert abs(velocity[2]) < 1e-8 and abs(radial[0] * velocity[1] - radial[1] * velocity[0]) < 1e-8


def test_errors_shrink_as_the_largest_multiplier_says():
    sim, gains = hy.compile(model.build(raibert())), RaibertGains(speed=0.5)
    at = figure.mapping(sim, gains)
    found = sections.fixed_point(at, figure.settled(sim, gains) / figure.SIZES, tol=figure.TOLERANCE)
    assert found.status is sections.Convergence.CONVERGED and abs(found.multipliers[0]) < 1
    z, errors = found.z + 1e-3 * np.array([1.0, 0.0, -1.0, 1.0, 0.0, 1.0]), []
    for _ in range(25):
        z = at(z)
        errors.append(np.linalg.norm(z - found.z))
    rate = (errors[-1] / errors[14]) ** 0.1
    assert rate == pytest.approx(abs(found.multipliers[0]), rel=5e-3)
