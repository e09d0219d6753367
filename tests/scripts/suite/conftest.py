"""The oracles of the contact suite, which import nothing of ours, and what all its self-checks share."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "oracles"))

from planar_measures import Motion

CLOSE = 1e-9  # of a measurement's scale, beside the bound that the case states


def disagreements(case, values):
    """Return what of a case's answers is further from other values than it may be."""
    found = {}
    for measurement, value in zip(case["measurements"], values, strict=True):
        error = abs(value - measurement["answer"])
        if not error <= measurement["bound"] + CLOSE * measurement["scale"]:
            found[measurement["name"]] = measurement["answer"], float(value)
    return found


@pytest.fixture
def planar():
    """Return what an event-driven integration in the plane disagrees with, in a case."""

    def check(case):
        motion = Motion(case)
        return disagreements(case, [motion.value(measurement) for measurement in case["measurements"]])

    return check
