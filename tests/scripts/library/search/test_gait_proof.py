"""The proof of a gait: what makes it fail."""

from types import SimpleNamespace

import pytest

from tarsus.analytic.clock import TripodGait
from tarsus.scripts.library.machines.outcome import RunStatus
from tarsus.scripts.library.search.gait_proof import Proof


def proof(status=RunStatus.COMPLETED.value, faster=1.0, verdict="stable", survived=4):
    exact, mujoco = (SimpleNamespace(status=status, speed=speed) for speed in (1.0, faster))
    return Proof(TripodGait(), exact, mujoco, 16, SimpleNamespace(verdict=verdict), survived)


@pytest.mark.parametrize(
    "amiss",
    [{"status": "fell"}, {"faster": 1.03}, {"verdict": "not determined"}, {"verdict": "unstable"}, {"survived": 3}],
)
def test_a_gait_is_proved_by_both_engines_its_orbit_and_pushes(amiss):
    assert proof().stable and not proof(**amiss).stable
