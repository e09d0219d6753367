"""The runners of described machines: what each entry of a description about sampling is for, and one law for two."""

from dataclasses import replace

import numpy as np
import pytest

from tarsus.analytic import hybrid as hy
from tarsus.analytic.terrain import Flat, Slope
from tarsus.controllers import raibert_laws, slip_laws
from tarsus.controllers.slip_parameters import SlipControl
from tarsus.scripts.command.verbs import run as command
from tarsus.scripts.library.machines import hopping_leg, runners, slip_leg

REGULATED, SLIP, HOPPING = SlipControl(energy_gain=0.5), slip_leg.machine(), hopping_leg.machine()


def with_event(machine, name, **changes):
    """Return a machine with something else in an event of its controller."""

    def control(experiment):
        automaton = machine.control(experiment)
        automaton.events[name] = replace(automaton.events[name], **changes)
        return automaton

    return replace(machine, control=control)


def steps_of(machine, n, every=1, ground=None, **options):
    """Return the table of n steps in MuJoCo."""
    experiment = machine.experiment(**options, ground=ground or Flat())
    return runners.in_mujoco(machine, experiment, n, every=every).steps


def test_without_prediction_the_slip_leg_leaves_its_gait():
    options = {"every": 4, "gains": REGULATED, "preset": "rl"}
    seen = with_event(SLIP, "touchdown", seen="measured")
    feels = replace(seen, touches=lambda experiment, data, stands: data.sensordata[0] > 0)
    for machine, kept in ((SLIP, True), (feels, False)):
        heights = steps_of(machine, 4, **options)["apex_height"]
        assert bool(len(heights) == 5 and np.abs(heights - 0.62).max() < 0.005) is kept


def test_a_torque_for_the_moment_adds_energy_and_one_for_the_middle_of_its_hold_does_not():
    for machine, gained in ((SLIP, 0.002), (replace(SLIP, leads=False), 0.022)):
        energy = steps_of(machine, 3, 10, gains=REGULATED, preset="rl")["apex_energy"]
        assert energy[2] / energy[0] - 1.0 == pytest.approx(gained, abs=2e-3)


def test_without_settling_a_soft_contact_is_many_touchdowns():
    counts = []
    for machine in (HOPPING, replace(HOPPING, settle=0.0)):
        stepper = runners.MachineStepper(machine, machine.experiment(), machine.presets["reference"])
        while stepper.data.time < 1.2:
            stepper.step()
        counts.append(sum(event.name == "touchdown" for event in stepper.controller.log))
    assert counts[0] == 3 and counts[1] >= 6


def test_a_leg_that_believes_its_ground_level_at_zero_does_not_run_uphill():
    options = {"every": 4, "gains": REGULATED, "preset": "rl", "ground": Slope(0.01, 0.0)}
    counts = [len(steps_of(machine, 3, **options)["time"]) - 1 for machine in (SLIP, replace(SLIP, believe=None))]
    assert counts == [3, 0]


def test_the_slip_leg_makes_as_many_steps_uphill_in_mujoco_as_in_the_exact_engine(tmp_path, capsys):
    for engine in ("mujoco", "exact"):
        words = ["--engine", engine, "--terrain", "slope", "0.01", "0", "--steps", "12", "--no-video"]
        assert command.main(["slip_leg", *words, "--out", str(tmp_path / engine)]) == 0
        assert "12 steps; reached the end" in capsys.readouterr().out


@pytest.mark.extra
@pytest.mark.parametrize("machine, laws, column", [
    (SLIP, slip_laws, "apex_energy"), (HOPPING, raibert_laws, "apex_speed")
], ids=["slip_leg", "hopping_leg"])  # fmt: skip
def test_a_law_that_is_replaced_is_replaced_in_both_engines(machine, laws, column):
    place = getattr(laws.D, column)

    def doubled(t, x, d, p):
        given(t, x, d, p)
        d[place] *= 2.0

    given = machine.control(machine.experiment()).events["apex"].law
    other, experiment = with_event(machine, "apex", law=doubled), machine.experiment(preset="rl")
    for engine in ("exact", "mujoco"):
        noted = []
        for described in (machine, other):
            if engine == "exact":
                sim = hy.compile(described.model(described.control(experiment), Flat()), mode="python")
                r = sim.run(machine.state(experiment), stop_at="apex", final_time=2.0, rtol=1e-6)
                noted.append(runners.log_of(r)[-1])
            else:
                stepper = runners.MachineStepper(described, experiment, machine.presets["rl"], most=1)
                while not stepper.ended():
                    stepper.step()
                noted.append(stepper.controller.log[-1])
        assert [event.name for event in noted] == ["apex", "apex"]
        assert noted[1].d[place] == pytest.approx(2.0 * noted[0].d[place], rel=1e-9) != 0.0
