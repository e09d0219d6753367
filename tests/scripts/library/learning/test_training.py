"""Training, checkpoints and evaluation, with runs of a few steps."""

import json
from dataclasses import replace

import gymnasium
import numpy as np
import pytest

import tarsus
from tarsus.envs import ENVIRONMENTS, SURROGATES
from tarsus.scripts.library.learning import evaluation, policies, training_runs
from tarsus.scripts.library.learning.training_runs import RUNS, TrainingRun, differences

stable_baselines3 = pytest.importorskip("stable_baselines3", reason="it needs the extra `rl`")

from tarsus.scripts.library.learning import checkpoint, training  # noqa: E402
from tarsus.scripts.library.learning.stable import StableVectorEnv  # noqa: E402

TINY = TrainingRun(
    "Hexapod-v0",
    {"action_mode": "gait"},
    settings=dict(n_steps=8, batch_size=32, n_epochs=1, policy_kwargs=dict(net_arch=[8])),
    num_envs=4,
    total_steps=64,
)
TINY_SAC = replace(
    TINY,
    algorithm="SAC",
    settings=dict(learning_starts=16, batch_size=16, gradient_steps=1, policy_kwargs=dict(net_arch=[8])),
)


@pytest.fixture(autouse=True)
def short_evaluations(monkeypatch):
    monkeypatch.setattr(training, "EVAL_ENVS", 1)


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """A tiny trained policy."""
    folder = tmp_path_factory.mktemp("run")
    training.train(TINY, 0, folder, eval_every=10**9, n_threads=1, progress=False)
    return folder


def test_a_learning_rate_of_two_numbers_falls_in_a_straight_line():
    settings = training_runs.for_algorithm(dict(learning_rate=(1e-3, 1e-4), gamma=0.98))
    rate = settings["learning_rate"]
    assert settings["gamma"] == 0.98 and [rate(1.0), rate(0.5), rate(0.0)] == pytest.approx([1e-3, 5.5e-4, 1e-4])


def test_the_view_ends_episodes_as_stable_baselines_wants():
    envs = gymnasium.make_vec(
        "Hexapod-v0", 2, vectorization_mode="vector_entry_point", autoreset_mode="SameStep", max_episode_steps=3
    )
    view = StableVectorEnv(envs)
    view.seed(4)
    first = view.reset()
    for _ in range(3):
        observation, reward, done, infos = view.step(np.zeros((2, 6), np.float32))
    assert done.all() and reward.dtype == np.float32 and all(info["TimeLimit.truncated"] for info in infos)
    single = gymnasium.make("Hexapod-v0", max_episode_steps=3)
    np.testing.assert_array_equal(single.reset(seed=5)[0], first[1])  # seeds follow on
    for _ in range(3):
        last = single.step(np.zeros(6, np.float32))[0]
    np.testing.assert_array_equal(infos[1]["terminal_observation"], last)
    np.testing.assert_array_equal(observation[1], single.reset()[0])
    with pytest.raises(ValueError, match="needs autoreset_mode='SameStep', got AutoresetMode.NEXT_STEP"):
        StableVectorEnv(gymnasium.make_vec("Hexapod-v0", 2, vectorization_mode="vector_entry_point"))


def test_the_view_tells_what_left_the_terrain_from_what_fell():
    envs = gymnasium.make_vec(
        "Hexapod-v0", 2, vectorization_mode="vector_entry_point", autoreset_mode="SameStep", terrain="sinusoid"
    )
    view = StableVectorEnv(envs)
    view.reset()
    qpos = envs.task.data.qpos.copy()
    qpos[0, 0] += 25.0
    qpos[1, 2:7] = 1.0, np.cos(0.6), np.sin(0.6), 0.0, 0.0
    envs.reset(options={"qpos": qpos})
    left, fell = view.step(np.zeros((2, 6), np.float32))[3]
    assert left["TimeLimit.truncated"] and (left["termination"], left["truncation"]) == ("", "left the terrain")
    assert not fell["TimeLimit.truncated"] and fell["termination"].startswith("toppled") and not fell["truncation"]


