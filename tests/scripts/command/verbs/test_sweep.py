"""`tarsus sweep`: every row is a run, and what cannot be swept is refused before the work."""

import numpy as np
import pytest

import tarsus
from tarsus.scripts.command import cli
from tarsus.scripts.library.running import study

LEG = ["sweep", "slip-leg", "--steps", "1", "--jobs", "1"]


def test_a_row_is_the_run_of_its_parameters(tmp_path, capsys):
    words = ["--set", "base_mass=7:8:2", "speed=1.1", "apex_height=0.6:0.62:2", "--out", str(tmp_path)]
    assert cli.main([*LEG, *words]) == 0 and "| base_mass | apex_height | status |" in capsys.readouterr().out
    found = tarsus.load(tmp_path)
    table = found["study.csv"]
    assert table[["base_mass", "apex_height"]].values.tolist() == [[7, 0.6], [7, 0.62], [8, 0.6], [8, 0.62]]
    params = {"base_mass": 8.0, "apex_height": 0.6, "speed": 1.1}
    run = tarsus.run("slip_leg", steps=1, params=params)
    row, way = table.iloc[2], run.record["body_position"].values[:, :2]
    assert (row["status"], row["seconds"]) == (run.status, run.record["time"].values[-1])
    assert row["steps_apex_height"] == pytest.approx(run.steps["apex_height"][-1], rel=1e-12)
    assert row["displacement"] == pytest.approx(np.linalg.norm(way[-1] - way[0]), rel=1e-12)
    assert found.result["study"]["base_mass"] == [7, 7, 8, 8] and found.inputs["machine"] == "slip_leg"


def test_a_run_that_fails_is_a_row_that_says_so(tmp_path):
    words = ["--set", "apex_height=0.3:0.62:2", "--out", str(tmp_path), "--backend", "threading"]
    assert cli.main([*LEG, *words]) == 0
    first, second = (row for _, row in tarsus.load(tmp_path)["study.csv"].iterrows())
    assert first["status"] != second["status"] == "reached the end" and second["seconds"] > first["seconds"]


REFUSED = {
    "wheel --set a=1:2:3": "no machine 'wheel' with parameters to sweep; there are hexapod, hopping-leg",
    "slip-leg": "--set must sweep a parameter: NAME=FIRST:LAST:COUNT",
    "slip-leg --set speed=1.0": "--set must sweep a parameter",
    "slip-leg --set speed=1:2": "NAME=FIRST:LAST:COUNT with a count from 2 on, got 'speed=1:2'",
    "slip-leg --set speed=1:2:1": "with a count from 2 on",
    "slip-leg --set speed=1:2:3:4": "with a count from 2 on",
    "slip-leg --set speed=1:nan:3": "--set takes numbers",
    "slip-leg --set speed=1:2:3 speed=2:3:4": "sweeps speed twice",
    "slip-leg --set speed=1:2:999 g=1:2:999": "more than 100000 runs",
    "slip-leg --set wheels=1:2:3": "wheels=1: unknown parameter 'wheels'; there are base_mass",
    "hexapod --set body_mass=1:-2:3": "body_mass=-2: body_mass must be positive",
    "slip-leg --set speed=1:2:3 --engine both": "one engine",
    "slip-leg --set speed=1:2:3 --address here:1": "--address is for the backends dask and ray",
}


@pytest.mark.parametrize("line", REFUSED)
def test_what_cannot_be_swept_is_refused(line, capsys):
    assert cli.main(["sweep", *line.split()]) == 2
    assert REFUSED[line] in capsys.readouterr().err


def test_numbers_are_flat_and_of_steps_the_last():
    told = {
        "status": "ended",
        "summary": {"speed": 1, "window": {"stop": 2.0}, "feet": np.ones(3)},
        "steps": {"t": [1, 2]},
    }
    assert study.scalars(told) == {"status": "ended", "speed": 1.0, "steps_t": 2.0}


def test_params_are_the_parameters_of_a_run():
    with pytest.raises(ValueError, match="params is a mapping of names to numbers, or the name of a robot; got a list"):
        tarsus.run("hexapod", params=["body_mass"])
    with pytest.raises(ValueError, match="params and set say the same"):
        tarsus.run("hexapod", params={"body_mass": 7.0}, set={"body_mass": 7.0})
    with pytest.raises(ValueError, match="unknown hexapod parameter 'mass'"):
        tarsus.run("hexapod", params={"mass": 7.0})
    run = tarsus.run("hexapod", "mujoco", seconds=0.01, params="rhex")
    assert run.record.attrs["parameters"] != tarsus.run("hexapod", "mujoco", seconds=0.01).record.attrs["parameters"]
