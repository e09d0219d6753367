"""Errors of raw forces whose kinds are known: a foot that lands late, one that rings, one that is lost."""

import numpy as np
import pytest

from tarsus.scripts.laboratory.studies import decomposition
from tarsus.scripts.library.machines.outcome import Run
from tests.scripts.library.comparison.test_compare import synthetic

LANDS, LIFTS = 3.3, 3.8  # of foot 0 [s]; the others stand


def standing(lands=LANDS, lifts=LIFTS, force=10.0, slides=0.0):
    """Foot 0 stands between two times, under a constant force."""

    def flags(time):
        down = np.ones((len(time), 6), bool)
        down[:, 0] = (time > lands - 1e-9) & (time < lifts - 1e-9)
        return down

    def forces(time):
        found = np.zeros((len(time), 6, 3))
        found[..., 2] = force * flags(time)
        return found

    def feet(time):
        found = np.zeros((len(time), 6, 3))
        found[..., 1] = slides * time[:, None]
        return found

    return Run.of(synthetic(foot_contact=flags, foot_force=forces, foot_position=feet))


def changed(rows, force, touches=True):
    """Foot 0's force in these rows is another, or it is lost."""
    run = standing()
    run.record["foot_force"].values[rows, 0, 2] = force
    run.record["foot_contact"].values[rows, 0] = touches
    return run


@pytest.mark.parametrize(
    "exact, mujoco, kind",
    [
        (standing(), standing(LANDS + 2e-3), "late"),
        (standing(), standing(lifts=LIFTS - 1e-3), "late"),
        (standing(), changed(slice(3301, 3304), 20.0), "touchdown"),
        (standing(), changed(slice(3500, 3502), 0.0, touches=False), "flicker"),
        (standing(), changed(slice(3500, 3502), 12.0), "sticking"),
        (standing(slides=0.1), changed(slice(3500, 3502), 12.0), "sliding"),
    ],
)
def test_each_error_is_of_its_kind_alone(exact, mujoco, kind):
    shares = decomposition.shares(exact, mujoco, 1.0)
    assert shares[kind] == pytest.approx(1.0) and sum(shares.values()) == pytest.approx(1.0)


def test_forces_that_are_only_late_agree_once_they_are_shifted():
    late, left = decomposition.shifted(standing(), standing(LANDS + 1e-3, LIFTS + 1e-3), 1.0)
    assert late == pytest.approx(1e-3) and left < 1e-9
    _, left = decomposition.shifted(standing(), standing(force=11.0), 1.0)
    assert left > 0.9
