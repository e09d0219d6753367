import builtins
import dataclasses
import json
import re
import subprocess
import sys

import numpy as np
import pytest

from tarsus.analytic.compilation import extras
from tarsus.analytic.terrain import TERRAINS
from tarsus.mjcf import PRESETS
from tarsus.scripts.command.verbs import run as command
from tarsus.scripts.library.machines import hexapod_mujoco
from tarsus.scripts.library.machines.outcome import RunStatus
from tarsus.scripts.library.records import record
from tarsus.scripts.library.views import rendering
from tarsus.scripts.library.views.page import followed


def run(tmp_path, *words):
    return command.main(["hexapod", "--out", str(tmp_path), "--seconds", "1.2", "--preset", "rl", *words])


def test_the_main_job_end_to_end(tmp_path, capsys):
    words = [
        "--no-video",
        "--csv",
        "--set",
        "body_mass=7",
        "rho0_k=600",
        "--t_c",
        "0.5",
        "--terrain",
        "slope",
        "0",
        "0.05",
    ]
    assert run(tmp_path, *words) == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["result.json", "run.csv", "run.nc", "run.png"]
    told = json.loads((tmp_path / "result.json").read_text())["result"]
    assert told["status"] == "reached the end" and 0.1 < told["summary"]["speed"] < 0.6
    stored = record.load(tmp_path / "run.nc")
    params = record.params_of(stored)
    assert (params.body_mass, params.rho_k[0], params.rho_k[1]) == (7.0, 600.0, 1000.0)
    assert record.gait_of(stored).cycle_time == 0.5
    assert record.gait_of(stored).slow_time == pytest.approx(0.3)  # the duty is kept
    assert record.terrain_of(stored).slope_y == 0.05
    assert stored["time"].values[-1] == pytest.approx(1.2)
    np.testing.assert_array_equal(record.load_csv(tmp_path / "run.csv")["foot_force"], stored["foot_force"])
    printed = capsys.readouterr().out
    for words in ("reached the end", "mean speed", "cost of transport", "duty factor", "battery life", "run.nc"):
        assert words in printed
    assert (tmp_path / "run.png").stat().st_size > 20_000


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--terrain", "moon"], "there are " + ", ".join(TERRAINS)),
        (["--terrain", "slope", "up"], "arguments of a terrain are numbers"),
        (["--terrain", "slope", "0", "1", "2"], "takes 2 arguments"),
        (["--preset", "fast"], "there are " + ", ".join(PRESETS)),
        (["--set", "wings=2"], "unknown hexapod parameter 'wings'"),
        (["--set", "body_mass"], "--set takes NAME=NUMBER, got 'body_mass'"),
        (["--set", "body_mass=-1"], "body_mass must be positive"),
        (["--set", "body_mass=heavy"], "takes numbers, got 'body_mass=heavy'"),
        (["--slow-time", "1.5"], "slow_time must lie between"),
        (["--duty", "0.5", "--slow-time", "0.5"], "not both"),
        (["--heading", "up"], "there are forward, backward, left, right"),
        (["--seconds", "-1"], "--seconds must be positive"),
        (["--seconds", "nan"], "--seconds must be positive"),
        (["--seconds", "inf"], "--seconds must be positive"),
    ],
)
def test_bad_input_is_one_line_and_status_2(words, sentence, tmp_path, capsys):
    assert run(tmp_path / "out", "--no-video", *words) == 2
    error = capsys.readouterr().err
    assert sentence in error and error.startswith("tarsus run hexapod: ")
    assert error.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_a_run_that_diverged_is_a_failure_with_what_was_kept(tmp_path, capsys, monkeypatch):
    walk = hexapod_mujoco.simulate

    def diverge(experiment, seconds, *args, **options):
        return dataclasses.replace(walk(experiment, 0.05), status=RunStatus.DIVERGED)

    monkeypatch.setattr(hexapod_mujoco, "simulate", diverge)
    assert run(tmp_path, "--no-video") == 1
    assert (tmp_path / "run.nc").exists()


