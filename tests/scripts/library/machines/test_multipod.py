"""`tarsus run multipod` end to end, and the command lines it refuses."""

import dataclasses

import pandas as pd
import pytest

from tarsus.scripts.command.verbs import run as command
from tarsus.scripts.library.machines import multipod_mujoco
from tarsus.scripts.library.records import record


def run(tmp_path, *words):
    return command.main(["multipod", "--out", str(tmp_path), "--preset", "rl", "--no-video", *words])


@pytest.mark.parametrize("robot", ["multipod", "bigant"])
def test_the_run_end_to_end(tmp_path, capsys, robot):
    assert run(tmp_path, "--robot", robot, "--seconds", "7.5", "--csv", "--set", "friction_coeff=0.8") == 0
    out = capsys.readouterr().out
    assert f"{robot}, 6 legs" in out and "on its legs to the end" in out and "% of the weight" in out
    assert sorted(path.name for path in tmp_path.iterdir()) == ["legs.csv", "result.json", "run.csv", "run.nc"]
    legs = pd.read_csv(tmp_path / "legs.csv")
    assert len(legs) == 6 and legs["share of the weight"].sum() == pytest.approx(1, abs=0.1)
    stored = record.load(tmp_path / "run.nc")
    assert stored.sizes["time"] == 376 and stored.attrs["robot"] == robot and stored.sizes["leg"] == 6
    assert record.load_csv(tmp_path / "run.csv").identical(stored)
    assert record.params_of(stored).friction_coeff == 0.8


def test_a_short_run_says_what_it_lacks(tmp_path, capsys):
    assert run(tmp_path, "--legs", "14", "--seconds", "0.5") == 0
    out = capsys.readouterr().out
    assert "need a whole stride" in out and "| left_0 |" not in out  # fourteen legs are too many to print


def test_a_walk_of_one_sample_has_its_tables_and_one_that_mujoco_ends_is_a_failure(tmp_path, capsys, monkeypatch):
    walk = multipod_mujoco.walk

    def end_at_once(walking, seconds, **options):
        found = walk(walking, 1 / multipod_mujoco.FPS)
        return dataclasses.replace(found, record=found.record.isel(time=[0]), warnings="BADQACC (1 times)")

    monkeypatch.setattr(multipod_mujoco, "walk", end_at_once)
    assert run(tmp_path, "--seconds", "1") == 1
    assert "MuJoCo warned" in capsys.readouterr().out and len(pd.read_csv(tmp_path / "legs.csv")) == 6


@pytest.mark.render
def test_the_video_is_written(tmp_path):
    assert command.main(["multipod", "--out", str(tmp_path), "--preset", "rl", "--seconds", "0.2"]) == 0
    assert (tmp_path / "run.mp4").stat().st_size > 1000


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--legs", "5"], "even number of legs from 4 to 50"),
        (["--legs", "4", "--gait", "undulation"], "6 legs or more"),
        (["--robot", "bigant", "--legs", "8"], "number of legs of a bigant is fixed"),
        (["--robot", "spider"], "unknown robot 'spider'; there are multipod, bigant"),
        (["--set", "yaw_range=0.5"], "legs overlap"),
        (["--set", "leaf=3"], "unknown parameter 'leaf' of a multipod; there are segment_length"),
        (["--set", "leaf_k=soft"], "--set takes numbers, got 'leaf_k=soft'"),
        (["--gait-set", "frequency"], "--gait-set takes NAME=NUMBER, got 'frequency'"),
        (["--seconds", "0"], "--seconds must be positive and finite, got 0"),
        (["--terrain", "swamp"], "unknown terrain 'swamp'"),
    ],
)
def test_what_cannot_be_run_is_refused_with_the_reason(tmp_path, capsys, words, message):
    assert run(tmp_path, *words) == 2
    assert message in capsys.readouterr().err
