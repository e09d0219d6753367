"""A closed loop goes on bit for bit from any of its states, and its coordinates are a chart."""

import numpy as np
import pytest

from tarsus.scripts.library.stability.displacements import displace
from tarsus.scripts.library.stability.loop import Loop


@pytest.fixture(scope="module", params=["clock", "rhex", "hopping-leg-0", "dog-0"])
def loop(request):
    loop = Loop.of(request.param)
    loop.start = loop.steady(1.0)
    return loop


def moved(loop):
    """Where a loop is about its start."""
    return loop.apart(loop.start, loop.state())


def test_a_gait_named_by_an_action_has_its_cycle_to_double_precision():
    """In single precision the run's sections moved on by 9e-5 typical values a stride."""
    loop = Loop.of("run")
    before = loop.cycles
    loop.advance(50)
    assert loop.cycles - before == pytest.approx(2.0, abs=1e-12)


def test_a_restored_loop_goes_on_bit_for_bit(loop):
    loop.restore(loop.start)
    assert loop.advance(20)
    first, observation = moved(loop), loop.observation
    loop.restore(loop.start)
    assert loop.advance(20)
    np.testing.assert_array_equal(moved(loop), first)
    np.testing.assert_array_equal(loop.observation, observation)


def test_displacements_are_coordinates(loop):
    by = 1e-3 * np.random.default_rng(0).standard_normal(len(loop.names_about(loop.start)))
    displace(loop, by, loop.start)
    shown = np.ones(len(by), bool)
    at = 2 * loop.chart.model.nv
    for value in loop.start.arrays.values():
        shown[at : at + value.size], at = np.isfinite(value), at + value.size
    np.testing.assert_allclose(moved(loop)[shown], by[shown], atol=1e-12)


def test_a_yaw_turns_velocities_along(loop):
    if not loop.chart.free:
        pytest.skip("it has no yaw")
    by = np.zeros(len(loop.names_about(loop.start)))
    by[loop.names_about(loop.start).index("yaw")] = 0.3
    displace(loop, by, loop.start)
    task, old = loop.base.task, loop.start
    c, s = np.cos(0.3), np.sin(0.3)
    np.testing.assert_allclose(task.qvel[:3], np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]) @ old.qvel[:3], atol=1e-12)
    np.testing.assert_allclose(task.qvel[3:6], old.qvel[3:6], atol=1e-12)


def test_a_push_adds_to_the_velocity_along_the_heading(loop):
    loop.restore(loop.start)
    loop.push((0.1, 0.0, 0.05))
    change = moved(loop)
    for name, expected in ("forward rate", 0.1), ("up rate", 0.05):
        if name in loop.names_about(loop.start):
            assert change[loop.names_about(loop.start).index(name)] == pytest.approx(expected, abs=1e-12)
    assert loop.chart.free or change[loop.chart.model.nv + 1] == pytest.approx(0.05)


def test_a_leg_on_a_rail_is_not_pushed_aside():
    loop = Loop.of("hopping-leg-0")
    with pytest.raises(ValueError, match="forward and up"):
        loop.push((0.0, 0.1, 0.0))


def test_chance_is_left_out_and_said_to_be():
    loop = Loop.of("hexapod-commanded-0")
    assert any("flat ground" in line for line in loop.lines) and any(
        "m/s straight ahead" in line for line in loop.lines
    )


def test_an_unknown_engine_is_refused():
    with pytest.raises(ValueError, match="unknown engine 'physx'; there are mujoco, exact"):
        Loop.of("clock", engine="physx")


@pytest.mark.parametrize(
    ("policy", "environment", "ratio"),
    [("undulation", "Multipod-v1", 500.0 / 3.0), ("walk", "Hexapod-v0", 50.0), ("clock", "Dog-v0", 19.266)],
)
def test_the_clock_of_an_environment_is_counted_in_its_own_cycles(policy, environment, ratio):
    loop = Loop.of(policy, environment)
    before = loop.cycles
    assert loop.advance(40)
    assert 40 / (loop.cycles - before) == pytest.approx(ratio, rel=1e-5)


def test_a_leg_without_a_clock_has_none():
    assert Loop.of("hopping-leg-0").cycles is None


def test_a_displacement_of_nothing_goes_on_as_the_loop_does():
    """Its pace is observed before it is updated, which the state has only after it was."""
    loop = Loop.of("hexapod-commanded-0")
    base = loop.steady(1.0)
    displace(loop, np.zeros(len(loop.names_about(base))), base)
    np.testing.assert_array_equal(loop.observation, base.observation)
    assert loop.advance(3)
    after = loop.state()
    loop.restore(base)
    assert loop.advance(3)
    off = loop.chart.apart(after.qpos, after.qvel, loop.base.task.qpos, loop.base.task.qvel)
    np.testing.assert_allclose(off, 0.0, atol=1e-8)
