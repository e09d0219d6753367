"""`tarsus run slip_leg`, and the plot that follows, stops and plays back a run."""

import numpy as np
import pytest
import xarray as xr

from tarsus.scripts import run_slip_leg
from tarsus.scripts.views.leg_plot import LegPlot


def test_it_writes_record_figure_and_film(tmp_path, capsys):
    arguments = ["--steps", "1", "--fps", "20", "--out", str(tmp_path), "--set", "apex_gain=0.5"]
    assert run_slip_leg.main(arguments) == 0
    assert "hybrid: 1 steps; completed" in capsys.readouterr().out
    record = xr.load_dataset(tmp_path / "run.nc")
    assert {"com_x", "force_z", "hip_torque", "phase"} <= set(record.data_vars) and record.attrs["engine"] == "hybrid"
    assert (tmp_path / "run.png").stat().st_size > 10_000 and (tmp_path / "run.mp4").stat().st_size > 1000


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["--engine", "ode"], "unknown engine 'ode'; there are hybrid, mujoco"),
        (["--steps", "0"], "--steps must be at least 1"),
        (["--set", "colour=1"], "unknown parameter 'colour'"),
        (["--set", "stiffness=much"], "--set takes NAME=NUMBER, got 'stiffness=much'"),
        (["--set", "stiffness=-1"], "stiffness must be positive"),
        (["--terrain", "swamp"], "unknown terrain 'swamp'"),
    ],
)
def test_a_command_line_that_cannot_be_run_is_refused_with_a_sentence(arguments, message, capsys):
    assert run_slip_leg.main(arguments) == 2
    assert message in capsys.readouterr().err


def test_a_run_that_fails_says_so_and_keeps_what_was(tmp_path, capsys):
    assert run_slip_leg.main(["--no-compensation", "--no-video", "--out", str(tmp_path / "fell")]) == 1
    assert "guard straight_knee" in capsys.readouterr().out
    assert xr.load_dataset(tmp_path / "fell" / "run.nc").sizes["time"] > 300
    assert run_slip_leg.main(["--set", "apex_height=0.3", "--out", str(tmp_path / "underground")]) == 1
    assert "guard touchdown, at t = 0.0" in capsys.readouterr().out
    assert [path.name for path in (tmp_path / "underground").iterdir()] == ["run.nc"]


def test_options_of_the_command_line_reach_the_experiment():
    args = run_slip_leg.parser().parse_args(["--erratum", "8", "9", "--no-compensation", "--set", "base_mass=5"])
    experiment = run_slip_leg.experiment_from(args)
    assert experiment.params.base_mass == 5.0 and experiment.control.compensate == 0.0
    assert experiment.control.nominal_length == experiment.control.frozen_com == 1.0
    assert experiment.control.liftoff_under_weight == 0.0
    args = run_slip_leg.parser().parse_args(["--engine", "mujoco", "--terrain", "step", "0.02", "1", "0.1", "0"])
    experiment = run_slip_leg.experiment_from(args, energy_gain=0.5)
    assert experiment.control.energy_gain == 0.5 and experiment.ground.rise == 0.02


def test_a_live_plot_follows_either_engine_and_stops_it():
    import matplotlib

    matplotlib.use("Agg", force=True)
    from tarsus.scripts.runs.slip_leg_mujoco import mujoco_run
    from tarsus.scripts.runs.slip_leg_runs import COMPLETED, Experiment, hybrid
    from tarsus.scripts.views.slip_leg_view import follower

    experiment = Experiment()
    for engine in (hybrid, mujoco_run):
        plot, follow = follower(experiment, fps=50.0)

        def on_frame(t, x, d, phase, plot=plot, follow=follow):
            plot.stopped = t > 0.17
            return follow(t, x, d, phase)

        run = engine(
            experiment, 3, **({"on_frame": on_frame, "fps": 50.0} if engine is hybrid else {"on_row": on_frame})
        )
        assert run.status != COMPLETED and run.record["time"][-1] < 0.25
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
