"""The benchmark of learning in small: what it plays, counts and draws."""

import numpy as np
import pytest

from tarsus.scripts.laboratory.benchmarks import learning
from tarsus.scripts.laboratory.benchmarks.learning import Played


@pytest.fixture
def short(monkeypatch):
    monkeypatch.setattr(learning, "EPISODES", 3)
    monkeypatch.setattr(learning, "LONGEST", 60)
    monkeypatch.setattr(learning, "NUM_ENVS", 1)


def still(observation):
    return np.zeros((len(observation), 6))


def test_nothing_added_walks_as_the_clock_does_and_stumbles_from_random_phases(short):
    speed, reward, falls = learning.play(still, {})
    assert 0.2 < speed < 0.32 and 10.0 < reward < 25.0 and falls == 0
    standing, _, _ = learning.play(still, {"action_mode": "velocity"})
    assert abs(standing) < 0.02
    scattered, less, _ = learning.play(still, {}, scattered=True)
    assert scattered < 0.5 * speed and less < 0.5 * reward  # legs are out of step, and most wait for the clock


def test_curves_of_other_options_have_a_place_of_their_own():
    assert learning.place(()).part == "curves"
    assert learning.place((("action_mode", "rate"),)).part == "curves_rate"


def test_a_training_is_judged_before_and_after(short):
    curve = learning.learn({}, steps=1, every=1, seed=0)
    assert [played.steps for played in curve] == [0, 2048]


def test_goals_count_seeds_that_were_fast_enough_in_time_and_did_not_fall():
    fast = [Played(0, 0.26, 290, 0, 15), Played(400_000, 0.5, 500, 0, 12), Played(900_000, 0.7, 700, 0, 12)]
    late = [Played(0, 0.26, 290, 0, 15), Played(600_000, 0.5, 500, 0, 12), Played(1_100_000, 0.7, 700, 0, 12)]
    fallen = [Played(0, 0.26, 290, 0, 15), Played(400_000, 0.5, 500, 1, 12), Played(900_000, 0.7, 700, 2, 12)]
    first, second = learning.reached([fast, late, fallen])
    assert first == "0.4 m/s without a fall within 500,000 steps: 1 of 3 seeds."
    assert second == "0.6 m/s without a fall within 1,000,000 steps: 1 of 3 seeds."
    made = learning.table([fast, late])
    assert made.rows[1] == ["400,000", "0.50, 500 (0, 12)", "0.50, 500 (0, 12)"] and len(made.head) == 3
    figure = learning.draw([fast, late])
    assert [len(axis.lines) for axis in figure.axes] == [2, 2]
