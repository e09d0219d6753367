"""Multipods, BigANT and discs of every size walk their gaits, and their feet carry the weight."""

import numpy as np
import pytest

from tarsus.analytic.models.bigant import BigAntParams
from tarsus.analytic.models.multipod import MultipodParams
from tarsus.analytic.terrain import Rough
from tarsus.scripts.laboratory import frame
from tarsus.scripts.laboratory.pages import walkers as walker_table
from tarsus.scripts.library.machines.multipod_mujoco import FPS, ROBOTS, Walking, WalkingStepper, walk
from tarsus.scripts.library.machines.outcome import RunStatus

SETTLE = 2.0  # [s]; then whole strides


def walked(robot, params, strides=2, preset="rl", gait=None, **more):
    gait = ROBOTS[robot].gait(params) if gait is None else gait
    return walk(Walking(robot, params, gait, preset=preset, **more), SETTLE + strides * gait.period + 0.01)


def assert_walks(found, least_speed):
    assert found.completed and not found.warnings
    loads = found.load_of_strides(SETTLE)
    assert len(loads) >= 2 and np.abs(loads - 1).max() < 0.01
    velocity = found.velocity(SETTLE)
    assert velocity[0] > least_speed and abs(velocity[1]) < 0.5 * velocity[0]


def some_of(sizes, some):
    """Every size; those that are not among some are for a thorough run."""
    return [n if n in some else pytest.param(n, marks=pytest.mark.thorough) for n in sizes]


@pytest.mark.parametrize("n_legs", some_of(range(4, 51, 2), {4, 6, 8, 12, 24, 50}))
def test_multipods_walk_and_carry_their_weight(n_legs):
    # A foot that stuck would go 0.07 m/s; the trot of four legs rocks from one diagonal to the other.
    found = walked("multipod", MultipodParams(n_legs=n_legs))
    assert_walks(found, 0.05)
    assert np.rad2deg(found.tilt.max()) < (30.0 if n_legs == 4 else 10.0)


def test_bigant_walks_and_carries_its_weight():
    found = walked("bigant", BigAntParams())
    assert_walks(found, 0.02)
    assert np.rad2deg(found.tilt.max()) < 3.0


def test_presets_agree_on_the_speed():
    speeds = [walked("multipod", MultipodParams(), 1, preset).velocity(SETTLE)[0] for preset in ("reference", "rl")]
    assert speeds[1] == pytest.approx(speeds[0], rel=0.02)


def test_a_walk_backward_goes_backward_and_a_steered_one_turns_left():
    backward = ROBOTS["multipod"].gait(MultipodParams(), roll=-0.15)
    assert walked("multipod", MultipodParams(), 1, gait=backward).velocity(SETTLE)[0] < -0.03
    steered = ROBOTS["multipod"].gait(MultipodParams(), steering=0.1)
    qpos = walked("multipod", MultipodParams(), 2, gait=steered).qpos[-1]
    assert qpos[6] > 0.05  # sine of half the yaw


def test_walks_on_rough_ground():
    found = walked("multipod", MultipodParams(n_legs=12), 1, ground=Rough(seed=1))
    assert found.completed and not found.warnings and found.qpos[-1, 0] > 0.2


def test_a_walk_that_topples_ends_and_says_so():
    class Kick(WalkingStepper):
        def advance(self):
            super().advance()
            self.data.qvel[3] = 20.0

    walking = Walking("multipod", MultipodParams(), ROBOTS["multipod"].gait(MultipodParams()), preset="rl")
    import tarsus.scripts.library.machines.multipod_mujoco as module

    original, module.WalkingStepper = module.WalkingStepper, Kick
    try:
        found = walk(walking, 5.0)
    finally:
        module.WalkingStepper = original
    assert found.status == RunStatus.TOPPLED and found.time[-1] < 2.0 and len(found.time) == len(found.qpos)


@pytest.mark.parametrize(
    ("robot", "name", "options", "message"),
    [
        ("multipod", "tripod", {}, "unknown gait 'tripod' of this robot; there are .*undulation, "),
        ("bigant", "undulation", {}, "unknown gait 'undulation' of this robot; there are .*tripod, "),
        ("multipod", "undulation", {"n": 3}, "the gait 'undulation' has no such option"),
    ],
)
def test_gaits_that_do_not_fit_are_refused(robot, name, options, message):
    with pytest.raises(ValueError, match=message):
        ROBOTS[robot].gait(ROBOTS[robot].params(), name, **options)


def test_gaits_that_need_more_legs_are_refused():
    with pytest.raises(ValueError, match="6 legs or more.*got 4"):
        ROBOTS["multipod"].gait(MultipodParams(n_legs=4), "undulation")


def test_too_short_a_walk_is_refused():
    walking = Walking("bigant", BigAntParams(), ROBOTS["bigant"].gait(BigAntParams()), preset="rl")
    with pytest.raises(ValueError, match="at least 0.02 s, got 0.001 s"):
        walk(walking, 0.001)
    assert len(walk(walking, 3 / FPS).time) == 4  # the start is a row
    with pytest.raises(ValueError, match="a speed needs a whole stride"):
        walk(walking, 3 / FPS).velocity()


def test_a_table_of_too_short_walks_is_refused(capsys):
    assert frame.main(walker_table, ["--legs", "6", "--seconds", "1"]) == 2
    assert "a speed needs a whole stride" in capsys.readouterr().err


def test_a_row_of_the_table_says_how_a_walk_ended():
    found = walker_table.row("multipod", 6, "rl", 10.0)
    assert found[:4] == ("multipod", 6, "`rl`", "10") and found[-1] == "walks"
    assert 0.07 < float(found[4]) < 0.1 and float(found[6]) < 1.0