def test_a_robot_that_falls_is_reported(tmp_path, capsys):
    assert run(tmp_path, "--no-video", "--terrain", "slope", "1.5", "0") == 0
    assert "status" in capsys.readouterr().out
    assert record.load(tmp_path / "run.nc").attrs["status"].startswith(("toppled", "fell"))


@pytest.mark.render
def test_the_video_shows_a_robot_that_moves(tmp_path):
    import imageio

    assert run(tmp_path, "--seconds", "0.8") == 0
    frames = np.array(imageio.mimread(tmp_path / "run.mp4", memtest=False))
    assert frames.shape == (10, 480, 640, 3)  # real time at 12.5 pictures per second
    assert all(30 < frame.mean() < 225 and frame.std() > 10 for frame in frames)
    orange = (frames[..., 0] > 150) & (frames[..., 2] < 90)  # the body plate
    assert np.all(orange.sum(axis=(1, 2)) > 2000)
    assert np.abs(frames[8].astype(float) - frames[2]).mean() > 1.0


def test_without_opengl_it_says_what_to_install_and_does_the_rest(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(rendering, "renders_with", lambda backend: False)
    monkeypatch.setenv("MUJOCO_GL", "osmesa")  # restored afterwards
    assert run(tmp_path) == 0
    assert rendering.INSTALL_OPENGL in capsys.readouterr().err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["result.json", "run.nc", "run.png"]


def test_the_page_is_self_contained(tmp_path):
    pytest.importorskip("viser")
    assert run(tmp_path, "--no-video", "--page") == 0
    text = (tmp_path / "run.html").read_text(encoding="utf-8")
    assert len(text) > 100_000 and "<html" in text.lower() and f"<title>Hexapod, {tmp_path.name}</title>" in text
    assert re.search(rf"<b>Hexapod, {tmp_path.name}</b> [\d.]+ s, [\d.]+ m from start to end", text)
    for outside in ('src="http', "src='http", '<link rel="stylesheet" href="http'):
        assert outside not in text


def test_the_view_goes_along_as_the_ground_moves():
    qpos = np.arange(1.0, 10.0)
    moved, ground = followed(qpos)
    np.testing.assert_array_equal(moved[:3] - ground, qpos[:3])  # where the robot is on the ground
    np.testing.assert_array_equal(moved[2:], qpos[2:])
    assert not moved[:2].any()


def test_without_viser_the_page_says_how_to_get_it(tmp_path, capsys, monkeypatch):
    original = builtins.__import__

    def refuse(name, *args, **kwargs):
        if name == "viser":
            raise ImportError(name)
        return original(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", refuse)
    assert run(tmp_path, "--no-video", "--page") == 0
    assert extras.install("view") in capsys.readouterr().err
    assert not (tmp_path / "run.html").exists()


@pytest.mark.parametrize("words", [["-m", "tarsus.scripts.command.cli", "run"], [command.__file__]])
def test_it_is_a_subcommand_and_a_script(words):
    done = subprocess.run([sys.executable, *words, "hexapod", "--help"], capture_output=True, text=True)
    assert done.returncode == 0 and "--t_c" in done.stdout


def test_the_exact_engine_writes_the_same_files(tmp_path, capsys):
    words = ["hexapod", "--engine", "exact", "--seconds", "0.2", "--no-video", "--out", str(tmp_path)]
    assert command.main(words) == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["result.json", "run.nc", "run.png"]
    stored = record.load(tmp_path / "run.nc")
    assert stored.attrs["engine"].startswith("tarsus hybrid") and "reached the end" in capsys.readouterr().out


def test_without_a_machine_it_names_those_there_are(capsys):
    assert command.main([]) == 2
    assert capsys.readouterr().err.count("{hexapod,hopping-leg,slip-leg,multipod,connection-mpc,FILE}") == 1