def test_a_checkpoint_has_model_normalisation_settings_and_policy(trained):
    assert {path.name for path in (trained / "latest").iterdir()} == {
        "model.zip",
        "normaliser.pkl",
        "policy.npz",
        "run.json",
    }
    about = json.loads((trained / "latest" / "run.json").read_text())
    assert about["steps"] == 64 and about["options"] == {"action_mode": "gait"} and "mujoco" in about["versions"]
    assert (trained / "log-0" / "progress.csv").exists() and list(trained.glob("log-0/events.out.tfevents*"))


@pytest.mark.parametrize("run", [TINY, TINY_SAC], ids=["PPO", "SAC"])
def test_the_policy_without_torch_is_the_model_with_its_normalisation(run, tmp_path):
    model, normaliser = training.build(run, 0, tmp_path, resume=False, n_threads=1)
    model.learn(run.total_steps)
    checkpoint.save(tmp_path / "made", run, 0, model, normaliser)
    policy = checkpoint.TrainedPolicy(tmp_path / "made")
    observation = np.random.default_rng(0).normal(size=(5, *model.observation_space.shape)).astype(np.float32)
    expected, _ = model.predict(normaliser.normalize_obs(observation), deterministic=True)
    np.testing.assert_allclose(policy(observation), expected, atol=1e-5)


def test_a_resumed_training_goes_on_where_it_stopped(trained, tmp_path):
    (tmp_path / "latest").mkdir()
    for path in (trained / "latest").iterdir():
        (tmp_path / "latest" / path.name).write_bytes(path.read_bytes())
    training.train(replace(TINY, total_steps=96), 0, tmp_path, resume=True, n_threads=1, progress=False)
    assert checkpoint.settings(tmp_path / "latest")["steps"] == 96
    assert tarsus.load(tmp_path).index.tolist() == [96]  # what it ended with is judged, though none was due
    with pytest.raises(ValueError, match="has 96 steps already, and 90 were asked for"):
        training.train(replace(TINY, total_steps=90), 0, tmp_path, resume=True, n_threads=1, progress=False)


def test_a_checkpoint_for_other_settings_is_refused_with_the_differences(trained):
    other = replace(
        TINY, options={"action_mode": "gait", "terrain": "rough"}, settings={**TINY.settings, "n_steps": 16}
    )
    with pytest.raises(ValueError) as refusal:
        training.build(other, 0, trained, resume=True, n_threads=1)
    message = str(refusal.value)
    assert "made for other settings" in message and "settings.n_steps was 8, asked for is 16" in message
    assert "options.terrain was 'the default', asked for is 'rough'" in message and "action_mode" not in message


def test_a_missing_checkpoint_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match="there is no checkpoint in .*latest"):
        training.build(TINY, 0, tmp_path, resume=True, n_threads=1)


def test_evaluations_use_the_checkpoints_own_options(trained):
    path = str(trained / "latest")
    _, environment, options = policies.find(path, None, {"terrain": "slope"})
    assert environment == "Hexapod-v0" and options == {"action_mode": "gait", "terrain": "slope"}
    with pytest.raises(ValueError, match="made for other settings: action_mode was 'gait', asked for is 'torque'"):
        policies.find(path, None, {"action_mode": "torque"})
    with pytest.raises(ValueError, match="environment was 'Hexapod-v0', asked for is 'BigAnt-v1'"):
        policies.find(path, "BigAnt-v1", {})


def test_training_the_same_seed_gives_the_same_policy(trained, tmp_path):
    training.train(TINY, 0, tmp_path, eval_every=10**9, n_threads=1, progress=False)
    with np.load(trained / "latest" / "policy.npz") as a, np.load(tmp_path / "latest" / "policy.npz") as b:
        for name in a.files:
            np.testing.assert_array_equal(a[name], b[name])


