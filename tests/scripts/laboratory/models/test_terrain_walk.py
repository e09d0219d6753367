"""Walks over ground that is not level: exact stances, a flat walk, a ramp, a step, and risers that are marked."""

import numpy as np
import pytest

from tarsus.analytic.contact import support
from tarsus.analytic.models.multipod import MultipodParams
from tarsus.analytic.models.sliding_walk import SlidingWalk
from tarsus.analytic.terrain import Flat, Slope, Step
from tarsus.scripts.laboratory.models.terrain_walk import walk_over

TWELVE = SlidingWalk(MultipodParams(n_legs=12), frames=24, law="viscous")
AHEAD = [0.2, 0.0, 0.0]
HEIGHT = 0.0746  # of the body over even ground, mean over a stride [m]


def test_four_springs_with_two_feet_on_a_step_tilt_by_its_rise_over_their_distance():
    pos = np.array([[0.2, 0.2, -0.1], [0.2, -0.2, -0.1], [-0.2, 0.2, -0.1], [-0.2, -0.2, -0.1]])
    found = support(pos, 1000.0, 20.0, ground=[0.03, 0.03, 0.0, 0.0])
    assert found.pitch == pytest.approx(-0.075, abs=1e-15) and found.roll == pytest.approx(0.0, abs=1e-15)
    np.testing.assert_allclose(found.load, 5.0, rtol=1e-12)
    assert found.height == pytest.approx(0.1 + 0.015 - 5.0 / 1000.0, abs=1e-15)


def test_on_flat_ground_it_is_the_plain_walk():
    """But for the feet that the tilt of some milliradians moves."""
    controls = [0.2, 0.03, 0.1]
    made = walk_over(TWELVE, Flat(), controls, 1.0)
    end = TWELVE.stride(controls).pose
    assert not made.fell and not made.riser.any() and len(made.time) == 24
    np.testing.assert_allclose(made.pose[-1], TWELVE.stride(controls, strides=23 / 24).pose, atol=0.02 * end[0])
    assert np.abs(made.pitch).max() < 0.02 and made.height.mean() == pytest.approx(HEIGHT, abs=1e-4)


@pytest.mark.parametrize("slope_x, slope_y", [(0.05, 0.0), (0.0, 0.05), (-0.04, 0.03)])
def test_on_a_ramp_the_body_tilts_with_it_and_climbs(slope_x, slope_y):
    made = walk_over(TWELVE, Slope(slope_x, slope_y), AHEAD, 1.0)
    assert made.pitch.mean() == pytest.approx(-slope_x, abs=4e-3)
    assert made.roll.mean() == pytest.approx(slope_y, abs=4e-3)
    ground = slope_x * made.pose[:, 0] + slope_y * made.pose[:, 1]
    assert (made.height - ground).mean() == pytest.approx(HEIGHT, abs=1e-3)


def test_it_climbs_a_step_and_is_higher_by_it():
    """Its front is up first: nose up, which is a negative pitch."""
    step = Step(rise=0.012, position=0.6, width=0.01, heading=0.0)
    made = walk_over(TWELVE, step, AHEAD, 8.0)
    flat = walk_over(TWELVE, Flat(), AHEAD, 1.0)
    assert not made.fell and made.pose[-1, 0] > 1.2
    assert made.height[-24:].mean() - flat.height.mean() == pytest.approx(0.012, abs=1e-4)
    on_it = np.abs(made.pose[:, 0] - 0.6) < 0.1
    assert -0.03 < made.pitch[on_it].mean() < -0.01
    np.testing.assert_allclose(made.load.sum(axis=1), 3.96 * 9.81, rtol=1e-9)


def test_feet_that_run_into_a_riser_are_marked():
    """Feet slide forward in the air by some centimetres; some are lower than the step then, of its far side none."""
    step = Step(rise=0.012, position=0.6, width=0.01, heading=0.0)
    up = walk_over(TWELVE, step, AHEAD, 6.0)
    down = walk_over(TWELVE, Step(rise=-0.012, position=0.6, width=0.01, heading=0.0), AHEAD, 6.0)
    assert 0 < up.riser.sum() < 40 and not up.riser[up.pose[:, 0] < 0.6 - 0.5].any()
    assert down.riser.sum() < up.riser.sum()


def test_a_walk_ends_where_the_feet_do_not_carry():
    made = walk_over(SlidingWalk(MultipodParams(n_legs=4), frames=8, lost=(0, 1)), Flat(), AHEAD, 1.0)
    assert made.fell and len(made.time) == 0 and made.load.shape == (0, 4)
