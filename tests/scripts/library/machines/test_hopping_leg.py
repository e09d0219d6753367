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


def test_a_live_plot_follows_either_engine_and_stops_it():
    import matplotlib

    matplotlib.use("Agg", force=True)
    from tarsus.scripts.library.views.hopping_live import HoppingLegFollower

    for engine in ("exact", "mujoco"):
        experiment = machine().experiment(preset="rl")
        follower = HoppingLegFollower(experiment)

        def stop(t, *rest, follower=follower, engine=engine):
            follower.plot.stopped = t > 0.4
            return follower(engine, t, *rest)

        options = {"period": 0.01, "frame_period": follower.period} if engine == "exact" else {}
        run = getattr(HOPPING_LEG, engine)(experiment, None, steps=3, on_frame=stop, **options)
        assert not run.completed and run.record["time"][-1] < 0.45
        plot = follower.plot
        stance = [moment for moment in plot.moments if "stance" in moment.text]
        push = np.array([moment.vectors["r"][1, 1] for moment in stance])  # the ground's force
        assert len(push) >= 3 and push.min() > 0 and 0.2 < push.max() < 0.4
        assert np.mean([moment.vectors["r"][1, 0] for moment in stance]) > 2e-3  # from rest it is pushed forward
        foot = np.array([moment.points["ko-"][-1] for moment in stance])
        assert np.ptp(foot[:, 0]) < 0.03 and np.abs(foot[:, 1]).max() < 2e-3  # stands, but for the curve of the way
        plot.playback(block=False).set_val(2)
        np.testing.assert_array_equal(plot._curves["ko-"].get_xydata(), plot.moments[2].points["ko-"])
        plot.close()


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
