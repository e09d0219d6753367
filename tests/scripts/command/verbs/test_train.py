"""`tarsus train` makes of a command line, or of a file of one's own, the run that it says."""

import json
import os
import re
from dataclasses import replace

import numpy as np
import pytest

from tarsus.scripts.command.verbs import train
from tarsus.scripts.library.learning import planning, training_runs
from tarsus.scripts.library.learning.training_runs import PPO, SAC, TrainingRun

pytest.importorskip("stable_baselines3", reason="it needs the extra `rl`")

from tarsus.scripts.library.learning import checkpoint, training  # noqa: E402

OWN = """
environment = "SlipLeg-v1"
total_steps = 5000
num_envs = 8
[options]
max_episode_steps = 100
[settings]
n_steps = 32
"""


def asked(words: str) -> TrainingRun:
    args = train.parser().parse_args(words.split())
    return planning.described(train.asked_by(args))


def test_a_run_is_changed_by_options_of_the_environment_and_keywords_of_the_algorithm():
    words = "hexapod-gait --option terrain=rough --algorithm-set n_steps=128 learning_rate=3e-4"
    run = asked(f"{words} --steps 1000 --num-envs 4")
    assert run.options == {"action_mode": "gait", "terrain": "rough"}
    assert run.settings == PPO | {"n_steps": 128, "learning_rate": 3e-4}
    assert (run.total_steps, run.num_envs, run.algorithm, run.normalise) == (1000, 4, "PPO", True)


def test_an_environment_is_trained_with_our_settings_or_with_the_librarys():
    assert asked("--env SlipLeg-v1 --algorithm sac").settings == SAC
    plain = asked("--env Hexapod-v0 --plain --algorithm-set gamma=0.98")
    assert (plain.settings, plain.normalise, plain.num_envs) == ({"gamma": 0.98}, False, 16)
    assert asked("hexapod --algorithm sac --plain").settings == {}


