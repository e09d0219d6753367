"""Gaits with a name walk: the command line knows them, and the sprint is fast."""

from dataclasses import replace

import pytest

from tarsus.analytic import rhex_gaits
from tarsus.analytic.models.hexapod import HexapodParams
from tarsus.controllers.clock_gaits import CLOCK_GAITS, RHEX_FOUND, find
from tarsus.scripts.command.verbs import run
from tarsus.scripts.library.machines.hexapod import gait_from

NAMED = CLOCK_GAITS | RHEX_FOUND


@pytest.mark.parametrize("name", NAMED)
def test_the_command_line_walks_a_gait_by_its_name(name):
    args = run.parser().parse_args(["hexapod", "--gait", name, "--phi_o", "0.01"])
    gait = gait_from(args, HexapodParams())
    assert gait.cycle_time == NAMED[name].cycle_time
    assert gait.slow_time == pytest.approx(NAMED[name].slow_time)
    assert gait.leg_offset == 0.01


def test_the_command_line_walks_and_changes_gaits_of_the_table():
    args = run.parser().parse_args(["hexapod", "--gait", "rhex-1.5-left", "--blend", "0.05", "--blend-shape", "linear"])
    expected = replace(rhex_gaits.gait(1.5, turn=1.0), blend=0.05, blend_shape="linear")
    assert gait_from(args, HexapodParams()) == expected
    args = run.parser().parse_args(["hexapod", "--gait", "rhex-0", "--heading", "backward"])
    assert gait_from(args, HexapodParams()) == rhex_gaits.gait(0, "backward")
    assert find("triwheel-0.5-right", "backward") == replace(rhex_gaits.triwheel(0.5, -1.0), heading="backward")


@pytest.mark.parametrize(
    ("name", "heading", "message"),
    [
        ("trot", "forward", "unknown gait 'trot'; there are walk, run, sprint, rhex-fast, rhex-cheap"),
        ("rhex-", "forward", "unknown gait 'rhex-'"),
        ("rhex-sprint", "forward", "'rhex-sprint' cannot start from rest; `laboratory.studies.rhex_walks`"),
        ("rhex-3.5", "forward", "the speed setting of RHex must lie from 0 to 3, got 3.5"),
        ("rhex-2", "up", "unknown heading 'up'; there are forward"),
        ("triwheel-2", "forward", "the command of RHex must lie from -1 to 1, got 2"),
        ("triwheel-1", "left", "rolls forward or backward and cannot turn in place"),
    ],
)
def test_unknown_gaits_and_speeds_are_refused(name, heading, message):
    with pytest.raises(ValueError, match=message):
        find(name, heading)
