"""The recipes in docs/recipes run and learn, and what they compute is as defined."""

import importlib.util
import sys
from pathlib import Path

import gymnasium
import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="it needs the extra `rl`")
from tarsus.scripts.library.learning import loading  # noqa: E402

PATH = Path(__file__).parents[1] / "docs" / "recipes" / "ppo.py"


@pytest.fixture(scope="module")
def ppo():
    spec = importlib.util.spec_from_file_location("ppo", PATH)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_few_updates_change_the_policy_which_the_verbs_take(ppo, capsys, tmp_path):
    agent = ppo.train("HoppingLeg-v1", 4, 3 * 64, seed=0, n_steps=16, max_episode_steps=10, **LEG)
    agent.save(tmp_path, environment="HoppingLeg-v1", options=LEG)
    assert loading.load(str(tmp_path), None, {}) is not None
    assert capsys.readouterr().out.count("reward of a step") == 3
    assert agent.count == pytest.approx(3 * 64, rel=1e-3)
    assert not torch.allclose(agent.log_std, torch.tensor(-1.0)) and torch.isfinite(agent.moments).all()


def test_moments_are_those_of_all_observations(ppo):
    agent, generator = ppo.Agent(3, 2), torch.Generator().manual_seed(0)
    agent.count = 0.0
    parts = [5.0 + 2.0 * torch.randn(n, 3, generator=generator) for n in (4, 50, 7)]
    for part in parts:
        agent.see(part)
    everything = torch.cat(parts)
    expected = torch.stack([everything.mean(0), everything.var(0, correction=0)])
    torch.testing.assert_close(agent.moments, expected)


def test_advantages_are_discounted_sums_within_an_episode(ppo):
    rewards, values = torch.tensor([[1.0], [2.0], [4.0]]), torch.tensor([[0.5], [1.5], [2.5]])
    ended, next_values = (
        torch.tensor([[0.0], [1.0], [0.0]]),
        torch.tensor([[1.5], [0.0], [3.0]]),
    )  # the second terminated
    found = ppo.advantages(rewards, values, next_values, ended)
    second, third = 2.0 - 1.5, 4.0 + ppo.GAMMA * 3.0 - 2.5
    first = 1.0 + ppo.GAMMA * 1.5 - 0.5 + ppo.GAMMA * ppo.LAMBDA * second
    torch.testing.assert_close(found, torch.tensor([[first], [second], [third]]))


def recipe(name):
    """Return the module of a recipe for Stable-Baselines3."""
    pytest.importorskip("stable_baselines3", reason="it needs the extra `rl`")
    spec = importlib.util.spec_from_file_location(name, PATH.with_name(f"{name}.py"))
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # where dataclasses look their types up
    spec.loader.exec_module(module)
    return module


def asked(task):
    """Return how near the first action is to one half, squared, negative."""
    return -((task.action[..., 0] - 0.5) ** 2)


LEG = {"action_mode": "torque", "scaled": False}
QUICK = {"n_steps": 64, "batch_size": 64, "gamma": 0.5, "learning_rate": 3e-3}
ALONE = dict.fromkeys(("forward", "healthy", "power", "action_change"), 0.0)  # for a reward of one's own


def gravity_and_asked(task):
    """Return a reward that depends on what only the critic sees, more than on anything else."""
    return 0.5 * (task.entry("g")[..., 0] - 9.81) + asked(task)


def test_a_critic_that_sees_more_knows_more_and_the_policy_learns():
    asymmetric = recipe("asymmetric")
    options = LEG | dict(randomise={"g": (0.5, 1.5)}, rewards={"own": (1.0, gravity_and_asked)}, reward_weights=ALONE)
    options |= {"privileged": ("g",), "observations": ("pitch",), "max_episode_steps": 8}
    model = asymmetric.train("HoppingLeg-v1", 8, 6_000, 0, QUICK, **options)
    known = model.logger.name_to_value["train/explained_variance"]
    seen = np.zeros((1, model.observation_space.shape[0] - 1), np.float32)
    assert abs(asymmetric.act(model, seen)[0, 0] - 0.5) < 0.3 and known > 0.8  # it began at zero
    unseen = {"privileged": ("pitch",)}  # what the policy sees as well
    blind = asymmetric.train("HoppingLeg-v1", 8, 6_000, 0, QUICK, **options | unseen)
    assert blind.logger.name_to_value["train/explained_variance"] < known - 0.2


