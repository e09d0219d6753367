"""`tarsus run slip-leg`, and the plot that follows, stops and plays back a run."""

import numpy as np
import pytest

from tarsus.scripts.command.verbs import run as command
from tarsus.scripts.library.machines.outcome import RunStatus
from tarsus.scripts.library.machines.slip_leg import SLIP_LEG, machine
from tarsus.scripts.library.records import record
from tarsus.scripts.library.views.leg_plot import LegPlot


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


def test_a_live_plot_follows_either_engine_and_stops_it():
    import matplotlib

    matplotlib.use("Agg", force=True)
    from tarsus.analytic.hybrid import vector
    from tarsus.scripts.library.views.slip_leg_view import SlipLegFollower

    experiment = machine().experiment()
    for engine in ("exact", "mujoco"):
        follower = SlipLegFollower(experiment, vector(machine().numbers(experiment)), fps=50.0)
        plot = follower.plot

        def on_frame(t, *now, plot=plot, follower=follower, engine=engine):
            plot.stopped = t > 0.17
            return follower(engine, t, *now)

        options = {"steps": 3, "on_frame": on_frame} | ({"frame_period": 0.02} if engine == "exact" else {})
        run = getattr(SLIP_LEG, engine)(experiment, None, **options)
        assert run.status == RunStatus.STOPPED and run.record["time"][-1] < 0.25
        times = np.array([moment.t for moment in plot.moments])
        np.testing.assert_allclose(np.diff(times), 0.02, atol=1e-9)
        stance = [moment for moment in plot.moments if "stance" in moment.text]
        assert len(stance) > 2 and all(moment.vectors["r"][1, 1] > 0.05 for moment in stance[1:])  # the ground's force
        assert all({"ko-", "g-", "gs", "b:"} <= set(moment.points) for moment in plot.moments)
        plot.close()


def test_the_plot_shows_stops_and_plays_back():
    import matplotlib

    matplotlib.use("Agg", force=True)
    pressed = []
    plot = LegPlot(stop=lambda: pressed.append(True))
    for k in range(3):
        plot.points(0.1 * k, "ko-", (k, 0.0), (k, 1.0))
        plot.vector(0.1 * k, (k, 0.0), (0.0, 0.3 * k), "r")
        plot.text(0.1 * k, f"moment {k}")
        plot.signal(0.1 * k, height=float(k))
    assert len(plot.moments) == 3
    slider = plot.playback(block=False)
    slider.set_val(1)
    assert plot._words.get_text() == "moment 1"
    np.testing.assert_array_equal(plot._curves["ko-"].get_xydata(), [[1.0, 0.0], [1.0, 1.0]])
    np.testing.assert_allclose(plot._curves["height"].get_ydata(), [0.0, 1.0])
    plot._pressed(None)
    assert plot.stopped and pressed
    plot.close()
