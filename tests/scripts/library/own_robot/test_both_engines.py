"""A robot of the user's own in both engines, by its file: records of one layout, books, and a comparison."""

from pathlib import Path

import numpy as np
import pytest

import tarsus
from tarsus import own_robot
from tarsus.mjcf.own_robot import OwnRobot
from tarsus.scripts.library.comparison import shown
from tarsus.scripts.library.comparison.compare import BODY
from tarsus.scripts.library.own_robot.machine import HOLD, RobotFile, TableWalk
from tarsus.scripts.library.own_robot.measures import measures

ROBOTS = Path(tarsus.__file__).parent / "mjcf/assets/robots"
DOG = str(ROBOTS / "dog.xml")


def test_a_quadruped_walks_alike_in_both_engines_and_its_books_close():
    found = tarsus.crossvalidate(DOG, seconds=2.7, period=0.384)
    assert found.comparison.speed_ratio == pytest.approx(1.0, abs=0.02)
    assert found.comparison.speed["exact"] > 0.4  # forward, the body's x
    record, other = found.exact.record, found.mujoco.record
    assert {*other.data_vars, "foot_impulse"} == {*record.data_vars} and record.sizes["time"] == other.sizes["time"]
    rest = record["energy"] + record["damper_loss"] + record["contact_loss"] - record["motor_work"]
    assert float(record["motor_work"][-1]) > 20.0
    assert float(np.abs(rest - rest[0]).max()) < 1e-8 * float(record["motor_work"][-1])
    books = found.comparison.budget
    for name in ("motor_work", "damper_loss", "contact_loss"):
        assert books["mujoco"][name] == pytest.approx(books["exact"][name], rel=0.25)
    assert abs(books["mujoco"]["rest"]) < 1e-3 * books["mujoco"]["motor_work"]
    assert record.attrs["gait"] == other.attrs["gait"] == "its clock, a turn in 0.384 s"
    weight = 12.0 * 9.81
    for run in (found.exact, found.mujoco):  # impacts carry a twentieth of it
        assert measures(run.record, 0.384, 1.0).load.sum() == pytest.approx(1.0, abs=0.01)
        assert found.comparison.vertical[run.record.attrs["engine"].split()[0].replace("tarsus", "exact")] == (
            pytest.approx(weight, rel=0.02)
        )
    assert found.comparison.feet == ["FL", "FR", "RL", "RR"]
    sections = shown.sections(found.comparison)
    assert "Energy" in [section.title for section in sections] and sections[1].rows[0][0] == "FL"
    level = found.exact.record.isel(time=slice(0, 1)).copy(deep=True)
    level["body_orientation"].values[0] = (
        np.cos(0.1),
        0.0,
        np.sin(0.1),
        0.0,
    )  # turned about y: the nose, ahead on x, down
    assert BODY["pitch"][1](level)[0] == pytest.approx(-0.2) and BODY["roll"][1](level)[0] == pytest.approx(0.0)


def test_a_robot_that_stands_stands_in_the_exact_engine_and_carries_itself():
    run = tarsus.run(DOG, "exact", seconds=1.0, period=0.0)
    assert run.completed and "tarsus articulated" in run.record.attrs["engine"]
    force = run.record["foot_force"].values[-1].sum(0)
    np.testing.assert_allclose(force, [0.0, 0.0, 12.0 * 9.81], atol=0.5)
    assert run.record["foot_contact"].values[-1].all()
    assert "not accounted for" in RobotFile(DOG).summary(run)


def test_a_controller_of_ones_own_drives_both():
    robot = OwnRobot(DOG)

    def controller(time, qpos, qvel):
        return 0.3 * np.sin(3.0 * time) + qpos[7:]

    runs = own_robot.exact_rollout(robot, controller, 0.1), own_robot.rollout(robot, controller, 0.1)
    apart = [np.abs(runs[0].record[name].values - runs[1].record[name].values).max() for name in ("joint_angle",)]
    assert max(apart) < 0.03
    with pytest.raises(ValueError, match="must return 12 finite controls"):
        own_robot.exact_rollout(robot, lambda *_: np.zeros(3), 0.1)


def test_a_table_is_linear_between_rows_goes_round_and_is_held():
    walk = TableWalk(None, None, "reference", np.array([[0.0], [1.0], [3.0], [2.0]]), 4.0)
    at = [float(walk.controls(time, None, None)[0]) for time in (0.0, 0.5, 1.0, 1.5, 3.5, 4.5)]
    np.testing.assert_allclose(at, [0.0, 0.5, 1.0, 2.0, 1.0, 0.5], atol=1e-12)
    assert walk.controls(0.5 + 0.9 * HOLD, None, None) == walk.controls(0.5, None, None)


def test_what_cannot_be_run_is_refused():
    with pytest.raises(ValueError, match="there is no machine 'robo'; there are hexapod.*files of robots"):
        tarsus.run("robo")
    with pytest.raises(ValueError, match="no terrain Rough: .*; there are flat, slope"):
        tarsus.run(DOG, "exact", terrain="rough")
    with pytest.raises(ValueError, match="unknown terrain 'swamp'; there are flat, slope$"):
        tarsus.crossvalidate(DOG, terrain="swamp")
    with pytest.raises(ValueError, match="there is no file 'nothing.urdf'"):
        tarsus.run("nothing.urdf")
