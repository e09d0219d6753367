"""`tarsus run slip-leg`, and its picture."""

import numpy as np
import pytest

from tarsus.scripts.command.verbs import run as command
from tarsus.scripts.library.machines.slip_leg import SLIP_LEG, machine
from tarsus.scripts.library.records import record
from tarsus.scripts.library.views.leg_picture import FORCE_SCALE, SlipLegPicture


def test_it_writes_record_figure_and_film(tmp_path, capsys):
    arguments = ["--csv", "--steps", "1", "--fps", "20", "--out", str(tmp_path), "--set", "apex_gain=0.5"]
    assert command.main(["slip_leg", *arguments]) == 0
    assert "tarsus hybrid: 1 steps; reached the end" in capsys.readouterr().out
    stored = record.load(tmp_path / "run.nc")
    assert {"com_position", "foot_force", "torque", "phase"} <= set(stored.data_vars)
    assert stored.attrs["engine"] == "tarsus hybrid" and record.load_csv(tmp_path / "run.csv").identical(stored)
    assert (tmp_path / "run.png").stat().st_size > 10_000 and (tmp_path / "run.mp4").stat().st_size > 1000


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["--engine", "ode"], "invalid choice: 'ode' (choose from 'exact', 'mujoco', 'both')"),
        (["--engine", "both", "--steps", "2"], "both engines are compared over --seconds"),
        (["--steps", "0"], "--steps must be at least 1"),
        (["--set", "colour=1"], "unknown parameter 'colour'"),
        (["--set", "stiffness=much"], "--set takes numbers, got 'stiffness=much'"),
        (["--set", "stiffness=-1"], "stiffness must be positive"),
        (["--terrain", "swamp"], "unknown terrain 'swamp'"),
    ],
)
def test_a_command_line_that_cannot_be_run_is_refused_with_a_sentence(arguments, message, capsys):
    assert command.main(["slip_leg", *arguments]) == 2
    assert message in capsys.readouterr().err


def test_a_run_that_fails_says_so_and_keeps_what_was(tmp_path, capsys):
    assert command.main(["slip_leg", "--no-compensation", "--no-video", "--out", str(tmp_path / "fell")]) == 1
    assert "guard straight_knee" in capsys.readouterr().out
    assert record.load(tmp_path / "fell" / "run.nc").sizes["time"] > 300
    assert command.main(["slip_leg", "--set", "apex_height=0.3", "--out", str(tmp_path / "underground")]) == 1
    assert "guard touchdown, at t = 0.0" in capsys.readouterr().out
    assert {path.name for path in (tmp_path / "underground").iterdir()} == {"run.nc", "result.json"}


def test_options_of_the_command_line_reach_the_experiment():
    def experiment_of(*words):
        return SLIP_LEG.experiment(command.parser().parse_args(["slip_leg", "--preset", "reference", *words]))

    experiment = experiment_of("--erratum", "8", "9", "--no-compensation", "--set", "base_mass=5")
    assert experiment.params.base_mass == 5.0 and experiment.gains.compensate == 0.0
    assert experiment.gains.nominal_length == experiment.gains.frozen_com == 1.0
    assert experiment.gains.liftoff_under_weight == 0.0
    experiment = experiment_of("--engine", "mujoco", "--terrain", "step", "0.02", "1", "0.1", "0")
    assert experiment.gains.energy_gain == 0.5 and experiment.ground.rise == 0.02


def test_the_picture_shows_links_virtual_leg_and_force_where_the_record_has_them():
    experiment = machine().experiment()
    stored = SLIP_LEG.exact(experiment, None, steps=1).record
    picture, row = SlipLegPicture(stored, experiment), int(np.argmax(stored["foot_force"].values[:, 0, 2]))
    picture.update(row)
    base, knee, toe = picture.links.get_xydata()
    params, now = experiment.params, stored.isel(time=row)
    assert np.hypot(*(knee - base)) == pytest.approx(params.thigh_length)
    assert np.hypot(*(toe - knee)) == pytest.approx(params.shank_length, abs=1e-6)
    np.testing.assert_allclose(picture.spring.get_xydata()[[0, -1]], [toe, picture.mass.get_xydata()[0]])
    np.testing.assert_allclose(
        [picture.force.U[0], picture.force.V[0]], FORCE_SCALE * now["foot_force"].values[0, [0, 2]]
    )
    np.testing.assert_allclose(picture.trace.get_xydata()[-1], now["com_position"].values[[0, 2]])
    assert "stance" in picture.scene.get_title() and picture.force.V[0] > 0.05
