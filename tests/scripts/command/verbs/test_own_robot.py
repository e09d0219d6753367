"""Every verb takes a robot of the user's own, from a module in the folder that the command is given in."""

import os
import subprocess
import sys

import gymnasium
import numpy as np
import pytest

import tarsus
from tarsus.scripts.command.verbs import certify, evaluate, export, search, train
from tarsus.scripts.library.certificates import settings
from tarsus.scripts.library.learning import loading, planning, playing
from tarsus.scripts.library.learning.wrappers import with_friction

pytest.importorskip("stable_baselines3", reason="it needs the extra `rl`")

MODULE = """
from tarsus.envs import own_robot
from tarsus.mjcf.own_robot import EXAMPLE
import numpy as np

TABLE = 0.1 * np.sin(2 * np.pi * np.arange(8) / 8)[:, None] * np.array([1, 0, -1, 0, -1, 0, 1, 0])
FEET = ("FL", "FR", "RL", "RR")
options = dict(reach=0.5, baseline=TABLE, baseline_period=0.5, max_episode_steps=50)
own_robot.register("Setter-v0", EXAMPLE.with_name("quadruped.xml"), FEET, **options)
"""
SMALL = "--num-envs 2 --steps 32 --algorithm-set n_steps=16 batch_size=16 n_epochs=1 --threads 1"


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder with a module that registers a robot."""
    (tmp_path / "setters.py").write_text(MODULE)
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    sys.modules.pop("setters", None)
    gymnasium.registry.pop("Setter-v0", None)


def test_it_is_trained_in_a_fresh_process_and_judged_in_others(here, capsys):
    command = [sys.executable, "-m", "tarsus.scripts.command.cli", "train", "--env", "setters:Setter-v0"]
    environ = os.environ | {"OMP_NUM_THREADS": "1"}
    done = subprocess.run([*command, *SMALL.split()], capture_output=True, text=True, env=environ, check=False)
    assert done.returncode == 0, done.stderr
    best, named = "runs/Setter-v0-0/best", ["--env", "setters:Setter-v0"]
    assert evaluate.main([best, *named, "--seeds", "2", "--jobs", "2"]) == 0
    assert "2 episodes" in capsys.readouterr().out
    assert export.main([best, *named]) == 0
    assert certify.main([best, *named, "--seeds", "1", "--seconds", "0.4", "--jobs", "1"]) == 0
    out = capsys.readouterr().out
    assert "friction x 0.8" in out and "exact against reference" in out and "verdict: " in out


def test_the_file_of_a_run_goes_with_an_environment_of_a_module(here):
    (here / "mine.toml").write_text('environment = "Setter-v0"\nnum_envs = 2\n[options]\ntypical_speed = 0.3')
    asked = train.asked_by(train.parser().parse_args(["mine.toml", "--env", "setters:Setter-v0"]))
    run = planning.described(asked)
    assert (run.environment, run.num_envs, run.options) == ("Setter-v0", 2, {"typical_speed": 0.3})
    assert str(asked.folder) == "runs/mine-0"


def test_a_baseline_is_searched_and_is_one_to_register_with(here, capsys):
    words = ["setters:Setter-v0", "--num-envs", "8", "--generations", "1", "--steps", "50", "--threads", "1"]
    assert search.main(["baseline", *words, "--out", "found"]) == 0
    out = capsys.readouterr().out
    assert "return of 50 steps" in out and "| phase of row 1 [turn] |" in out
    with np.load("found/found.npz") as found:
        table, period = found["baseline"], float(found["baseline_period"])
    assert table.shape == (24, 8) and 0.3 <= period <= 1.5 and np.abs(table).max() > 0.01
    again = tarsus.search("baseline", env="setters:Setter-v0", num_envs=8, generations=1, steps=50, threads=1)
    np.testing.assert_array_equal(again.made["baseline"], table)
    assert again.best["period"] == again.made["baseline_period"] == period
    env = gymnasium.make("Setter-v0", baseline=table, baseline_period=period)
    env.reset(seed=0)
    env.step(np.zeros(9, np.float32))
    ahead = 24 * 0.002 / period  # of a row: it is asked a timestep ahead
    np.testing.assert_allclose(env.unwrapped.task.asked * 0.5, table[0] + ahead * (table[1] - table[0]), atol=1e-6)


def test_a_search_needs_a_robot_of_the_user_s_own_with_driven_legs(here, capsys):
    assert search.main(["baseline", "Hexapod-v0"]) == 2
    assert "Hexapod-v0 is no robot of the user's own" in capsys.readouterr().err
    assert search.main(["baseline", "setters:Getter-v0"]) == 2
    assert "unknown environment 'Getter-v0'; there are" in capsys.readouterr().err


def test_a_class_of_the_user_s_own_is_trained_and_certified_too(here, capsys):
    text = "import gymnasium\nfrom tests.quadruped import QuadrupedEnv, QuadrupedVectorEnv\n"
    text += "gymnasium.register('Fourfoot-v0', QuadrupedEnv, vector_entry_point=QuadrupedVectorEnv, "
    (here / "fourfoot.py").write_text(text + "max_episode_steps=50)\n")
    try:
        assert train.main(["--env", "fourfoot:Fourfoot-v0", *SMALL.split()]) == 0
        words = ["--env", "fourfoot:Fourfoot-v0", "--seeds", "1", "--seconds", "0.2", "--jobs", "1"]
        assert certify.main(["runs/Fourfoot-v0-0/best", *words]) == 0
    finally:
        gymnasium.registry.pop("Fourfoot-v0", None)
        sys.modules.pop("fourfoot", None)


def ground_of(env):
    """Return the coefficient of friction of the ground that an environment's feet touch."""
    env.reset(seed=0)
    return env.unwrapped.model.geom("ground").friction[0]


def test_the_friction_that_a_verb_is_told_comes_back_with_the_policy(here, capsys):
    """It is an option of the environment, so that it goes wherever these go."""
    named = ["--env", "setters:Setter-v0"]
    assert train.main([*named, "--friction", "0.3", *SMALL.split()]) == 0
    best = "runs/Setter-v0-0/best"
    assert ground_of(gymnasium.make("Setter-v0")) == 1.0
    for friction, ground in ((None, 0.3), (0.5, 0.5)):
        found = loading.load(best, None, with_friction({}, friction))
        assert ground_of(playing.begin(found, 0)[0]) == ground
    words = ["--env", "setters:Setter-v0", "--friction", "0.5", "--seeds", "1"]
    assert evaluate.main([best, *words]) == 0 and export.main([best, *words[:4], "--out", "made"]) == 0
    assert ground_of(playing.begin(loading.load("made/policy.onnx", None, {}), 0)[0]) == 0.5
    config = gymnasium.make("Setter-v0", friction=0.5).unwrapped.config
    frictions = {setting.name: setting.options for setting in settings.fan(config)}
    assert ground_of(gymnasium.make("Setter-v0", **{"friction": 0.5} | frictions["friction x 0.8"])) == 0.4
    assert train.main([*named, "--friction", "0.4", *SMALL.split(), "--resume"]) == 2
    assert "friction" in capsys.readouterr().err
    assert evaluate.main(["zero", "--friction", "0.5"]) == 2
    assert "of the robot randomise={'friction_coeff': (0.5, 0.5)} halves" in capsys.readouterr().err
    with pytest.raises(ValueError, match="friction must not be negative"):
        gymnasium.make("Setter-v0", friction=-1.0)
