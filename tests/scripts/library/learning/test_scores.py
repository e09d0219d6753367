"""Scores of frozen tasks: quantities of episodes whose values are known, and means and intervals computed by hand."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

from tarsus.envs import TASKS
from tarsus.scripts.library.learning import scores
from tarsus.scripts.library.learning.scores import Trace

N, DT = 500, 0.02
TIME = DT * np.arange(1, N + 1)


def steady(v=0.5, power=20.0, seconds=N * DT, pace=(0.5, 0.0, 0.0), command=(0.5, 0.0), weight=100.0):
    """An episode at a constant speed, power, pace and command."""
    rows = np.ones((N, 1))
    return Trace(DT, seconds, weight, v * TIME, np.full(N, power), rows * np.array(pace), rows * np.array(command))


def test_the_speed_is_over_the_time_that_there_was():
    assert scores.speed(steady(v=0.5)) == pytest.approx(0.5)
    assert scores.speed(steady(v=0.5, seconds=20.0)) == pytest.approx(0.25)  # it fell at half the time
    assert scores.speed(steady(v=-0.5)) == 0.0


def test_the_specific_resistance_is_power_over_weight_and_speed():
    trace = steady(v=0.5, power=20.0, weight=100.0)
    assert scores.resistance(trace) == pytest.approx(20.0 / (100.0 * 0.5))
    assert scores.effectiveness(trace) == pytest.approx(0.5 / 0.4)


def test_no_way_and_no_work_earn_nothing():
    shoved = steady(v=0.09, power=0.0)  # 0.9 m without work
    assert scores.effectiveness(shoved) == 0.0 and scores.economy(shoved) == 0.0
    assert scores.effectiveness(steady(v=0.5, power=0.0)) == pytest.approx(0.5 / scores.LEAST)
    assert scores.economy(steady(v=-0.5)) == 0.0


@pytest.mark.parametrize(("v", "share"), [(0.5, 1.0), (0.25, 0.5), (1.0, 0.5)])
def test_economy_counts_as_far_as_the_command_is_met(v, share):
    assert scores.economy(steady(v=v, power=20.0)) == pytest.approx(share * 100.0 * v / 20.0)


def test_following_is_one_without_error_and_zero_at_rest():
    assert scores.following(steady()) == pytest.approx(1.0)
    assert scores.following(steady(pace=(0.0, 0.0, 0.0))) == pytest.approx(0.0)
    assert scores.following(steady(pace=(-0.5, 0.0, 0.0))) == 0.0
    assert scores.following(steady(seconds=4 * N * DT)) == pytest.approx(0.25)  # it fell, and lies for three quarters
    assert scores.following(steady(command=(0.0, 0.0))) == 0.0


def test_errors_forward_sideways_and_in_yaw_add_as_a_vector():
    trace = steady(pace=(0.5 - 0.03, 0.04, 0.4), command=(0.5, 0.4))
    assert scores.following(trace) == pytest.approx(1.0 - 0.05 / np.hypot(0.5, scores.ARM * 0.4))
    turning = steady(pace=(0.5, 0.0, 0.4 + 0.2), command=(0.5, 0.4))
    assert scores.following(turning) == pytest.approx(1.0 - scores.ARM * 0.2 / np.hypot(0.5, scores.ARM * 0.4))


def test_a_score_is_0_and_1_where_the_task_says_so():
    task = TASKS["tarsus/DogTrot-v0"]
    assert scores.score(task, steady(v=task.zero)) == pytest.approx(0.0)
    assert scores.score(task, steady(v=task.one)) == pytest.approx(1.0)
    assert scores.score(task, steady(v=0.0)) == pytest.approx(-task.zero / (task.one - task.zero))


@pytest.mark.parametrize("name", ["way", "power", "pace", "command"])
def test_what_is_not_finite_gives_no_score(name):
    trace = steady()
    getattr(trace, name)[3] = np.nan
    with pytest.raises(ValueError, match=f"{name} of the episode is not finite"):
        scores.score(TASKS["tarsus/HexapodFollow-v0"], trace)


def test_every_task_is_judged_by_a_quantity_of_ours():
    assert set(scores.UNITS) == set(scores.QUANTITIES)
    for name, task in TASKS.items():
        assert scores.QUANTITIES[task.score] and task.one > task.zero >= 0.0, name
        assert np.isfinite(scores.score(task, replace(steady(), seconds=100.0)))


def test_the_interquartile_mean_leaves_out_a_quarter_at_either_end():
    mean, _, _ = scores.interquartile([np.array([9.0, 1.0, 2.0, 3.0, -100.0, 4.0, 100.0, 5.0])])
    assert mean == pytest.approx((2.0 + 3.0 + 4.0 + 5.0) / 4)
    mean, _, _ = scores.interquartile([np.array([0.0, 8.0]), np.array([1.0, 3.0])])
    assert mean == pytest.approx(2.0)  # of all runs together


def test_the_interval_is_that_of_all_ways_to_draw_runs_within_their_tasks():
    """Of two tasks of two runs there are sixteen ways, as likely as each other."""
    tasks = np.array([0.0, 8.0]), np.array([1.0, 3.0])
    drawn = itertools.product(*(itertools.product(one, repeat=2) for one in tasks))
    means = np.sort([np.mean(np.sort(np.concatenate(both))[1:3]) for both in drawn])
    _, low, high = scores.interquartile(tasks)
    assert low == means[0] == 0.5 and high == means[-1] == 5.5


def test_the_interval_is_that_of_a_normal_mean_where_there_are_many_runs():
    values = np.random.default_rng(1).normal(size=4000)
    _, low, high = scores.interquartile([values])
    assert high - low == pytest.approx(2 * 1.96 * 1.09 / np.sqrt(len(values)), rel=0.1)  # of the interquartile mean


def test_the_interval_leaves_out_a_quarter_too():
    values = np.concatenate([np.linspace(0.0, 1.0, 37), np.full(3, 1e6)])
    mean, low, high = scores.interquartile([values])
    assert 0.3 < low < mean < high < 0.8


def test_a_single_run_is_its_own_interval_and_none_is_refused():
    assert scores.interquartile([np.array([0.3])]) == (0.3, 0.3, 0.3)
    for bad in ([np.array([])], [np.array([1.0, np.nan])], [np.array([1.0]), np.array([])]):
        with pytest.raises(ValueError, match="every task needs scores that are finite"):
            scores.interquartile(bad)
