"""Answers of the planar cases of statics and sliding, against planar Newton-Euler equations from event to event."""

import numpy as np
import pytest
from planar_measures import Motion
from suite_answers import CHECKS

from tarsus.scripts.suite.case import ids, load


@pytest.mark.parametrize("name", CHECKS["planar"])
def test_answers_agree_with_planar_equations_of_motion(name, planar):
    assert not planar(load(name))


def test_every_case_of_statics_and_sliding_has_a_second_way():
    wanted = {name for name in ids() if load(name)["phenomenon"] in ("statics", "sliding")}
    assert wanted == {name for names in CHECKS.values() for name in names}
    assert {load(name)["number"] for name in wanted} == {*range(1, 19), 43}


# The walker's swinging foot scuffs beside the stones. The last digit of nearly any number decides whether its gap is
# zero or just above where it is met and then falls: there the search for the next event stood still.
UNITS = [
    *(("bodies", n, field, *axis) for n in range(3) for field, axis in (("mass", ()), ("inertia", (1,)))),
    *(("bodies", n, field, axis) for n in (0, 2) for field in ("position", "velocity") for axis in (0, 2)),
    ("bodies", 1, "angular_velocity", 1),
    ("bodies", 3, "position", 2),
]


@pytest.mark.parametrize("towards", [-np.inf, np.inf], ids=["down", "up"])
@pytest.mark.parametrize("path", UNITS, ids=lambda path: ".".join(map(str, path[1:])))
def test_no_last_digit_makes_the_search_stand_still(path, towards, disagreements):
    case = load("simplest_walker")
    *parents, last = path
    part = case
    for key in parents:
        part = part[key]
    part[last] = float(np.nextafter(part[last], towards))
    motion = Motion(case)
    assert max(len(run.pieces) for run in motion.runs) < 30  # 13 are the most of all changes
    assert not disagreements(case, [motion.value(measurement) for measurement in case["measurements"]])
