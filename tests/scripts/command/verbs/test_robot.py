"""A robot's file is all that `tarsus robot` and the verbs of learning need."""

import importlib.util
import json
import pickle
import re
import shutil
import warnings

import gymnasium
import numpy as np
import pytest

from tarsus.envs import own_check, own_robot, own_verdict
from tarsus.envs.own_verdict import RobotWarning
from tarsus.mjcf import own_robot as models
from tarsus.scripts.command.verbs import certify, evaluate, export, robot, search, train
from tarsus.scripts.library.learning import environments, robot_files
from tarsus.scripts.library.learning.trained_policy import TrainedPolicy
from tarsus.scripts.library.search import baseline

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
    for name in [name for name in gymnasium.registry if name.startswith("My-")]:
        gymnasium.registry.pop(name)  # of another test
    assert robot.main([str(file), "--out", "it"]) == 0
    found = json.loads((here / "it" / "result.json").read_text())["result"]
    assert found["feet"] == feet
    assert found["standing"]["trial"]["feet"] == pytest.approx(1.0, abs=0.02)
    assert found["standing"]["mass"] == pytest.approx(mass or found["standing"]["mass"], rel=0.02)
    assert found["walk"]["speed"] > 0.2 and found["options"]["typical_speed"] == found["walk"]["speed"]
    assert found["exact"].startswith("tarsus crossvalidate FILE")
    text = (here / "it" / "robot.txt").read_text()
    assert text in capsys.readouterr().out and text.count("| hinge |") == joints
    assert not {name for name in gymnasium.registry if name.startswith("My-")}
    with pytest.warns(RobotWarning) if found["sentences"] else pytest.MonkeyPatch.context():
        exec(found["python"], made := {})
    env = made["env"]
    assert env.spec.id == robot_files.called(str(file)) == f"My-{file.stem.title()}-v0"
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
        ("<mujoco><worldbody/></mujoco>", [], "the robot has no joints"),
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
    assert {name: robot_files.called(name) for name in named} == named


def test_a_policy_of_a_file_is_trained_judged_exported_and_moved_with_it(here, capsys, monkeypatch, tmp_path_factory):
    pytest.importorskip("stable_baselines3", reason="it needs the extra `rl`")
    mine = shutil.copy(SIX, here / "walker.urdf")
    assert train.main(["--env", "walker.urdf", "--plain", *SMALL.split()]) == 0
    lines = capsys.readouterr().err.splitlines()
    assert sum("18 joints got servos" in line for line in lines) == 1  # said once, without where
    assert not any("RobotWarning" in line for line in lines)
    best = "runs/Walker-v0-0/best"
    about = json.loads((here / best / "run.json").read_text())
    assert about["environment"] == "../../../walker.urdf" and len(about["robot"]["sha256"]) == 64
    assert about["robot"]["found"]["baseline"] == "clock" and about["robot"]["found"]["typical_speed"] > 0.2
    assert str(here) not in json.dumps(about) and not list(here.glob("*.urdf-*"))
    gymnasium.registry.pop("Walker-v0")
    monkeypatch.setattr(own_verdict, "examined", None)  # the file is the same, and what was found of it is known
    assert evaluate.main([best, "--seeds", "1", "--option", "max_episode_steps=20"]) == 0
    assert gymnasium.spec("Walker-v0").kwargs["baseline_period"] == about["robot"]["found"]["baseline_period"]
    assert certify.main([best, "--seeds", "1", "--seconds", "0.4", "--jobs", "1"]) == 0
    out = capsys.readouterr().out
    assert "exact against reference" in out and "left out" not in out
    models_written = [best]
    if importlib.util.find_spec("onnx"):
        assert export.main([best, "--out", "runs/Walker-v0-0/exported"]) == 0
        models_written.append("runs/Walker-v0-0/exported/policy.onnx")
    there = here / "elsewhere" / "deep"
    there.mkdir(parents=True)
    mine.rename(there / "walker.urdf")
    (here / "runs" / "Walker-v0-0").rename(there / "Walker-v0-0")
    monkeypatch.chdir(tmp_path_factory.mktemp("other"))
    for model in models_written:  # the run's folder was moved, with its robot beside it
        gymnasium.registry.pop("Walker-v0", None)
        moved = str(there / model.removeprefix("runs/"))
        assert evaluate.main([moved, "--seeds", "1", "--option", "max_episode_steps=20"]) == 0
    assert "has changed since" not in capsys.readouterr().err
    monkeypatch.undo()
    monkeypatch.chdir(there)
    monkeypatch.setattr(own_check, "SHAKEN", 1.0)
    text = (there / "walker.urdf").read_text()
    (there / "walker.urdf").write_text(text.replace('effort="2.5"', 'effort="2.4"'))
    assert evaluate.main(["Walker-v0-0/best", "--seeds", "1", "--option", "max_episode_steps=20"]) == 0
    assert "walker.urdf: the robot is another than the policy was trained with" in capsys.readouterr().err
    again = ["--env", "walker.urdf", "--plain", "--out", ".", "--resume", "--steps", "64"]
    again += [*SMALL.split()[:2], *SMALL.split()[4:]]
    assert "a file of the robot walker.urdf has changed since" in said(train.main, again, capsys)
    (there / "walker.urdf").write_text(text)
    assert train.main(again) == 0
    (there / "walker.urdf").rename(there / "other.urdf")
    gymnasium.registry.pop("Walker-v0")
    words = ["Walker-v0-0/best", "--seeds", "1", "--option", "max_episode_steps=20"]
    # two folders up if the resumed training's policy is the best, three if it is the first's: either is right
    assert re.search(r"the stored robot (\.\./){2,3}walker\.urdf is not there", said(evaluate.main, words, capsys))
    (there / "sub").mkdir()
    (there / "other.urdf").rename(there / "sub" / "walker.urdf")
    assert evaluate.main([*words, "--env", "sub/walker.urdf"]) == 0


