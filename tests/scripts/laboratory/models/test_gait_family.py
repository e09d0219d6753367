"""The hexapod's gait over a parameter: the map from mid-stance to mid-stance, and its exact derivatives."""

import numpy as np
import pytest

from tarsus.analytic.clock import TripodGait
from tarsus.analytic.hybrid.family import FamilyEnd
from tarsus.analytic.hybrid.sections import multipliers
from tarsus.analytic.models.hexapod.orbit import BODY, free_entries
from tarsus.analytic.models.hexapod.state import lifted
from tarsus.scripts.laboratory.models import gait_family

VALUES = {"cycle_time": 1.0, "sweep_angle": 0.75, "friction_coeff": 0.5}  # of Table 2's walk


@pytest.mark.extra
@pytest.mark.parametrize("name", VALUES)
def test_the_derivative_is_the_difference_of_the_map(name):
    made, p = gait_family.settled(name, VALUES[name], seconds=10.0), VALUES[name]
    derivative, z = made.derivative(made.z0, p), made.z0
    # The slowest multiplier of the gait, docs/hexapod.md: another section, the same number.
    assert abs(multipliers(derivative[:, :-1])[0] + 0.610283) < 1e-4
    way = np.random.default_rng(0).uniform(-1.0, 1.0, z.size)
    h = 1e-6
    difference = (made(z + h * way, p) - made(z - h * way, p)) / (2 * h)
    np.testing.assert_allclose(derivative[:, :-1] @ way, difference, atol=2e-5)
    difference = (made(z, p + h) - made(z, p - h)) / (2 * h)
    assert np.abs(difference).max() > 0.1
    np.testing.assert_allclose(derivative[:, -1], difference, rtol=3e-5, atol=2e-5)  # the difference is as noisy


def test_a_state_moves_with_its_coordinates_as_differences_say():
    z, h = np.random.default_rng(1).uniform(-2.0, 2.0, BODY.size), 1e-5
    differences = [(lifted(z + h * e, BODY) - lifted(z - h * e, BODY)) / (2 * h) for e in np.eye(z.size)]
    np.testing.assert_allclose(gait_family.lifted_by(lifted(z, BODY), BODY), np.transpose(differences), atol=1e-9)


@pytest.mark.thorough
def test_a_family_passes_a_change_of_the_feets_modes():
    made = gait_family.settled("cycle_time", 1.0)
    found = gait_family.walk_through(made, 1.0, (0.98, 1.1), -1, 0.01, step=0.01, min_step=0.01, max_step=0.1)
    assert len(found) == 2 and found[0].status is FamilyEnd.NO_RETURN and found[1].status is FamilyEnd.BOUND
    sizes = [family.z.shape[1] for family in found]
    assert sizes[0] != sizes[1] and found[1].p[-1] == pytest.approx(0.98)
    assert all(family.stable.all() for family in found)
    largest = np.concatenate([np.abs(family.multipliers[:, 0]) for family in found])
    assert np.all(np.diff(largest) > 0.0) and largest[-1] == pytest.approx(0.636, abs=0.002)


@pytest.mark.thorough
def test_the_halves_of_a_cycle_differ_near_the_end_of_the_sweep():
    """docs/reproduction.md: at 1.485 rad differences alternate and fade by 3 % in half a cycle, at 1.48 by 14 %."""
    made = gait_family.settled("sweep_angle", 1.47)
    for sweep, multiplier in ((1.48, -0.86), (1.485, -0.97)):
        walk = [made.z0]
        for _ in range(24):
            walk.append(made(walk[-1], sweep))
        before, after = np.diff(walk[-3:], axis=0)
        assert after @ before / (before @ before) == pytest.approx(multiplier, abs=0.01)


@pytest.mark.extra
def test_a_start_that_does_not_settle_is_refused():
    made = gait_family.settled("cycle_time", 1.0)
    x = made.lift(made.z0)
    x[7:9] = 3.0  # thrown
    with pytest.raises(ValueError, match="the robot does not walk 3 strides"):
        made.walked(x, 1.0, 3.0)


def test_numbers_of_a_parameter():
    with pytest.raises(ValueError, match="unknown parameter 'mass'; known: cycle_time"):
        gait_family.moves("mass", TripodGait())
    chart = 0b01_10_00_01_00_10
    assert gait_family.mirrored_modes(chart) == 0b01_00_10_01_10_00
    assert gait_family.mirrored_modes(gait_family.mirrored_modes(chart)) == chart
    assert free_entries(chart).size == free_entries(gait_family.mirrored_modes(chart)).size
