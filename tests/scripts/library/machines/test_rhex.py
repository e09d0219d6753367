"""RHex walks alike in both engines, as fast as published, and its electric books close in both."""

from dataclasses import replace

import numpy as np
import pytest

from tarsus.analytic import rhex_gaits
from tarsus.analytic.clock import TripodGait
from tarsus.analytic.models.hexapod import HexapodParams
from tarsus.analytic.terrain import Flat, Stairs
from tarsus.controllers import clock_gaits
from tarsus.mjcf import presets
from tarsus.scripts.command import cli
from tarsus.scripts.laboratory.studies import rhex_walks
from tarsus.scripts.library.machines import hexapod_exact, hexapod_mujoco
from tarsus.scripts.library.machines.hexapod import HexapodExperiment
from tarsus.scripts.library.records import record, summary

PARAMS = HexapodParams.rhex()
# A prototype's walks, whole strides after 2 s: speed [m/s], power drawn [W], cost of transport, specific resistance.
REFERENCE = {
    ("file", 0): (0.2204, 44.7, 0.519, 2.94),
    ("file", 1): (0.2555, 46.8, 0.502, 2.65),
    ("file", 2): (0.5915, 97.7, 0.419, 2.39),
    ("file", 3): (0.5780, 66.3, 0.394, 1.66),
    ("drive", 2): (0.630, 151, 0.530, 3.47),
    ("voltage", 2): (0.631, 198, 0.709, 4.56),
}


# Each takes 4 s; the published robot's is in a test of its own.
MOTORS = [pytest.param(*case, marks=[pytest.mark.thorough] * (case[0] == "file" and case[1] < 3)) for case in REFERENCE]


def walks(motor, speed):
    params = HexapodParams.rhex(motor)
    experiment = HexapodExperiment(params, rhex_gaits.gait(speed), Flat())
    return {engine: engine.simulate(experiment, 6.0).record for engine in (hexapod_exact, hexapod_mujoco)}


@pytest.fixture(scope="module")
def runs():
    return walks("file", 2)


def check(records, speed, power, cost, resistance):
    exact, mujoco = (summary.summarise(made, settle=2.0) for made in records.values())
    assert exact.speed == pytest.approx(speed, rel=3e-3)
    assert exact.electric.drawn == pytest.approx(power, rel=0.01)
    assert exact.cot_positive == pytest.approx(cost, rel=0.01)
    assert exact.cot_electrical == pytest.approx(resistance, rel=0.01)
    assert mujoco.speed == pytest.approx(exact.speed, rel=5e-3)
    assert mujoco.electric.power == pytest.approx(exact.electric.power, rel=0.03)


def test_it_walks_as_the_reference_computation_and_the_published_robot(runs):
    check(runs, *REFERENCE["file", 2])
    speeds = [summary.summarise(made).speed for made in runs.values()]
    assert speeds == pytest.approx([0.55, 0.55], rel=0.1)  # Saranli, Buehler, Koditschek 2001, Table 1


@pytest.mark.parametrize("motor, speed", MOTORS)
def test_every_speed_and_motor_walks_as_the_reference_computation(motor, speed):
    check(walks(motor, speed), *REFERENCE[motor, speed])


def test_the_preset_for_learning_needs_a_shorter_timestep():
    rl, gait = presets.find("rl"), TripodGait()

    def torque(preset):
        made = hexapod_mujoco.simulate(HexapodExperiment(PARAMS, gait, Flat(), preset), 4.0).record
        return summary.summarise(made, settle=2.0).rms_torque

    right = torque(presets.find("reference"))
    assert torque(rl) > 1.3 * right
    assert torque(replace(rl, timestep=1e-3)) == pytest.approx(right, rel=0.05)


@pytest.mark.parametrize("k", [0, 1], ids=["exact", "mujoco"])
def test_the_books_of_both_engines_close(runs, k):
    made = list(runs.values())[k]
    motor, torque, speed = PARAMS.motor, made["hip_torque"].values, made["hip_speed"].values
    gone = motor.armature_heat(made["motor_current"].values) + torque * speed + motor.constant_loss(torque, speed)
    np.testing.assert_allclose(made["electric_power"], gone.sum(axis=-1), rtol=1e-9, atol=1e-9)
    assert not made["drive_loss"].any()
    work = np.trapezoid((torque * speed).sum(axis=-1), made["time"])
    if "motor_work" in made:  # integrated; between rows, a millisecond apart, torques jump where the clock has corners
        assert made["motor_work"].values[-1] == pytest.approx(work, rel=0.03)


def test_the_command_line_takes_the_robot_and_says_which_motor(tmp_path, capsys):
    words = "run hexapod --robot rhex-drive --engine exact --seconds 1.2 --no-video --out".split()
    assert cli.main([*words, str(tmp_path)]) == 0
    out = capsys.readouterr().out
    assert "drive of RHex: 6.14 N m, 40.19 rad/s" in out and "specific resistance" in out and "at 24 V" in out
    stored = record.load(tmp_path / "run.nc")
    assert record.params_of(stored).drive_resist == 0.75 and stored["drive_loss"].values.max() > 10


# Speed [m/s], specific resistance, and share of the time in the air, at least.
FOUND = [("rhex-fast", 2.52, 0.6, 0.3), ("rhex-cheap", 0.5435, 0.1415, 0.0), ("rhex-pronk", 0.544, 2.6, 0.5)]


@pytest.mark.parametrize(("name", "speed", "resistance", "aloft"), FOUND)
def test_gaits_that_a_search_found_walk_alike_in_both_engines(name, speed, resistance, aloft):
    walk = rhex_walks.RhexWalk(clock_gaits.find(name), HexapodParams.rhex("drive"), seconds=5.0)
    for engine in rhex_walks.ENGINES:
        made = rhex_walks.measure(walk, engine)
        assert made.walks and made.speed == pytest.approx(speed, rel=0.01)
        assert made.resistance == pytest.approx(resistance, rel=0.02) and made.aloft >= aloft


@pytest.mark.parametrize(("gait", "rise"), [("rhex-stairs", 0.09), ("rhex-0", 0.05)])
def test_it_climbs_ten_steps(gait, rise):
    stairs, params = Stairs(rise, tread=0.28), HexapodParams.rhex("drive")
    for seed in range(2):  # contacts multiply what rounding begins: a climb from one start says little
        stepper = hexapod_mujoco.HexapodStepper(HexapodExperiment(params, clock_gaits.find(gait), stairs, "rl"))
        stepper.data.qvel[:6] += 1e-3 * np.random.default_rng(seed).normal(size=6)
        while stepper.data.time < 20.0 and stepper.data.qpos[1] < stairs.start + 10.0 * stairs.tread:
            stepper.step()
            assert not stepper.fallen()
        assert stepper.data.qpos[2] > 10.0 * rise
