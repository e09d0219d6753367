"""The hopping leg in either engine from the command line: same record, same first hop."""

import numpy as np
import pytest

from tarsus.analytic import hybrid as hy
from tarsus.analytic.models import hopping_leg_hybrid as hybrid_leg
from tarsus.analytic.models.hopping_leg import HoppingLegParams, start_angles
from tarsus.controllers.raibert import raibert
from tarsus.scripts.command import cli
from tarsus.scripts.command.verbs import run as command
from tarsus.scripts.library.machines import runners
from tarsus.scripts.library.machines.hopping_leg import HOPPING_LEG, machine
from tarsus.scripts.library.records import record
from tarsus.scripts.library.views.leg_picture import ARROW, HoppingPicture


def test_the_engines_agree_on_the_first_stance():
    exact = runners.exact(machine(), machine().experiment(), 1)
    simulated = runners.in_mujoco(machine(), machine().experiment(), 1, row=1)
    assert exact.completed and simulated.completed
    np.testing.assert_allclose(simulated.steps["touchdown"], exact.steps["touchdown"], atol=5e-5)  # a step is 2e-5 s
    stance = [run.steps["liftoff"][1] - run.steps["touchdown"][1] for run in (exact, simulated)]
    assert stance[1] == pytest.approx(stance[0], rel=2e-3)
    time, force = simulated.record["time"].values, simulated.record["foot_force"].values[:, 0, 2]
    settled = (time > simulated.steps["touchdown"][1] + 0.01) & (time < simulated.steps["liftoff"][1] - 1e-3)
    assert force[settled].min() > 1  # the foot does not let go between
    assert simulated.steps["apex_height"][1] == pytest.approx(exact.steps["apex_height"][1], abs=3e-3)


def test_no_hop_is_no_run():
    with pytest.raises(ValueError, match="number of steps must be at least 1, got 0"):
        runners.exact(machine(), machine().experiment(), 0)


def test_the_command_writes_a_record_and_a_picture(tmp_path, capsys):
    line = [
        "run",
        "hopping",
        "leg",
        "--engine",
        "mujoco",
        "--steps",
        "2",
        "--no-video",
        "--csv",
        "--out",
        str(tmp_path),
    ]
    assert cli.main(line) == 0
    assert "reached the end" in capsys.readouterr().out
    stored = record.load(tmp_path / "run.nc")
    assert set(record.layout_of("hopping_leg").schema) == set(stored.data_vars)
    assert record.load_csv(tmp_path / "run.csv").identical(stored)
    standing = stored["foot_contact"].values
    assert standing.any() and not standing.all()
    assert (tmp_path / "run.png").stat().st_size > 10_000


def test_the_picture_shows_the_leg_where_the_record_has_it():
    experiment = machine().experiment()
    stored = HOPPING_LEG.exact(experiment, None, steps=1).record
    picture, row = HoppingPicture(stored, experiment), int(np.argmax(stored["foot_force"].values[:, 0, 2]))
    picture.update(row)
    hip, knee, foot = np.transpose(picture.leg.get_data_3d())
    assert np.linalg.norm(knee - hip) == pytest.approx(experiment.params.LH)
    assert np.linalg.norm(foot - knee) == pytest.approx(experiment.params.shank)
    push = np.diff(np.transpose(picture.force.get_data_3d()), axis=0)[0]
    np.testing.assert_allclose(push, ARROW * stored["foot_force"].values[row, 0])
    assert "stance" in picture.scene.get_title() and push[2] > 0.05


def test_a_start_below_ground_is_an_end_that_says_so():
    low = start_angles(HoppingLegParams())
    low[1] = 0.1
    sim = hy.compile(hybrid_leg.build(raibert()), mode="python")
    experiment = machine().experiment(start=np.concatenate([low, np.zeros(4)]))
    run = runners.exact(machine(), experiment, 2, sim=sim, period=1e-2)
    assert not run.completed and "foot_below_ground" in run.status
    assert run.record.attrs["status"] == run.status and run.record.sizes["time"] <= 1


def test_a_line_that_cannot_be_run_says_why(capsys):
    assert command.main(["hopping_leg", "--motor-mode", "saturated"]) == 2
    assert "invalid choice: 'saturated'" in capsys.readouterr().err
    assert command.main(["hopping_leg", "--steps", "0"]) == 2
    assert "--steps must be at least 1, got 0" in capsys.readouterr().err
    assert command.main(["hopping_leg", "--engine", "mujoco", "--terrain", "step", "0.2", "-0.5"]) == 2
    assert "the foot starts below ground" in capsys.readouterr().err
