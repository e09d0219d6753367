"""The books of MuJoCo's energy: each loss against its formula, and nothing left over of a walk."""

import mujoco
import numpy as np
import pytest

from tarsus.analytic.terrain import Flat
from tarsus.envs import own_clock
from tarsus.mjcf import own_robot, presets
from tarsus.mjcf.own_robot import EXAMPLE
from tarsus.scripts.library.own_robot import machine, rollout
from tarsus.scripts.library.own_robot.bookkeeping import Books

MASS, SPEED, FORCE = 2.0, 1.5, 3.0
SLIDER = """<mujoco><option timestep="0.001" integrator="{integrator}" gravity="{gravity}"><flag energy="enable"/>
</option><worldbody><body><joint name="rail" type="slide" axis="0 0 1" {joint}/><geom size="0.1" mass="2"/></body>
</worldbody><actuator><motor joint="rail"/></actuator></mujoco>"""


def slid(joint="", gravity="0 0 0", force=0.0, speed=SPEED, integrator="discrete", steps=3000):
    model = mujoco.MjModel.from_xml_string(SLIDER.format(joint=joint, gravity=gravity, integrator=integrator))
    data = mujoco.MjData(model)
    data.qvel[0], data.ctrl[0] = speed, force
    books = Books(model, data)
    first = books.now[0]
    for _ in range(steps):
        mujoco.mj_step(model, data)
        books.add(data)
    energy, *booked = books.now
    return data, energy - first, np.array(booked)


@pytest.mark.parametrize("integrator", ["discrete", "implicitfast"])
@pytest.mark.parametrize(
    "joint", ['damping="20"', 'frictionloss="4"', 'limited="true" range="-9 0.3" solreflimit="0.02 1"']
)
def test_what_stops_a_slider_takes_its_kinetic_energy(joint, integrator):
    """Dampers and dry joints stand in one book, stops in the other; a stop throws some of the energy back."""
    data, gain, (work, damped, met) = slid(joint, integrator=integrator)
    kinetic = 0.5 * MASS * SPEED**2
    lost = kinetic - 0.5 * MASS * data.qvel[0] ** 2
    assert lost > 0.9 * kinetic and work == 0 and gain == pytest.approx(-lost)
    assert [damped, met] == pytest.approx([0.0, lost] if "range" in joint else [lost, 0.0], rel=1e-3, abs=1e-9)


@pytest.mark.parametrize("integrator", ["discrete", "implicitfast", "Euler"])
def test_a_motor_that_lifts_works_force_times_way(integrator):
    force = MASS * 9.81 + FORCE
    data, gain, (work, *lost) = slid(gravity="0 0 -9.81", force=force, speed=0.0, integrator=integrator, steps=500)
    ahead = 0.5e-3 * data.qvel[0]  # of the mean velocities: a step moves with the velocity at its end
    assert work == pytest.approx(force * (data.qpos[0] - ahead), rel=1e-9) and work > 0 and lost == [0.0, 0.0]
    assert gain == pytest.approx(work + MASS * 9.81 * ahead, rel=1e-9)


@pytest.mark.parametrize("integrator", ["discrete", "implicitfast", "Euler"])
def test_of_a_walk_nothing_is_left_over(integrator):
    """Of 31 J 0.003 J are left with `reference`, 0.02 J with `rl`; powers sampled at the record's rows left 1.1 J."""
    robot = own_robot.OwnRobot(EXAMPLE)
    found = {}
    for name in ("reference", "rl"):
        preset = presets.PRESETS[name]
        if integrator != "discrete":
            preset = presets.replace(preset, integrator=integrator)
        table = own_clock.table(own_robot.model(robot, Flat(), preset), 0, 9.81)
        walk = machine.TableWalk(robot, Flat(), name, table, 0.25)
        run = rollout.rollout(robot, walk.controls, 0.6, Flat(), preset)
        work, left = machine.books(run)
        assert run.record["motor_work"][0] == 0 and work > 5.0 and left < 1e-3 * work, (name, left, work)
        found[name] = work
    assert found["rl"] == pytest.approx(found["reference"], rel=0.1)


def test_rows_further_apart_have_the_same_books():
    robot = own_robot.OwnRobot(EXAMPLE)
    model = own_robot.model(robot, Flat(), "rl")
    hold = own_robot.rest_controls(model)
    ends = [rollout.rollout(robot, lambda *_: hold, 0.1, preset="rl", every=every).record for every in (1, 5)]
    for name in ("energy", "motor_work", "damper_loss", "contact_loss"):
        assert float(ends[0][name][-1]) == float(ends[1][name][-1])
