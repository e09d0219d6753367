"""Both legs in both engines: one start, records that agree with themselves and with each other."""

import numpy as np
import pytest

from tarsus.analytic.models.hopping_leg import HoppingLegParams
from tarsus.analytic.terrain import Flat
from tarsus.controllers.raibert_laws import RaibertGains
from tarsus.scripts.command.verbs import crossvalidate as verb
from tarsus.scripts.command.verbs import run
from tarsus.scripts.library.comparison import crossvalidate
from tarsus.scripts.library.machines.description import Experiment
from tarsus.scripts.library.machines.hopping_leg import HOPPING_LEG
from tarsus.scripts.library.machines.slip_leg import SLIP_LEG
from tarsus.scripts.library.records import record, summary

CASES = {
    "hopping_leg": (HOPPING_LEG, Experiment(HoppingLegParams(), RaibertGains(speed=1.0), Flat()), 2e-4, 1e-3),
    "slip_leg": (SLIP_LEG, SLIP_LEG.machine().experiment(), 2e-3, 3e-3),
}


@pytest.fixture(scope="module", params=CASES)
def compared(request):
    machine, experiment, *limits = CASES[request.param]
    return *crossvalidate.run(machine, experiment, 1.0, rtol=1e-9), experiment, limits


def test_the_engines_agree_over_the_first_second(compared):
    exact, mujoco, comparison, _, (height, time) = compared
    assert exact.completed and mujoco.completed
    assert comparison.body_first["height"] < height
    (match,) = comparison.stances
    assert (match.missed, match.extra) == (0, 0) and len(match.touchdown_error) >= 2
    assert np.abs(match.touchdown_error).max() < time and np.abs(match.liftoff_error).max() < time
    assert comparison.speed_ratio == pytest.approx(1, abs=3e-3)


def test_a_records_velocities_are_the_rates_of_its_positions(compared):
    exact = compared[0].record
    time, stands = exact["time"].values, exact["foot_contact"].values[:, 0]
    smooth = np.flatnonzero((stands[:-2] == stands[1:-1]) & (stands[1:-1] == stands[2:])) + 1  # no event beside the row
    rate = (exact["body_position"].values[smooth + 1] - exact["body_position"].values[smooth - 1]) / 2e-3
    assert len(smooth) > 900 and np.diff(time) == pytest.approx(1e-3)
    error = np.abs(rate - exact["body_velocity"].values[smooth]).max(axis=-1)
    assert np.quantile(error, 0.9) < 2e-3  # some rows are at a retraction's beginning
    turning = np.gradient(summary.yaw(exact), time)
    np.testing.assert_allclose(turning[smooth], exact["body_angular_velocity_b"].values[smooth, 2], atol=0.05)


def test_what_the_feet_feel_is_what_moves_the_machine(compared):
    for trial in compared[:2]:
        force, touches = (trial.record[name].values for name in ("foot_force", "foot_contact"))
        # MuJoCo's foot may still touch in the row in which the controller has noticed the liftoff.
        assert np.mean(np.any(force != 0, axis=-1) != touches) < 0.02 and force[touches][:, 2].mean() > 30


def test_the_record_knows_its_machine(compared, tmp_path):
    exact, _, _, experiment, _ = compared
    record.save(exact.record, tmp_path / "exact.nc")
    loaded = record.load(tmp_path / "exact.nc")
    params = record.params_of(loaded)
    for name, value in vars(experiment.params).items():
        np.testing.assert_array_equal(getattr(params, name), value)
    assert record.gait_of(loaded) is not None


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        (["hopping_leg", "--preset", "fast"], "unknown preset 'fast'"),
        (["hopping_leg", "--motor-mode", "saturated"], "invalid choice: 'saturated'"),
        (["slip_leg", "--set", "colour=1"], "unknown parameter 'colour'"),
        (["slip_leg", "--set", "apex_height=0.3"], "starts below ground"),
    ],
)
def test_what_cannot_be_run_is_said_in_a_sentence(line, sentence, tmp_path, capsys):
    assert verb.main([*line, "--seconds", "0.5", "--out", str(tmp_path)]) == 2
    assert sentence in capsys.readouterr().err and not list(tmp_path.iterdir())


def test_alone_it_lists_the_machines_of_two_engines(capsys):
    assert verb.main([]) == 0
    listed = [line.split()[:3] for line in capsys.readouterr().out.splitlines()]
    assert listed == [["tarsus", "crossvalidate", name] for name in ("hexapod", "hopping-leg", "slip-leg")]


@pytest.mark.parametrize("command", [verb.main, lambda line: run.main([*line, "--engine", "both"])])
def test_a_comparison_needs_some_rows(command, capsys):
    assert command(["slip_leg", "--seconds", "0.001"]) == 2
    assert "--seconds must be finite and at least 0.01, got 0.001" in capsys.readouterr().err
