"""Climbing by gradient: derivatives of walks from rest, the linear program, and the trust region."""

from dataclasses import replace

import numpy as np
import pytest

from tarsus.analytic.models.hexapod import HexapodParams
from tarsus.scripts.library.search.gait_gradient import TILT, DerivedWalk, RestWalks, climb, step
from tarsus.scripts.library.search.gait_proof import ExactWalk
from tarsus.scripts.library.search.hexapod import HexapodSearch

POINT = np.array(
    [0.83, 0.7, 0.9, 0.05]
)  # cycle time, duty, sweep, offset; not a fraction of 4 s, whose strides are rounded up
UNIT_RANGES = np.tile([0.0, 1.0], (4, 1))


def test_speed_and_tilt_of_a_walk_from_rest_move_as_their_derivatives_say():
    walks = RestWalks(HexapodParams(), HexapodSearch().gait_at)
    made, way, h = walks(POINT), np.array([0.4, -0.3, 0.6, 0.2]), 1e-4
    ahead, behind = walks(POINT + h * way), walks(POINT - h * way)
    assert made.walk.lasted == 1.0 and made.strides == pytest.approx(4.35)
    difference = (ahead.walk.speed - behind.walk.speed) / (2 * h)
    assert made.speed_by @ way == pytest.approx(difference, rel=2e-3)
    differences = (ahead.upright - behind.upright) / (2 * h)
    np.testing.assert_allclose(made.upright_by @ way, differences, atol=3e-3 * np.abs(differences).max())
    assert np.abs(differences).max() > 1e-3
    fallen = walks(np.array([0.2, 0.5, 2.0, 0.6]))
    assert not fallen.walk.steady and fallen.strides < 3.0 and fallen.walk.lasted < 1.0


def walked(speed: float, by, upright: float = 1.0, upright_by=(0.0, 0.0, 0.0, 0.0)) -> DerivedWalk:
    return DerivedWalk(ExactWalk(1.0, speed, 0.0), 5.0, np.array(by), np.array([upright]), np.array([upright_by]))


def test_a_step_is_the_fastest_within_radius_ranges_and_tilt():
    unit = np.array([0.5, 0.99, 0.5, 0.5])
    free = step(walked(1.0, [1.0, 1.0, -1.0, 2.0]), unit, np.ones(4), 0.1)
    np.testing.assert_allclose(free, [0.1, 0.01, -0.1, 0.1])  # the second reaches the end of its range
    tilted = walked(1.0, [1.0, 0.0, 0.0, 2.0], np.cos(TILT) + 0.05, [0.0, 0.0, 0.0, -1.0])
    np.testing.assert_allclose(step(tilted, unit, np.ones(4), 0.1)[[0, 3]], [0.1, 0.05])  # the tilt grows with the last
    too_far = replace(tilted, upright=np.array([np.cos(TILT) - 0.1]))
    assert step(too_far, unit, np.ones(4), 0.1)[3] <= 0.0  # a tilt beyond the limit may not grow


def test_a_climb_ends_on_the_border_where_the_robot_falls():
    def walks(point):
        x, y = point[:2]
        if x + y > 1.2:
            return DerivedWalk(ExactWalk(0.1, 0.0, 1.0), 0.5)
        return walked(2.0 * x + y, [2.0, 1.0, 0.0, 0.0])

    tried = climb(walks, np.array([0.2, 0.2, 0.5, 0.5]), UNIT_RANGES, 1e3)
    best = max(tried, key=lambda row: row[1].walk.speed)
    assert best[1].walk.speed > 1.75 and best[0][:2].sum() <= 1.2  # from .6; along the border it would be 2.2
    assert sum(made.strides for _, made in tried) < 100.0


def test_a_climb_ends_with_its_budget_when_it_is_told_to_and_where_it_cannot_begin():
    def rising(point):
        return walked(point[0], [1.0, 0.0, 0.0, 0.0])

    start = np.full(4, 0.1)
    assert sum(made.strides for _, made in climb(rising, start, UNIT_RANGES, 11.0)) == 15.0
    assert len(climb(rising, start, UNIT_RANGES, 1e3, lambda *_: True)) == 2
    assert len(climb(lambda point: DerivedWalk(ExactWalk(0.1, 0.0, 1.0), 1.0), start, UNIT_RANGES, 1e3)) == 1
