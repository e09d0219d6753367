"""The search for the fastest gait: what a walk is worth, what a fall costs, and what an unfinished search keeps."""

import numpy as np
import pytest

from tarsus.analytic.clock import TripodGait
from tarsus.analytic.models.hexapod import HexapodParams
from tarsus.analytic.terrain import Flat
from tarsus.controllers.clock_gaits import CLOCK_GAITS
from tarsus.scripts.library.machines import hexapod_exact as exact
from tarsus.scripts.library.machines.hexapod import HexapodExperiment
from tarsus.scripts.library.records import summary
from tarsus.scripts.library.search import gait_proof
from tarsus.scripts.library.search import hexapod as optimise
from tarsus.scripts.library.search.gait_gradient import DerivedWalk


@pytest.fixture(scope="module")
def sim():
    return exact.simulator(Flat())


PARAMS = HexapodParams()
RUN = TripodGait(0.5, 0.3)
HOP = CLOCK_GAITS["sprint"]  # its feet are all in the air at times


def test_every_corner_of_the_search_is_a_gait():
    task = optimise.GaitSearch(PARAMS)
    for corner in zip(*task.bounds, strict=True):
        gait = task.gait_at(corner)
        assert 0 < gait.slow_time < gait.cycle_time


def test_a_walk_is_worth_its_speed_and_a_fall_costs_more_the_sooner(sim):
    task = optimise.GaitSearch(PARAMS)
    made, _ = gait_proof.walk(sim, PARAMS, RUN)
    assert made.steady and task.cost(made) == -made.speed == pytest.approx(-0.532, abs=2e-3)
    thrown, _ = gait_proof.walk(sim, PARAMS, RUN, velocity=(3.0, 0.0, 0.0))
    assert not thrown.steady and thrown.lasted < 1 and task.cost(thrown) > 0.5
    sooner, later = (gait_proof.ExactWalk(lasted, 0.0, 1.0) for lasted in (0.2, 0.4))
    assert task.cost(sooner) > task.cost(later) > 0 > task.cost(made)


def test_means_over_rows_are_those_of_the_record(sim):
    made, _ = gait_proof.walk(sim, PARAMS, HOP, electric=True)
    record = exact.simulate(HexapodExperiment(PARAMS, HOP, Flat()), 4.0).record
    assert made.resistance == pytest.approx(summary.summarise(record, 2.5).cot_electrical, rel=1e-3)
    contact = record["foot_contact"].values[record["time"].values > 2.5]
    assert made.aloft == pytest.approx(np.mean(~contact.any(axis=1)), abs=0.02) and made.aloft > 0.05


def test_a_goal_orders_gaits_by_what_it_is_named_after():
    fast, cheap = gait_proof.ExactWalk(1.0, 1.0, 0.0, 0.9, 0.2), gait_proof.ExactWalk(1.0, 0.5, 0.0, 0.3)
    slow, fallen = gait_proof.ExactWalk(1.0, 0.1, 0.0, 0.1), gait_proof.ExactWalk(0.5, 0.0, 1.0)
    cost = optimise.GaitSearch(PARAMS, goal="resistance").cost
    assert sorted([fallen, slow, fast, cheap], key=cost) == [cheap, fast, slow, fallen]
    cost = optimise.GaitSearch(PARAMS, "pronk").cost
    assert sorted([fallen, cheap, fast], key=cost) == [fast, cheap, fallen]  # the second does not fly


@pytest.mark.parametrize("pattern", optimise.PATTERNS)
def test_a_search_keeps_every_gait_it_tried_and_says_that_it_was_cut_short(pattern):
    task = optimise.GaitSearch(HexapodParams.rhex("voltage"), pattern)
    tried, converged = optimise.evolve(task, population=5, generations=1, n_jobs=1)
    assert len(tried) == 10 and not converged
    for point, _ in tried:
        for value, (low, high) in zip(point, task.bounds, strict=True):
            assert low <= value <= high
        assert task.gait_at(point).phase_difference == optimise.PATTERNS[pattern]


def test_mujoco_follows_a_walk_at_its_speed_and_no_other(sim):
    assert gait_proof.follows(PARAMS, RUN, 0.532)
    assert not gait_proof.follows(PARAMS, RUN, 0.6)


def test_an_ascent_begins_with_the_searchs_first_generation_and_counts_every_stride(monkeypatch):
    def walked(self, sim, point):  # the longer the cycle the slower; every other gait falls at half way
        return gait_proof.ExactWalk(1.0, 2.0 - point[0], 0.0) if point[3] > 0 else gait_proof.ExactWalk(0.5, 0.0, 1.0)

    def derived(point):
        slope = np.array([-1.0, 0.0, 0.0, 0.0])
        return DerivedWalk(walked(None, None, point), 7.0, slope, np.ones(1), np.zeros((1, 4)))

    monkeypatch.setattr(optimise.GaitSearch, "walk", walked)
    monkeypatch.setattr(optimise, "RestWalks", lambda *_: derived)
    monkeypatch.setattr(optimise.exact, "simulator", lambda ground: None)
    task = optimise.GaitSearch(PARAMS)
    tried, strides = optimise.ascend(task, 8, 1e3, seed=3)
    first = task.first(8, 3)
    assert all(np.array_equal(point, other) for (point, _), other in zip(tried, first, strict=False))
    alone = sum((1.0 if point[3] > 0 else 0.5) * np.ceil(4.0 / point[0]) for point in first)
    assert strides == alone + 7.0 * (len(tried) - 8) and len(tried) > 8
    assert max(made.speed for _, made in tried) == pytest.approx(2.0 - task.bounds[0][0])
    assert len(optimise.ascend(task, 8, 1e3, seed=3, stop=lambda: True)[0]) == 1
