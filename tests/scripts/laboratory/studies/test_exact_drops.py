"""Random drops in the exact engine: where they start, what is stored of them, and that they end."""

import numpy as np
import pytest

from tarsus.analytic.articulated import mechanics
from tarsus.analytic.articulated.simulation import RunStatus
from tarsus.scripts.laboratory.studies import exact_drops as drops


@pytest.mark.parametrize("name", drops.ROBOTS)
def test_a_seed_says_from_where_a_robot_is_dropped(name):
    dropped = drops.robot_named(name)
    assert {"quadruped": 12, "box": 8, "six_legs": 30}.get(name, 12) <= dropped.robot.n_feet
    friction = dropped.robot.tables.line[:, 8]
    assert (friction.max(initial=0.0) > 0.0) == (name in ("go1", "anymal", "dog"))
    for seed in range(3):
        qpos, qvel = drops.at_start(dropped, seed)
        assert 0.02 <= mechanics(dropped.robot, qpos, qvel).gap.min() <= 0.5
        angles = qpos[dropped.ranges[:, 0].astype(int)] if len(dropped.ranges) else np.zeros((0,))
        assert (dropped.ranges[:, 1:].T[0] <= angles).all() and (angles <= dropped.ranges[:, 1:].T[1]).all()
        assert np.array_equal(qpos, drops.at_start(dropped, seed)[0]) and np.abs(qvel).max() > 0.1


def test_outcomes_are_stored_as_they_come_and_read_back(tmp_path):
    path = tmp_path / "deep" / "box.jsonl"
    made = [drops.Outcome(k, "FINAL_TIME", 2.0, 0.1 * k, 9, 1e-12, 0.0) for k in range(3)]
    assert drops.stored(path) == []
    for outcome in made:
        drops.store(path, outcome)
    assert drops.stored(path) == made


SEEDS = {
    "box": [0],
    "quadruped": [16],
    "ant": [37, 97, 227, 2659, 2696, 2759, 2846, 3072, 5185],
    "six_legs": [7, 13, 73, 80, 141, 2198, 2384, 2794, 5206],
    "dog": [5, 2259, 2660, 2678, 2732],
    "anymal": [0, 2175, 5515],
    "go1": [23, 2173, 2584, 2675],
}


@pytest.mark.extra
@pytest.mark.parametrize("name, seed", [(name, seed) for name, seeds in SEEDS.items() for seed in seeds])
def test_drops_end_with_their_energy_accounted_for(name, seed):
    """Two corners at the verge of slipping, feet at one place that land at once, toes whose rows nearly follow.

    Of the dog and anymal joints and corners at their bound that others hold: 3,000 events where each drift was one.
    Toes that begin to slip or slide where they might as well leave, and one whose impact turns its slip; feet, limits
    and joints that sink, slip and stop again and again, though others hold them. Seeds from 2000 on: modes by the law
    of slides where feet creep, joints that were stopped whenever others had events, and what closing feet turned. From
    3000 on: limits that gave way and closed again, slides beside one cone, joints at their bound in all other modes.
    """
    outcome = drops.drop(name, seed)
    assert outcome.status == RunStatus.FINAL_TIME.name and outcome.books < 1e-8
    assert outcome.time == pytest.approx(drops.SECONDS) and outcome.seed == seed and outcome.events < 1000
