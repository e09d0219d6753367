"""RHex walks alike in both engines, as fast as published, and its electric books close in both."""

import numpy as np
import pytest

from tarsus.analytic.models.hexapod import HexapodParams
from tarsus.analytic.terrain import Flat
from tarsus.scripts import cli
from tarsus.scripts.machines import hexapod_exact, hexapod_mujoco
from tarsus.scripts.machines.hexapod import HexapodExperiment
from tarsus.scripts.runs import record, summary

PARAMS = HexapodParams.rhex()  # whose gait is that of speed 2, with corners


@pytest.fixture(scope="module")
def runs():
    experiment = HexapodExperiment(PARAMS, PARAMS.gait, Flat())
    return {engine.__name__: engine.simulate(experiment, 6.0).record for engine in (hexapod_exact, hexapod_mujoco)}


def test_it_walks_as_the_reference_computation_and_the_published_robot(runs):
    exact, mujoco = (summary.summarise(made, settle=2.0) for made in runs.values())
    assert exact.speed == pytest.approx(0.5952, rel=5e-3)
    assert exact.electric.drawn == pytest.approx(101.3, rel=0.01)
    assert exact.electric.specific_resistance == pytest.approx(2.47, rel=0.01)
    assert exact.cot_positive == pytest.approx(0.421, rel=0.01)
    assert mujoco.speed == pytest.approx(exact.speed, rel=5e-3)
    assert mujoco.electric.power == pytest.approx(exact.electric.power, rel=0.03)
    assert mujoco.speed == pytest.approx(0.55, rel=0.1)  # Saranli, Buehler, Koditschek 2001, Table 1


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
