"""The search for the fastest gait: the score of a walk, what a fall costs, and what an unfinished search keeps."""

from types import SimpleNamespace

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
    task = optimise.HexapodSearch()
    for corner in task.bounds.T:
        gait = task.gait_at(corner)
        assert 0 < gait.slow_time < gait.cycle_time


def test_a_walk_is_worth_its_speed_and_a_fall_costs_more_the_sooner(sim):
    task = optimise.HexapodSearch()
    made, _ = gait_proof.walk(sim, PARAMS, RUN)
    assert made.steady and task.score_of(made) == made.speed == pytest.approx(0.532, abs=2e-3)
    thrown, _ = gait_proof.walk(sim, PARAMS, RUN, velocity=(3.0, 0.0, 0.0))
    assert not thrown.steady and thrown.lasted < 1 and task.score_of(thrown) < -0.5
    sooner, later = (gait_proof.ExactWalk(lasted, 0.0, 1.0) for lasted in (0.2, 0.4))
    assert task.score_of(sooner) < task.score_of(later) < 0 < task.score_of(made)


def test_means_over_rows_are_those_of_the_record(sim):
    made, _ = gait_proof.walk(sim, PARAMS, HOP, electric=True)
    record = exact.simulate(HexapodExperiment(PARAMS, HOP, Flat()), 4.0).record
    assert made.resistance == pytest.approx(summary.summarise(record, 2.5).cot_electrical, rel=1e-3)
    contact = record["foot_contact"].values[record["time"].values > 2.5]
    assert made.aloft == pytest.approx(np.mean(~contact.any(axis=1)), abs=0.02) and made.aloft > 0.05


def test_a_goal_orders_gaits_by_what_it_is_named_after():
    fast, cheap = gait_proof.ExactWalk(1.0, 1.0, 0.0, 0.9, 0.2), gait_proof.ExactWalk(1.0, 0.5, 0.0, 0.3)
    slow, fallen = gait_proof.ExactWalk(1.0, 0.1, 0.0, 0.1), gait_proof.ExactWalk(0.5, 0.0, 1.0)
    score_of = optimise.HexapodSearch(goal="resistance").score_of
    assert sorted([fallen, slow, fast, cheap], key=score_of) == [fallen, slow, fast, cheap]
    score_of = optimise.HexapodSearch(pattern="pronk").score_of
    assert sorted([fallen, cheap, fast], key=score_of) == [fallen, cheap, fast]  # the second does not fly


@pytest.mark.parametrize("pattern", optimise.PATTERNS)
def test_a_search_keeps_every_gait_it_tried_and_says_that_it_was_cut_short(pattern):
    task = optimise.HexapodSearch(robot="rhex-voltage", pattern=pattern, population=5, generations=1, jobs=1)
    found = task.run(confirm=False, progress=False)
    assert len(found.tried) == 10 and not found.converged and not found.interrupted
    for row in found.tried:
        assert np.all(row.point >= task.bounds[:, 0]) and np.all(row.point <= task.bounds[:, 1])
    assert found.made["gait"].phase_difference == optimise.PATTERNS[pattern]
    assert found.score == max(row.score for row in found.tried) and "not proved" in str(found)


def test_mujoco_follows_a_walk_at_its_speed_and_no_other(sim):
    assert gait_proof.follows(PARAMS, RUN, 0.532)
    assert not gait_proof.follows(PARAMS, RUN, 0.6)


def test_an_ascent_begins_with_the_searchs_first_generation_and_counts_every_stride(monkeypatch):
    def walked(point):  # the longer the cycle the slower; every other gait falls at half way
        return gait_proof.ExactWalk(1.0, 2.0 - point[0], 0.0) if point[3] > 0 else gait_proof.ExactWalk(0.5, 0.0, 1.0)

    def derived(point):
        return DerivedWalk(walked(point), 7.0, np.array([-1.0, 0.0, 0.0, 0.0]), np.ones(1), np.zeros((1, 4)))

    monkeypatch.setattr(optimise, "walk", lambda sim, params, gait, **_: (walked(places[gait]), None))
    monkeypatch.setattr(optimise, "RestWalks", lambda *_: derived)
    monkeypatch.setattr(optimise.exact, "simulator", lambda ground: None)
    task = optimise.HexapodSearch(method="gradient", population=8, strides=1000, seed=3, jobs=1)
    first = task.first(None)
    places = {task.gait_at(point): point for point in first}
    found = task.run(confirm=False, progress=False)
    assert all(np.array_equal(row.point, point) for row, point in zip(found.tried, first, strict=False))
    alone = sum((1.0 if point[3] > 0 else 0.5) * np.ceil(4.0 / point[0]) for point in first)
    assert found.made["strides"] == alone + 7.0 * (len(found.tried) - 8) and len(found.tried) > 8
    assert found.score == pytest.approx(2.0 - task.bounds[0, 0]) and found.converged
    short = task.run(stop=lambda: True, progress=False)
    assert len(short.tried) == 1 and short.interrupted and not short.converged and not short.failure


@pytest.mark.parametrize("stable", [True, False])
def test_the_best_that_is_proved_is_found_or_the_search_says_that_there_is_none(stable, monkeypatch, capsys):
    task = optimise.HexapodSearch(population=5, generations=1, jobs=1)
    walks = iter([1.0, 3.0, 2.0, 1.5, 1.2] * 2)
    monkeypatch.setattr(optimise, "walk", lambda *_, **__: (gait_proof.ExactWalk(1.0, next(walks), 0.0), None))
    monkeypatch.setattr(optimise.exact, "simulator", lambda ground: None)
    monkeypatch.setattr(optimise, "follows", lambda params, gait, speed: stable and speed < 2.5)
    monkeypatch.setattr(optimise, "prove", lambda *_: SimpleNamespace(stable=True))
    monkeypatch.setattr(optimise, "table", lambda *_: "the table")
    found = task.run(progress=False)
    assert "MuJoCo does not follow at 3.000 m/s" in capsys.readouterr().err
    assert (found.score, bool(found.failure)) == ((2.0, False) if stable else (3.0, True))
    assert found.made["command"].startswith(f"tarsus run hexapod --t-c={found.point[0]:.12g}")
    assert found.made["gait"] == task.gait_at(found.point) and ("the table" in str(found)) == stable


def test_a_proof_that_is_interrupted_is_no_refutation(monkeypatch):
    task, asked = optimise.HexapodSearch(population=5, generations=1, jobs=1), []
    monkeypatch.setattr(optimise, "walk", lambda *_, **__: (gait_proof.ExactWalk(1.0, 1.0, 0.0), None))
    monkeypatch.setattr(optimise.exact, "simulator", lambda ground: None)
    monkeypatch.setattr(optimise, "follows", lambda *_: asked.append(True))
    found = task.run(stop=lambda: bool(asked), progress=False)
    assert found.interrupted and not found.failure and len(asked) == 1 and len(found.tried) == 10
