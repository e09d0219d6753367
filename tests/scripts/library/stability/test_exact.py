"""Displacements of loops in the exact engine keep closed contacts closed, and give the multipliers of return maps."""

from pathlib import Path

import numpy as np
import pytest

from tarsus.analytic.terrain import Flat
from tarsus.envs import dog, own_clock
from tarsus.mjcf import own_robot
from tarsus.mjcf.hexapod_state import toe_positions
from tarsus.scripts.library.learning import loading, policies, robot_files
from tarsus.scripts.library.own_robot import strides
from tarsus.scripts.library.own_robot.machine import TableWalk
from tarsus.scripts.library.stability import asking, bound, gaits, single
from tarsus.scripts.library.stability.displacements import displace
from tarsus.scripts.library.stability.loop import Loop

PERIOD = 0.38  # of the dog's clock [s], 19 control periods


def system_of(loop, steps, sizes=(1e-2, 1e-1)):
    """A loop's stride of so many control periods from where it stands."""
    base, nv = loop.state(), loop.chart.model.nv
    names = loop.names_about(base)
    scale = np.repeat([*sizes, 1e-2], [nv, nv, len(names) - 2 * nv])
    return bound.LoopSystem(loop, bound.Settled(base, steps, None, False, 0.0, 0.0, scale), steps=steps)


@pytest.fixture(scope="module", params=["Dog-v0", "Hexapod-v0"])
def standing(request):
    """A loop in the exact engine in the middle of a stance, and its system of a control period."""
    loop = Loop.of("clock", request.param, engine="exact")
    loop.reset(0)
    assert loop.advance(75)
    for _ in range(100):
        before, state = loop.closed, loop.state()
        loop.advance(2)
        if before and loop.closed == before:
            break
    loop.restore(state)
    return loop, system_of(loop, 1)


def test_a_displacement_keeps_closed_what_is_closed(standing):
    loop, system = standing
    by = np.random.default_rng(0).standard_normal(len(system.names)) * system.scale * ~system.hidden
    before = loop.closed
    displace(loop, 0.1 * by, system.base)
    task, moved = loop.base.task, loop.apart(system.base, loop.state())
    assert before and 1e-3 < np.abs(moved[: task.model.nv]).max() < 1.0
    if loop.candidate.environment == "Hexapod-v0":
        legs = [int(name.removeprefix("leg ")) for name in before]
        assert np.abs(toe_positions(task.config.params, task.qpos)[legs, 2]).max() < 1e-12
    displace(loop, 1e-3 * by, system.base)
    assert loop.advance(1) and loop.closed == before


def test_its_effect_is_as_small_as_it_is(standing):
    """A foot that lands again, or is pushed out of the ground, moves by more than a displacement of no size does."""
    _, system = standing
    by = np.random.default_rng(1).standard_normal(len(system.names)) * system.scale * ~system.hidden
    large, small = (
        (system.deviations(size * by, 1)[-1] - system.deviations(-size * by, 1)[-1]) / system.scale / size
        for size in (1e-2, 1e-3)
    )
    assert np.linalg.norm(large - small) < 0.03 * np.linalg.norm(small)


def test_place_and_heading_are_symmetries(standing):
    _, system = standing
    for name, size in ("forward", 0.1), ("left", 0.1), ("yaw", 0.05):
        by = size * np.array([one == name for one in system.names])
        after = system.deviations(by, 1)[-1]
        shown = ~system.hidden & ~np.isin(system.names, bound.PLACES)
        assert np.abs(after[shown]).max() < 1e-3 * size and after @ by == pytest.approx(by @ by, rel=1e-3)


def multipliers_of(stride, n, size):
    """The multipliers of a map about zero by central differences, largest first."""
    matrix = [(stride(size * unit) - stride(-size * unit)) / (2.0 * size) for unit in np.eye(n)]
    values = np.linalg.eigvals(np.transpose(matrix))
    return values[np.argsort(-np.abs(values))]


@pytest.mark.thorough
def test_the_dogs_trot_has_the_multipliers_of_its_return_map():
    robot = dog.robot()
    table = own_clock.table(own_robot.model(robot), own_robot.FORWARD.index(robot.forward), robot.g)
    walk = TableWalk(robot, Flat(), "reference", table, PERIOD)
    stride = strides.stride_map(robot, walk.controls, PERIOD, settle=30)
    expected = multipliers_of(stride, stride.size, 1e-5)
    loop = Loop.of("clock", "Dog-v0", {"baseline_period": PERIOD}, engine="exact")
    loop.steady(12.0)
    system = system_of(loop, round(PERIOD / loop.ctrl_dt))
    moving = np.flatnonzero(~system.hidden & ~np.isin(system.names, bound.PLACES))
    scale = system.scale[moving]

    def loops(z):
        by = np.zeros(len(system.names))
        by[moving] = z * scale
        return system.deviations(by, 1)[-1][moving] / scale

    found = multipliers_of(loops, len(moving), 1e-3)
    np.testing.assert_allclose(np.sort_complex(found[:5]), np.sort_complex(expected[:5]), atol=2e-3)


def test_the_clock_of_a_file_is_one_gait_in_both_engines_and_whole_control_periods(monkeypatch):
    found = asking.clock_period(dog.FILE)
    monkeypatch.setattr(strides, "stride_map", lambda robot, controls, period: period)  # not the strides themselves
    monkeypatch.setattr(gaits, "_fixed", lambda path, clock, *more: clock)
    exact, mujoco = (asking.subject_of(str(dog.FILE), None, {}, engine) for engine in ("exact", "mujoco"))
    assert exact.period == mujoco.base.config.baseline_period == found == pytest.approx(round(found / 0.02) * 0.02)
    assert mujoco.lines[-1] == f"its clock's turn takes {found:g} s"
    assert asking.subject_of(str(dog.FILE), None, {"baseline_period": 0.4}, "exact").period == 0.4
    with pytest.raises(ValueError, match="takes baseline_period in the exact engine, and no other option"):
        asking.subject_of(str(dog.FILE), None, {"reset_noise": 0.0}, "exact")
    assert single._made_whole(14.3566, mujoco) == ": --option baseline_period=0.28 makes it 14"
    assert single._made_whole(14.0, mujoco) == ""


def test_the_clock_is_a_policy_of_a_robot_that_is_registered_with_one():
    name = robot_files.register(Path(dog.FILE))
    assert {"clock", "clock-hurried", "zero"} <= set(policies.of_environment(name))
    assert loading.load("clock", name, {}).environment == name
    with pytest.raises(ValueError, match="unknown policy 'clok'.*; did you mean clock?"):
        loading.load("clok", name, {})