def test_a_training_begins_with_a_policy_of_the_same_file(here, capsys):
    pytest.importorskip("stable_baselines3", reason="it needs the extra `rl`")
    mine = shutil.copy(models.EXAMPLE.with_name("quadruped.xml"), here / "four.xml")
    assert train.main(["--env", "four.xml", *SMALL.split()]) == 0
    (here / "runs" / "Four-v0-0").rename(here / "first")
    still = SMALL.replace("n_epochs=1", "n_epochs=1 learning_rate=1e-12")  # which leaves the policy as it is
    further = ["--env", "four.xml", "--start", "first/best", *still.split()]
    assert train.main(further) == 0
    assert "has changed since" not in capsys.readouterr().err
    first, then = (TrainedPolicy(here / place) for place in ("first/best", "runs/Four-v0-0/best"))
    seen = np.linspace(-0.5, 0.5, len(first.mean))
    np.testing.assert_allclose(then(seen, {}), first(seen, {}), atol=1e-5)
    mine.write_text(mine.read_text().replace('kp="', 'kp="1'))
    assert train.main([*further, "--out", "other"]) == 0
    assert "four.xml: the robot is another than the policy was trained with" in capsys.readouterr().err
    shutil.copy(SIX, here / "six.urdf")
    assert train.main(["--env", "six.urdf", *further[2:]]) == 2
    assert "environment was 'Four-v0', asked for is 'Six-v0'" in capsys.readouterr().err


def test_a_robot_that_another_process_registered_is_not_tried_again(here, monkeypatch):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RobotWarning)
        name = environments.asked_for(shutil.copy(SIX, here / "walker.urdf"))
    sent = pickle.loads(pickle.dumps(robot_files.files()))
    gymnasium.registry.pop(name)
    monkeypatch.setattr(own_verdict, "examined", None)
    robot_files.adopt(sent)
    assert environments.asked_for("walker.urdf") == name
    gymnasium.make(name).close()
    (here / "walker.urdf").write_text(SIX.read_text() + "<!-- edited -->")
    with pytest.raises(TypeError):
        environments.asked_for("walker.urdf")


def test_a_baseline_is_searched_for_a_file_and_registers_it(here):
    words = [str(SIX), "--num-envs", "8", "--generations", "1", "--steps", "20", "--threads", "1"]
    assert search.main(["baseline", *words, "--out", "it"]) == 0
    assert json.loads((here / "it" / "result.json").read_text())["result"]["tried"] == 16
    assert baseline.BaselineSearch(str(SIX)).total == 1984  # episodes of 5 s, whatever they find
    own_robot.register("Sines-v0", SIX, baseline="it/found.npz", check=False)
    options, there = gymnasium.spec("Sines-v0").kwargs, np.load("it/found.npz")
    assert options["baseline"].shape == (24, 18) and (options["baseline"] == there["baseline"]).all()
    assert options["baseline_period"] == there["baseline_period"]


def test_every_verb_takes_a_robot_with_a_baseline_that_was_found(here, capsys):
    shutil.copy(SIX, here / "walker.urdf")
    table = 0.05 * np.sin(2 * np.pi * np.arange(24) / 24)[:, None] * np.ones(18)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RobotWarning)
        stored = json.dumps(robot_files.to_store(environments.asked_for("walker.urdf")))
    (here / "it").mkdir()
    np.savez("it/sines.npz", baseline=table, baseline_period=0.8, robot=stored)
    named = ["--env", "it/sines.npz"]
    assert evaluate.main(["zero", *named, "--seeds", "1", "--option", "max_episode_steps=20"]) == 0
    options = gymnasium.spec("Sines-v0").kwargs
    assert (options["baseline"] == table).all() and options["baseline_period"] == 0.8
    assert certify.main(["zero", *named, "--seeds", "1", "--seconds", "0.4", "--jobs", "1"]) == 0
    if importlib.util.find_spec("stable_baselines3"):
        assert train.main([*named, "--plain", *SMALL.split()]) == 0
        (here / "moved").mkdir()
        for name in ("walker.urdf", "it/sines.npz", "runs/Sines-v0-0"):
            (here / name).rename(here / "moved" / (here / name).name)
        gymnasium.registry.pop("Sines-v0")
        best = "moved/Sines-v0-0/best"
        assert evaluate.main([best, "--seeds", "1", "--option", "max_episode_steps=20"]) == 0
        assert (gymnasium.spec("Sines-v0").kwargs["baseline"] == table).all()
        if importlib.util.find_spec("onnx"):
            assert export.main([best]) == 0
    np.savez("bare.npz", baseline=table, baseline_period=0.8)
    assert "bare.npz names no robot's file" in said(evaluate.main, ["zero", "--env", "bare.npz"], capsys)
    np.savez("itself.npz", robot=json.dumps({"environment": "itself.npz", "robot": {"sha256": ""}}))
    assert "itself.npz is none" in said(evaluate.main, ["zero", "--env", "itself.npz"], capsys)
    words = ["zero", "--env", "moved/walker.urdf", "--option", "baseline=it/sines.npz"]
    assert evaluate.main(words) == 2 and "the robot with it in `--env found.npz`" in capsys.readouterr().err