def test_evaluation_reports_what_the_clock_does():
    episode = evaluation.run_episode("clock", None, {"reset_noise": 0.0}, seed=0)
    assert episode.speed == pytest.approx(0.262, rel=0.03) and episode.fell == 0 and episode.length == 20.0
    assert 0.05 < episode.cost_of_transport < 0.5
    assert episode.total > evaluation.run_episode("zero", None, {}, seed=0).total


def test_the_documents_torques_walk_at_the_default_period_and_topple_at_a_longer_one():
    """An episode has the same seconds, whatever the control period."""
    episode = evaluation.run_episode("PD", None, {"reset_noise": 0.0}, seed=0)
    assert episode.speed == pytest.approx(0.265, rel=0.03) and episode.fell == 0 and episode.length == 20.0
    assert evaluation.run_episode("PD", None, {"ctrl_dt": 0.006}, seed=0).fell == 1
    assert evaluation.run_episode("PD", None, {"max_episode_steps": 10}, seed=0).length == pytest.approx(0.02)


@pytest.mark.parametrize("name", {**ENVIRONMENTS, **SURROGATES})
def test_every_environment_can_be_evaluated(name):
    episode = evaluation.run_episode("random", name, {}, seed=0)
    assert np.isfinite([episode.total, episode.length, episode.speed]).all() and episode.length > 0


def test_unknown_names_are_refused_with_what_exists():
    with pytest.raises(ValueError, match="unknown policy 'dance'; `tarsus evaluate` alone lists the names"):
        policies.find("dance", None, {})
    with pytest.raises(ValueError, match="unknown training run 'walk'; there are .*hexapod"):
        training_runs.find("walk")
    with pytest.raises(ValueError, match="made for other settings: action_mode was 'velocity', asked for is 'gait'"):
        policies.find("clock", None, {"action_mode": "gait"})


def test_cells_show_mean_spread_and_falls():
    one = evaluation.Episode(100.0, 20.0, 0.25, np.nan, 0.0)
    two = replace(one, total=110.0, fell=1.0)
    assert evaluation.cells([one, two]) == ["105 ± 5", "20.0 ± 0.0", "0.250 ± 0.000", "-", "1 of 2"]


def test_what_is_no_fall_stands_behind_the_falls():
    one = evaluation.Episode(100.0, 20.0, 0.25, np.nan, 0.0)
    left = replace(one, end="left the terrain")
    assert evaluation.cells([one, left, replace(one, fell=1.0), left])[-1] == "1 of 4; 2 left the terrain"


def far(task):
    return np.hypot(*task.here.T) > 0.2


@pytest.mark.parametrize(
    "options, end", [({"terrain": "sinusoid"}, "left the terrain"), ({"terminate": {"far enough": far}}, "far enough")]
)
def test_a_robot_that_stands_where_its_episode_ends_has_not_fallen(options, end, monkeypatch):
    monkeypatch.setattr("tarsus.envs.task.EDGE", 0.2)
    episode = evaluation.run_episode("walk", None, options, seed=0)
    assert episode.fell == 0.0 and episode.end == end and episode.length < 5.0


@pytest.mark.parametrize("name", RUNS)
def test_every_run_names_an_environment_and_settings_that_exist(name):
    run = RUNS[name]
    envs = gymnasium.make_vec(run.environment, 1, vectorization_mode="vector_entry_point", **run.options)
    algorithm = getattr(stable_baselines3, run.algorithm)
    assert envs.single_action_space.shape and set(run.settings) <= set(algorithm.__init__.__code__.co_varnames)


def test_differences_are_listed_entry_by_entry():
    made = {"a": 1, "b": {"c": (1, 2), "d": 3}}
    assert differences(made, {"a": 1, "b": {"c": [1, 2], "d": 3}}) == []
    assert differences(made, {"a": 2, "b": {"c": [1, 2]}}) == [
        "a was 1, asked for is 2",
        "b.d was 3, asked for is 'the default'",
    ]
    with pytest.raises(ValueError, match="unknown algorithm 'A2C'; there are PPO, SAC"):
        replace(TINY, algorithm="A2C")