def test_privileged_entries_stand_behind_the_observation_also_at_the_end_of_an_episode():
    asymmetric = recipe("asymmetric")
    options = LEG | {"privileged": ("g", "pitch"), "max_episode_steps": 3, "autoreset_mode": "SameStep"}
    envs = asymmetric.WithPrivileged(
        gymnasium.make_vec("HoppingLeg-v1", 2, vectorization_mode="vector_entry_point", **options)
    )
    observation, info = envs.reset(seed=0)
    assert observation.shape == envs.observation_space.shape and np.allclose(observation[:, envs.n_seen], 9.81)
    for _ in range(3):
        observation, _, _, truncated, info = envs.step(np.zeros((2, 2)))
    assert truncated.all() and info["final_obs"][0].shape == observation[0].shape
    np.testing.assert_array_equal(info["final_obs"][1][envs.n_seen :], info["final_info"]["privileged"][1])
    assert not np.allclose(info["final_obs"][1], observation[1])


def wave(task):
    """Return a wave of 50 ms, shape (..., 1)."""
    return np.sin(2 * np.pi * task.data.time / 0.05).reshape(*task.shape, 1)


def follows(task):
    """Return how near the first action is to the wave, squared, negative."""
    return -((task.action[..., 0] - wave(task)[..., 0]) ** 2)


def test_a_policy_that_sees_a_few_late_observations_makes_up_for_the_delay():
    history = recipe("history")
    options = LEG | dict(observe={"wave": (1, 2.0, wave)}, observations=("wave",), rewards={"own": (1.0, follows)})
    options |= {"reward_weights": ALONE, "max_episode_steps": 30}
    mean = {}
    for frames in (1, 3):
        model = history.train("HoppingLeg-v1", 8, 12_000, 3, frames, QUICK, **options)
        envs = model.get_env()
        seen, rewards = envs.reset(), []
        for _ in range(30):
            seen, _, _, _ = envs.step(model.predict(seen, deterministic=True)[0])
            rewards.append(envs.get_original_reward().mean())
        mean[frames] = np.mean(rewards)
    assert mean[3] > -0.08 and mean[1] < mean[3] - 0.1, mean  # one late observation has the wave rise and fall


def test_late_observations_are_those_of_so_many_steps_before_and_of_their_own_episode():
    history = recipe("history")

    def made(envs):
        return envs(
            gymnasium.make_vec(
                "HoppingLeg-v1",
                2,
                vectorization_mode="vector_entry_point",
                autoreset_mode="SameStep",
                max_episode_steps=5,
                **LEG,
            )
        )

    plain, late = made(lambda envs: envs), made(lambda envs: history.Late(envs, late=2, frames=2))
    first, n = plain.reset(seed=0)[0], plain.single_observation_space.shape[0]
    np.testing.assert_array_equal(late.reset(seed=0)[0], np.tile(first, 2))
    known, rng = [first] * 4, np.random.default_rng(0)
    for k in range(5):
        action = rng.uniform(-0.1, 0.1, (2, 2))
        (observation, *_, info), (seen, *_, said) = plain.step(action), late.step(action)
        known = [*known[1:], observation if k < 4 else np.stack(info["final_obs"])]
        last = seen if k < 4 else np.stack(said["final_obs"])
        np.testing.assert_array_equal(last[:, :n], known[0]), np.testing.assert_array_equal(last[:, n:], known[1])
    np.testing.assert_array_equal(seen, np.tile(observation, 2))  # the next episode's first