def test_a_run_of_one_s_own_is_a_small_file(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(OWN)
    run = asked(str(path))
    assert (run.environment, run.total_steps, run.num_envs) == ("SlipLeg-v1", 5000, 8)
    assert (run.options, run.settings) == ({"max_episode_steps": 100}, {"n_steps": 32})
    path.write_text('environment = "HoppingLeg-v1"\nalgorithm = "SAC"')
    assert asked(str(path)).settings == SAC


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("environment = ", "mine.toml is no TOML"),
        ("total_steps = 3", "mine.toml must name its environment"),
        ('environment = "Hexapod-v0"\nsteps = 3', "unknown entry 'steps'; there are environment, options"),
        ('environment = "Hexapod-v0"\nnum_envs = 0', "num_envs must be"),
        ('environment = "Hexapod-v0"\nnum_envs = "2"', "num_envs must be"),
        ('environment = "Hexapod-v0"\noptions = 3', "options must be a table of names and values, got 3"),
        ('environment = "Hexapod-v0"\nnormalise = 3', "normalise must be true or false, got 3"),
        ('environment = "Hexapod-v0"\nalgorithm = "DQN"', "unknown algorithm 'DQN'; there are PPO, SAC"),
    ],
)
def test_a_file_that_describes_no_run_is_refused(tmp_path, text, sentence):
    path = tmp_path / "mine.toml"
    path.write_text(text)
    with pytest.raises(ValueError, match=sentence):
        asked(str(path))


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("", "takes a run or --env NAME; runs are hexapod,"),
        ("hexapod --env Hexapod-v0", "takes a run or --env NAME"),
        ("--env Ant-v5", "unknown environment 'Ant-v5'; there are Hexapod-v0"),
        ("hexapod --algorithm-set steps=3", "PPO has no setting 'steps'; there are learning_rate, n_steps"),
        ("hexapod --algorithm-set env=3", "PPO has no setting 'env'"),
        ("hexapod --option terain=rough", "Hexapod-v0 does not take these options: .*terain"),
        ("nothing.toml", "No such file"),
    ],
)
def test_what_cannot_be_trained_is_refused(words, sentence, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert train.main(words.split()) == 2
    assert re.search(sentence, capsys.readouterr().err)


def test_a_policy_of_observations_as_they_are_is_the_model(tmp_path):
    run = TrainingRun("HoppingLeg-v1", settings=dict(n_steps=8, batch_size=32), num_envs=4, normalise=False)
    model, normaliser = training.build(run, 0, tmp_path, resume=False, n_threads=1)
    checkpoint.save(tmp_path / "made", run, 0, model, normaliser)
    policy = checkpoint.TrainedPolicy(tmp_path / "made")
    observation = 20.0 * np.random.default_rng(0).normal(size=(5, *model.observation_space.shape)).astype(np.float32)
    expected, _ = model.predict(observation, deterministic=True)
    np.testing.assert_allclose(policy(observation), expected, atol=1e-5)


def test_a_checkpoint_of_before_normalisation_was_a_choice_goes_on(tmp_path):
    run = training_runs.find("hexapod")
    made = training_runs.as_dict(run)
    del made["normalise"]
    (tmp_path / "run.json").write_text(json.dumps(made))
    checkpoint.check(tmp_path, run)
    with pytest.raises(ValueError, match="normalise was True, asked for is False"):
        checkpoint.check(tmp_path, asked("hexapod --plain"))


def test_threads_are_as_many_as_processors_are_idle(monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: set(range(8)), raising=False)
    for load, threads in ((0.0, 6), (4.8, 3), (30.0, 1)):
        monkeypatch.setattr(os, "getloadavg", lambda load=load: (load, 0.0, 0.0), raising=False)
        assert training.idle_processors(6) == threads


SHORT = dict(settings=dict(n_steps=8, batch_size=32, n_epochs=1), num_envs=4, total_steps=64)


def test_the_bar_shows_what_training_earns_and_evaluations_have_the_threads(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(training, "EVAL_ENVS", 1)
    made, make = [], training.environments
    monkeypatch.setattr(training, "environments", lambda *rest: made.append(rest[1:]) or make(*rest))
    training.train(
        TrainingRun("HoppingLeg-v1", dict(max_episode_steps=5), **SHORT), 0, tmp_path, eval_every=10**9, n_threads=3
    )
    assert made == [(4, 3), (1, 3)]
    shown = capsys.readouterr().err
    assert "length=5" in shown and re.search(r"with noise=-?\d+\.\d", shown) and "return=" not in shown
    assert "first evaluation=1,000,000,000" in shown


def test_the_return_of_the_bar_is_that_of_the_last_evaluation_also_of_a_training_that_goes_on(tmp_path, capsys):
    run = TrainingRun("HoppingLeg-v1", dict(max_episode_steps=5), **SHORT)
    for steps in (64, 96):
        training.train(replace(run, total_steps=steps), 0, tmp_path, eval_every=32, n_threads=1, resume=steps == 96)
        with np.load(tmp_path / "evaluations.npz") as stored:
            last = stored["results"][-1].mean()
        assert f"return={last:.1f}" in capsys.readouterr().err
    judge = training.evaluations(run, 0, tmp_path, 32, 1)
    training.carry_over(judge, tmp_path)
    assert judge.last_mean_reward == last <= judge.best_mean_reward + 1e-6  # Stable-Baselines3 takes means in float32


def test_a_training_in_which_no_episode_ends_says_so():
    run = TrainingRun("HoppingLeg-v1", dict(max_episode_steps=16), **SHORT)
    assert not planning.too_short(run)
    said = planning.too_short(replace(run, options=dict(max_episode_steps=17)))
    assert said.startswith("64 steps of 4 simulations are 16 of each, an episode has 17: none ends by its time")


def test_a_typo_is_told_before_that_there_is_a_training_already(tmp_path, capsys):
    (tmp_path / "hexapod-0" / "latest").mkdir(parents=True)
    assert train.main(["hexapod", "--out", str(tmp_path), "--option", "terain=rough"]) == 2
    assert "terain" in capsys.readouterr().err
    assert train.main(["hexapod", "--out", str(tmp_path), "--option", "terrain=rough"]) == 2
    assert "hexapod-0 exists; --resume goes on" in capsys.readouterr().err
