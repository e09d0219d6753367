"""The oracles of the contact suite, which import nothing of ours, and what all its self-checks share."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "oracles"))

from planar_measures import Motion

CLOSE = 1e-9  # of a measurement's scale, beside the bound that the case states


def _disagreements(case, values):
    found = {}
    for measurement, value in zip(case["measurements"], values, strict=True):
        error = abs(value - measurement["answer"])
        if not error <= measurement["bound"] + CLOSE * measurement["scale"]:
            found[measurement["name"]] = measurement["answer"], float(value)
    return found


@pytest.fixture
def disagreements():
    """Return which of a case's answers are further from other values than they may be, as a function of both."""
    return _disagreements


@pytest.fixture
def planar():
    """Return what an event-driven integration in the plane disagrees with, in a case."""

    def check(case):
        motion = Motion(case)
        return _disagreements(case, [motion.value(measurement) for measurement in case["measurements"]])

    return check
