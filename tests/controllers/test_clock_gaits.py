"""Gaits with a name walk: the command line knows them, and the sprint is fast."""

import pytest

from tarsus.analytic.models.hexapod import HexapodParams
from tarsus.controllers.clock_gaits import CLOCK_GAITS
from tarsus.scripts import run
from tarsus.scripts.machines.hexapod import gait_from
from tarsus.scripts.search_hexapod import Task


@pytest.mark.parametrize("name", CLOCK_GAITS)
def test_the_command_line_walks_a_gait_by_its_name(name):
    args = run.parser().parse_args(["hexapod", "--gait", name, "--phi_o", "0.01"])
    gait = gait_from(args, HexapodParams())
    assert gait.cycle_time == CLOCK_GAITS[name].cycle_time
    assert gait.slow_time == pytest.approx(CLOCK_GAITS[name].slow_time)
    assert gait.leg_offset == 0.01


def test_every_corner_of_the_search_is_a_gait():
    task = Task(HexapodParams())
    for corner in zip(*task.bounds, strict=True):
        gait = task.gait_at(corner)
        assert 0 < gait.slow_time < gait.cycle_time
