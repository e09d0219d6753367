"""The search for the fastest gait: what a walk is worth, what a fall costs, and what an unfinished search keeps."""

import pytest

from tarsus.analytic.clock import TripodGait
from tarsus.analytic.terrain import Flat
from tarsus.scripts import search_hexapod as optimise
from tarsus.scripts.machines import hexapod_exact as exact
from tarsus.scripts.studies import gait_proof


@pytest.fixture(scope="module")
def sim():
    return exact.simulator(Flat())


def test_a_walk_is_worth_its_speed_and_a_fall_costs_more_the_sooner(sim):
    made, _ = gait_proof.walk(sim, TripodGait(0.5, 0.3))
    assert made.steady and made.cost == -made.speed == pytest.approx(-0.532, abs=2e-3)
    thrown, _ = gait_proof.walk(sim, TripodGait(0.5, 0.3), velocity=(3.0, 0.0, 0.0))
    assert not thrown.steady and thrown.lasted < 1 and thrown.cost > 0.5
    assert gait_proof.ExactWalk(0.2, 0.0, 1.0).cost > gait_proof.ExactWalk(0.4, 0.0, 1.0).cost > 0 > made.cost


def test_a_search_keeps_every_gait_it_tried_and_says_that_it_was_cut_short():
    tried, converged = optimise.search(population=5, generations=1, n_jobs=1)
    assert len(tried) == 10 and not converged
    for point, _ in tried:
        for value, (low, high) in zip(point, optimise.RANGES.values(), strict=True):
            assert low <= value <= high


def test_mujoco_follows_a_walk_at_its_speed_and_no_other(sim):
    assert gait_proof.follows(TripodGait(0.5, 0.3), 0.532)
    assert not gait_proof.follows(TripodGait(0.5, 0.3), 0.6)
