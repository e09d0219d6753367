"""Many robots in one scene, and what the contact solver makes of a frame."""

import numpy as np
import pytest

from tarsus.analytic.contact import Coulomb, slide
from tarsus.scripts.laboratory.studies import suite_scaling as scaling
from tarsus.scripts.suite import case as cases
from tarsus.scripts.suite import running, worker

MUJOCO = worker.engine(running.engine_file("mujoco"))


@pytest.mark.parametrize("name", ["block_stops", "four_feet_slide"])
def test_copies_are_valid_and_leave_the_first_alone(name):
    case = cases.load(name)
    made = cases.complete(scaling.copies(case, 3))
    for part in ("bodies", "joints", "contacts"):
        assert len(made[part]) == 3 * len(case[part])
    for scene in (case, made):
        scene |= {"duration": 0.05, "measurements": []}
    one, many = (worker.run(scene, MUJOCO, "stiff")[1] for scene in (case, made))
    n = len(case["bodies"])
    np.testing.assert_allclose(many.positions[:, :n], one.positions, atol=1e-8)
    offset = [0, 2 * scaling.APART, 0]
    np.testing.assert_allclose(many.positions[:, 2 * n :], one.positions + offset, atol=1e-8)


@pytest.mark.parametrize("name", ["four_feet_slide", "six_feet_slide", "twelve_feet_slide", "fifty_feet_slide"])
def test_the_contact_solver_finds_the_velocity_at_which_the_case_starts(name):
    case = cases.load(name)
    motion = slide(*scaling.quasi_static(case)[:2], *scaling.quasi_static(case)[2:], law=Coulomb(1e-12))
    trunk = case["bodies"][0]
    expected = [*trunk["velocity"][:2], trunk["angular_velocity"][2]]
    np.testing.assert_allclose(motion.twist, expected, atol=1e-6)
