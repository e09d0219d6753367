"""A robot's file is all that `tarsus robot` and the verbs of learning need."""

import importlib.util
import json
import shutil

import gymnasium
import numpy as np
import pytest

from tarsus.envs import own_check, own_robot
from tarsus.envs.own_verdict import RobotWarning
from tarsus.mjcf import own_robot as models
from tarsus.scripts.command.verbs import certify, evaluate, export, robot, search, train
from tarsus.scripts.library.learning import environments

ASSETS = models.EXAMPLE.parents[1]
DOG, SIX = ASSETS / "robots" / "dog.xml", ASSETS / "examples" / "hexapod.urdf"
SMALL = "--num-envs 2 --steps 32 --algorithm-set n_steps=16 batch_size=16 n_epochs=1 --threads 1"


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    """A folder, after which no robot stays registered."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(own_check, "SHAKEN", 1.0)  # not what is looked at here
    before = dict(gymnasium.registry)
    yield tmp_path
    for name in set(gymnasium.registry) - set(before):
        gymnasium.registry.pop(name)


def said(run, words, capsys):
    """Return what a verb refuses, which is a line, and nothing is written."""
    capsys.readouterr()
    assert run(words) == 2
    captured = capsys.readouterr()
    assert captured.err.count("\n") == 1 and not captured.out
    return captured.err


@pytest.mark.parametrize(
    ("file", "mass", "feet", "joints"),
    [(DOG, 12.0, ["FL", "FR", "RL", "RR"], 12), (SIX, None, [f"{a}{b}_foot" for a in "lr" for b in "fmr"], 18)],
    ids=["mjcf", "urdf"],
)
def test_it_says_what_a_robot_is_and_how_to_register_it(file, mass, feet, joints, here, capsys):
    assert robot.main([str(file), "--out", "it"]) == 0
    found = json.loads((here / "it" / "result.json").read_text())["result"]
    assert found["feet"] == feet
    assert found["standing"]["trial"]["feet"] == pytest.approx(1.0, abs=0.02)
    assert found["standing"]["mass"] == pytest.approx(mass or found["standing"]["mass"], rel=0.02)
    assert found["walk"]["speed"] > 0.2 and found["options"]["typical_speed"] == found["walk"]["speed"]
    text = (here / "it" / "robot.txt").read_text()
    assert text in capsys.readouterr().out and text.count("| hinge |") == joints
    assert not {name for name in gymnasium.registry if name.startswith("My-")}
    with pytest.warns(RobotWarning) if found["sentences"] else pytest.MonkeyPatch.context():
        exec(found["python"], made := {})
    env = made["env"]
    assert env.spec.id == environments.called(str(file)) == f"My-{file.stem.title()}-v0"
    assert env.unwrapped.config.typical_speed == pytest.approx(found["walk"]["speed"])
    env.close()


def test_what_is_given_is_not_looked_for(here):
    words = [str(SIX), "--feet", "lf_foot", "rf_foot", "lr_foot", "rr_foot", "--servo", "6", "0.2", "--out", "it"]
    assert robot.main(words) == 0
    found = json.loads((here / "it" / "result.json").read_text())["result"]
    assert found["feet"] == ["lf_foot", "rf_foot", "lr_foot", "rr_foot"]
    assert "servo=(6.0, 0.2)" in found["python"] and "kp 6, kd 0.2" in (here / "it" / "robot.txt").read_text()


@pytest.mark.parametrize(
    ("content", "words", "message"),
    [
        (None, [], "there is no file 'bad.xml'"),
        ("<mujoco><worldbody/></mujoco>", [], "needs one free joint"),
        ("nonsense", [], "is not an MJCF that MuJoCo can read"),
        (DOG, ["--feet", "FL", "nowhere"], "there is no geom or body 'nowhere' to be a foot; there are trunk, "),
        (DOG, ["--servo", "-1", "0"], "servo must be 'auto', 'file' or"),
        (DOG, ["--keyframe", "sits"], "there is no keyframe 'sits'; there are 'stand'"),
        (DOG, ["--keyframe", "7"], "there is no keyframe 7; there are 'stand'"),
    ],
)
def test_what_is_no_robot_is_refused_in_a_sentence(content, words, message, here, capsys):
    if content is not None:
        (here / "bad.xml").write_text(content if isinstance(content, str) else content.read_text())
    assert message in said(robot.main, ["bad.xml", *words], capsys)
    assert not (here / "out").exists()


def test_a_file_does_not_take_a_name_of_the_package():
    named = {"my_dog.urdf": "My-Dog-v0", "dog.xml": "My-Dog-v0", "a/Go2.XML": "Go2-v0", "_.xml": "Robot-v0"}
    named |= {"kennel:Trot-v0": "Trot-v0", "Hexapod-v0": "Hexapod-v0"}
    assert {name: environments.called(name) for name in named} == named


def test_a_policy_of_a_file_is_trained_judged_and_exported_and_knows_the_file(here, capsys):
    pytest.importorskip("stable_baselines3", reason="it needs the extra: pip install 'tarsus[rl]'")
    mine = shutil.copy(SIX, here / "walker.urdf")
    assert train.main(["--env", "walker.urdf", "--plain", *SMALL.split()]) == 0
    lines = capsys.readouterr().err.splitlines()
    assert sum("18 joints got servos" in line for line in lines) == 1  # said once, without where
    assert not any("RobotWarning" in line for line in lines)
    best = "runs/Walker-v0-0/best"
    assert json.loads((here / best / "run.json").read_text())["environment"] == str(mine)
    assert not list(here.glob("*.urdf-*"))
    gymnasium.registry.pop("Walker-v0")
    assert evaluate.main([best, "--seeds", "1", "--option", "max_episode_steps=20"]) == 0
    assert certify.main([best, "--seeds", "1", "--seconds", "0.4", "--jobs", "1"]) == 0
    assert "exact is left out" in capsys.readouterr().out
    if importlib.util.find_spec("onnx"):
        assert export.main([best]) == 0
    gymnasium.registry.pop("Walker-v0")
    (here / "moved").mkdir()
    mine.rename(here / "moved" / "walker.urdf")
    assert f"the stored policy's robot {mine} is not there; --env FILE says" in said(evaluate.main, [best], capsys)
    words = ["--env", "moved/walker.urdf", "--seeds", "1", "--option", "max_episode_steps=20"]
    assert evaluate.main([best, *words]) == 0
    again = ["--resume", "--steps", "64", *SMALL.split()[:2], *SMALL.split()[4:]]
    assert train.main(["--env", "moved/walker.urdf", "--plain", *again]) == 0


def test_a_baseline_is_searched_for_a_file_and_registers_it(here):
    words = [str(SIX), "--num-envs", "8", "--generations", "1", "--steps", "20", "--threads", "1"]
    assert search.main(["baseline", *words, "--out", "it"]) == 0
    own_robot.register("Found-v0", SIX, baseline="it/found.npz", check=False)
    options, there = gymnasium.spec("Found-v0").kwargs, np.load("it/found.npz")
    assert options["baseline"].shape == (24, 18) and (options["baseline"] == there["baseline"]).all()
    assert options["baseline_period"] == there["baseline_period"]