def test_a_batch_has_ground_of_every_kind_and_is_learned_on():
    mixed = recipe("mixed_ground")
    options = LEG | {"terrain": mixed.Mixed(), "terrain_difficulty": (0.5, 1.0)}
    envs = gymnasium.make_vec("HoppingLeg-v1", 8, vectorization_mode="vector_entry_point", **options)
    envs.reset(seed=0)
    grounds = [envs.unwrapped.task.terrain[k] for k in range(8)]
    assert {type(ground.ground).__name__ for ground in grounds} == {"Rough", "Terraces", "Sinusoid"}
    single = gymnasium.make("HoppingLeg-v1", **options)
    single.reset(seed=3)
    assert single.unwrapped.task.terrain[()] == grounds[3]
    x = np.linspace(-1, 1, 7)
    for ground in grounds[:3]:
        slope = (ground.height(x + 1e-6, 0 * x) - ground.height(x - 1e-6, 0 * x)) / 2e-6
        np.testing.assert_allclose(ground.gradient(x, 0 * x)[0], slope, atol=1e-5)
        np.testing.assert_allclose(ground.grid(x, x)[2], ground.height(x, np.full(7, x[2])))
        assert np.abs(ground.height(x, x)).max() < mixed.HIGHEST
    own = LEG | {"rewards": {"own": (1.0, asked)}, "reward_weights": ALONE, "max_episode_steps": 50}
    model = mixed.train("HoppingLeg-v1", 4, 3_000, QUICK, **own)
    seen = model.get_env().reset()
    assert np.abs(model.predict(seen, deterministic=True)[0][:, 0] - 0.5).mean() < 0.25  # it began at a half


def test_rsl_rl_learns_what_is_asked_and_its_policy_is_played_by_the_verbs(tmp_path, monkeypatch):
    pytest.importorskip("rsl_rl", reason="rsl_rl is not installed: pip install rsl-rl-lib")
    pytest.importorskip("onnxscript", reason="rsl_rl exports with it: pip install onnxscript")
    rsl_rl_ppo = recipe("rsl_rl_ppo")
    monkeypatch.setattr(rsl_rl_ppo, "N_STEPS", 32)
    monkeypatch.setitem(rsl_rl_ppo.PPO, "gamma", 0.5)
    options = LEG | dict(
        rewards={"own": (1.0, asked)}, reward_weights=ALONE, observations=("pitch",), max_episode_steps=8
    )
    runner = rsl_rl_ppo.train("HoppingLeg-v1", 8, 20, None, 0, privileged=("g",), **options)
    runner.export_policy_to_onnx(str(tmp_path), "policy.onnx")
    opened = loading.load(str(tmp_path / "policy.onnx"), "HoppingLeg-v1", LEG | {"observations": ("pitch",)})
    env = gymnasium.make(opened.environment, **opened.options)
    action = opened.make(env, 0)(env.reset(seed=0)[0], {})
    assert action.shape == env.action_space.shape and abs(action[0] - 0.5) < 0.3  # it began at zero


def test_a_data_set_of_minari_has_every_info_and_the_task_it_was_made_in(tmp_path, monkeypatch):
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))
    pytest.importorskip("jax", reason="Minari collects with it: pip install 'minari[create]'")
    pytest.importorskip("minari", reason="Minari is not installed: pip install 'minari[create]'")
    offline = recipe("offline")
    task, policy = next(iter(offline.TASKS.items()))
    made = offline.collect(task, policy, 2, "tarsus/tried-v0", max_episode_steps=20)
    first, second = made.iterate_episodes()
    assert first.infos["foot_force"].shape == (21, 6, 3) and first.infos["distance"][-1] > 0.0
    assert first.infos["reward_forward"][0] == 0.0 != first.infos["reward_forward"][1]
    paid = sum(first.infos[key][1:] for key in first.infos if key.startswith("reward_"))
    np.testing.assert_allclose(paid, first.rewards)
    assert np.abs(second.actions).std() > np.abs(first.actions).std()
    assert made.recover_environment().spec.id == task
