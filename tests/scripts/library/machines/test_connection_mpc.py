"""`tarsus run connection-mpc` end to end, paths from files, and what of a walk is near its path."""

import numpy as np
import pandas as pd
import pytest

from tarsus.controllers.connection_policy import SETTLE
from tarsus.scripts.command.verbs import run as command
from tarsus.scripts.library.machines import MACHINES
from tarsus.scripts.library.machines.connection_mpc import read_path
from tarsus.scripts.library.machines.connection_walk import pose_of
from tarsus.scripts.library.running.run import run as run_in_python

BEND = "x,y\n0,0\n0.3,0\n0.6,0.01\n0.9,0.04\n"


def run(tmp_path, *words):
    return command.main(["connection_mpc", "--out", str(tmp_path), "--preset", "rl", "--no-video", *words])


def test_the_run_end_to_end(tmp_path, capsys):
    (tmp_path / "points.csv").write_text(BEND)
    assert run(tmp_path / "run", "--path", str(tmp_path / "points.csv"), "--legs", "8") == 0
    out = capsys.readouterr().out
    assert "multipod, 8 legs" in out and "on its legs to the end" in out and "in 0 the last command was held" in out
    names = sorted(path.name for path in (tmp_path / "run").iterdir())
    assert names == ["legs.csv", "path.csv", "result.json", "run.nc", "run.png"]
    track = pd.read_csv(tmp_path / "run" / "path.csv")
    assert track["distance"].max() < 0.02 and track["x"].iloc[-1] == pytest.approx(0.9, abs=0.06)
    assert track["time"].iloc[-1] == pytest.approx(0.9 / 0.06, abs=0.1)


@pytest.mark.extra
def test_with_noise_and_a_leg_less_in_the_model_it_still_finds_its_way():
    made = run_in_python("connection_mpc", legs=12, seconds=16.0, preset="rl", lost=[3], noise=[2e-3, 2e-3], seed=3)
    assert made.completed and np.sqrt(np.mean(made.distance**2)) < 0.02
    assert len(made.decided) == int((16.0 - SETTLE) / (1 / 0.3 / 2)) + 1
    assert np.abs(made.origin[:2]).max() < 0.05


def test_headings_are_those_of_the_quaternion():
    angle = np.array([-3.0, -0.4, 0.0, 1.2])
    qpos = np.zeros((4, 9))
    qpos[:, 0], qpos[:, 1] = angle, 2.0
    qpos[:, 3], qpos[:, 6] = np.cos(angle / 2), np.sin(angle / 2)
    np.testing.assert_allclose(pose_of(qpos), np.column_stack([angle, 0 * angle + 2, angle]), atol=1e-12)


@pytest.mark.parametrize(
    "text, words",
    [
        ("0,0\n1,soft\n", "two numbers x, y in every line"),
        ("0,0,0\n1,0,0\n", "two numbers x, y in every line"),
        ("0,0\n", "two points"),
        ("0,0\n0,0\n", "the same as the one before"),
        ("0,0\n10,0\n25,0\n", "leaves the ground"),
    ],
)
def test_files_without_a_path_are_refused(tmp_path, text, words):
    (tmp_path / "points.csv").write_text(text)
    with pytest.raises(ValueError, match=words):
        read_path(tmp_path / "points.csv", 0.06)


def test_a_path_beyond_reach_is_refused_before_it_is_walked(tmp_path, capsys):
    (tmp_path / "points.csv").write_text("0,0\n0.5,0\n0.8,0.3\n0.8,0.8\n")
    assert run(tmp_path / "run", "--path", str(tmp_path / "points.csv")) == 2
    assert "with no yaw left to correct, 3.3 m" in capsys.readouterr().err and not (tmp_path / "run").exists()
    assert "connection_mpc" in MACHINES
