"""RHex's sprint: faster than published, in both engines, after a run-up."""

from dataclasses import replace

import numpy as np
import pytest

from tarsus.analytic.models.hexapod import HexapodParams
from tarsus.controllers.clock_gaits import RHEX_NOT_FROM_REST
from tarsus.scripts.laboratory.studies import rhex_walks
from tarsus.scripts.library.stability import gaits, single
from tarsus.scripts.library.stability.ensembles import Trial
from tarsus.scripts.library.stability.pushes import PushedGait

ROBOT, SPRINT = HexapodParams.rhex("drive"), RHEX_NOT_FROM_REST["rhex-sprint"]


@pytest.fixture(scope="module")
def walk():
    return rhex_walks.after_run_up(SPRINT, ROBOT)


def test_it_sprints_faster_than_published_in_both_engines(walk):
    exact, stepped = (rhex_walks.measure(walk, engine) for engine in rhex_walks.ENGINES)
    assert exact.walks and stepped.walks and min(exact.speed, stepped.speed) > 3.6
    assert exact.speed == pytest.approx(stepped.speed, rel=0.01)
    assert exact.with_drive < 0.5 and exact.peak_voltage < 24.1


@pytest.mark.thorough
def test_the_command_calls_it_stable_and_it_survives_pushes():
    gait = gaits.of_stride(rhex_walks.settled_after_run_up(SPRINT, ROBOT), "rhex-sprint")
    found = single.asked(gait, gait.name)
    assert found.verdict == "stable" and found.largest[0] == pytest.approx(0.80, abs=0.02)
    assert all(map(PushedGait(gait), [Trial(0.25 * np.pi * k, 0.0, 0.2, 0) for k in range(8)]))


@pytest.mark.thorough
def test_pushes_die_out_in_mujoco(walk):
    """Of 0.2 m/s from eight sides: from two seconds later on it runs as without one."""
    speeds = []
    for angle in np.arange(0.0, 2.0 * np.pi, 0.25 * np.pi):
        qvel = walk.begin.qvel.copy()
        qvel[:2] += 0.2 * np.cos(angle), 0.2 * np.sin(angle)
        pushed = replace(walk, begin=replace(walk.begin, qvel=qvel), seconds=6.0)
        speeds.append(rhex_walks.measure(pushed, "MuJoCo").speed)
    np.testing.assert_allclose(speeds, rhex_walks.measure(walk, "MuJoCo").speed, rtol=2e-3)
