"""Vector environments on tensors: what they return, and the loops of the libraries that take them."""

import gymnasium
import numpy as np
import pytest

from tarsus.envs.warp_refusals import NEEDED

torch = pytest.importorskip("torch", reason="it needs the extra `rl`")
from tarsus.scripts.library.learning.tensors import TensorVectorEnv  # noqa: E402

NETWORK = dict(class_name="MLPModel", hidden_dims=[16], activation="elu", obs_normalization=True)
ALGORITHM = dict(class_name="PPO", num_learning_epochs=1, num_mini_batches=2, learning_rate=1e-3, schedule="adaptive")
ALGORITHM |= dict(gamma=0.98, lam=0.95, entropy_coef=0.0, desired_kl=0.01, max_grad_norm=1.0, value_loss_coef=1.0)
ALGORITHM |= dict(use_clipped_value_loss=True, clip_param=0.2)


def made(num_envs=3, max_episode_steps=5, autoreset_mode="SameStep", **options):
    return gymnasium.make_vec(
        "Hexapod-v0",
        num_envs,
        vectorization_mode="vector_entry_point",
        autoreset_mode=autoreset_mode,
        max_episode_steps=max_episode_steps,
        **options,
    )


def test_tensors_are_what_the_environment_returns():
    plain, envs = made(), TensorVectorEnv(made())
    rows, _ = plain.reset(seed=1)
    seen, extras = envs.reset(seed=1)
    assert seen.dtype is torch.float32 and extras == {} and (envs.num_actions, envs.max_episode_length) == (6, 5)
    np.testing.assert_array_equal(seen, rows)
    rng = np.random.default_rng(0)
    for k in range(7):
        actions = rng.uniform(-1, 1, (3, 6)).astype(np.float32)
        rows, reward, terminated, truncated, infos = plain.step(actions)
        found = envs.step(torch.from_numpy(actions))
        for tensor, array, kind in zip(
            found, (rows, reward, terminated, truncated), (torch.float32,) * 2 + (torch.bool,) * 2, strict=False
        ):
            assert tensor.dtype is kind
            np.testing.assert_array_equal(tensor, array.astype(np.float32) if kind is torch.float32 else array)
        extras = found[4]
        np.testing.assert_array_equal(extras["time_outs"], truncated & ~terminated)
        assert extras["log"]["/reward/power"] == pytest.approx(infos["reward_power"].mean(), rel=1e-5)
        assert ("final_obs" in extras) == (k == 4)
        if k == 4:
            np.testing.assert_array_equal(extras["final_obs"], np.stack(infos["final_obs"]))
            assert extras["_final_obs"].all() and extras["time_outs"].all()


def test_an_end_has_its_reason_and_its_last_observation():
    envs = TensorVectorEnv(made(terminate={"moves": lambda task: task.qvel[..., 1] > np.array([9.0, -9.0, 9.0])}))
    envs.reset(seed=0)
    observation, _, terminated, truncated, extras = envs.step(torch.zeros(3, 6))
    assert terminated.tolist() == [False, True, False] and not truncated.any() and not extras["time_outs"].any()
    codes = extras["termination"].tolist()
    assert [envs.reasons[code] for code in codes] == ["", "moves", ""] and codes[::2] == [0, 0]
    assert extras["_final_obs"].tolist() == [False, True, False]
    same = (extras["final_obs"] == observation).all(-1)
    assert same.tolist() == [True, False, True]


def test_ages_of_episodes_are_assigned():
    envs = TensorVectorEnv(made())
    envs.reset(seed=0)
    assert envs.episode_length_buf.tolist() == [0, 0, 0] and envs.episode_length_buf.dtype is torch.int64
    envs.episode_length_buf = torch.tensor([3, 4, 0])
    *_, truncated, _ = envs.step(torch.zeros(3, 6))
    assert truncated.tolist() == [False, True, False] and envs.episode_length_buf.tolist() == [4, 0, 1]
    for wrong in ([5, 0, 0], [-1, 0, 0], [0, 0], [0.5, 0.0, 0.0]):
        with pytest.raises(ValueError, match="episode_steps must be 3 whole numbers in .0, 5"):
            envs.episode_length_buf = torch.tensor(wrong)
    assert envs.episode_length_buf.tolist() == [4, 0, 1]


def test_misuse_is_refused_with_a_sentence():
    with pytest.raises(ValueError, match="need autoreset_mode='SameStep'"):
        TensorVectorEnv(made(autoreset_mode="NextStep"))
    with pytest.raises(ValueError, match="need a time limit"):
        TensorVectorEnv(made(max_episode_steps=None))
    envs = TensorVectorEnv(made())
    envs.reset(seed=0)
    with pytest.raises(TypeError, match=r"actions are a tensor of shape \(3, 6\), got ndarray"):
        envs.step(np.zeros((3, 6)))
    with pytest.raises(ValueError, match="an action must be finite"):
        envs.step(torch.full((3, 6), torch.nan))


def learn(envs, critic=("policy",), iterations=2, steps=6):
    """Train by rsl_rl's runner; return it and whether the actor has changed."""
    runners = pytest.importorskip("rsl_rl.runners", reason="rsl_rl is not installed: pip install rsl-rl-lib")
    cfg = dict(num_steps_per_env=steps, save_interval=100, obs_groups={"actor": ["policy"], "critic": list(critic)})
    cfg |= dict(critic=NETWORK, algorithm=dict(ALGORITHM))
    cfg |= dict(actor=NETWORK | dict(distribution_cfg=dict(class_name="GaussianDistribution", init_std=0.5)))
    runner = runners.OnPolicyRunner(envs.rsl_rl(seed=0), cfg, log_dir=None, device="cpu")
    before = [one.clone() for one in runner.alg.get_policy().parameters()]
    runner.learn(iterations, init_at_random_ep_len=True)
    after = list(runner.alg.get_policy().parameters())
    assert all(torch.isfinite(one).all() for one in after)
    return runner, any(not torch.equal(one, other) for one, other in zip(before, after, strict=True))


def test_rsl_rl_learns_with_a_critic_that_sees_more():
    envs = TensorVectorEnv(made(8, 20, privileged=("velocity", "foot_force")))
    runner, changed = learn(envs, ("policy", "critic"))
    assert changed
    seen = runner.env.get_observations()
    assert seen["critic"].shape == (8, 3 + 18) and seen["policy"].shape == envs.observation_space.shape
    *_, done, extras = runner.env.step(torch.zeros(8, 6))
    assert done.dtype is torch.int64 and "time_outs" in extras


def test_rsl_rl_learns_in_warp():
    pytest.importorskip("warp", reason=NEEDED)
    pytest.importorskip("mujoco_warp", reason=NEEDED)
    envs = made(2, 3, engine="warp", device="cpu", n_starts=4, privileged=("foot_force",)).unwrapped
    assert learn(envs, ("policy", "critic"), iterations=1, steps=4)[1]


@pytest.mark.parametrize("engine", ["mujoco", "warp"])
def test_skrl_takes_their_groups_without_copies(engine):
    wrappers = pytest.importorskip("skrl.envs.wrappers.torch", reason="skrl is not installed: pip install skrl")
    on_device = {"engine": "warp", "device": "cpu", "n_starts": 4}
    envs = TensorVectorEnv(made()) if engine == "mujoco" else made(**on_device).unwrapped
    wrapped = wrappers.wrap_env(envs.groups(), wrapper="isaaclab-single-agent")
    wrapped.reset()
    observation, reward, terminated, truncated, _ = wrapped.step(torch.zeros(3, 6))
    assert wrapped.action_space == envs.single_action_space and wrapped.num_envs == 3
    assert reward.shape == terminated.shape == truncated.shape == (3, 1)
    assert torch.equal(observation, envs.observation) and observation.data_ptr() == envs.observation.data_ptr()


def test_skrl_learns():
    ppo = pytest.importorskip("skrl.agents.torch.ppo", reason="skrl is not installed: pip install skrl")
    from skrl.envs.wrappers.torch import wrap_env
    from skrl.memories.torch import RandomMemory
    from skrl.trainers.torch import SequentialTrainer
    from skrl.utils.model_instantiators.torch import deterministic_model, gaussian_model

    env = wrap_env(TensorVectorEnv(made(4)).groups(), wrapper="isaaclab-single-agent")
    spaces = dict(observation_space=env.observation_space, action_space=env.action_space, device="cpu")
    layers = spaces | {"network": [{"name": "net", "input": "OBSERVATIONS", "layers": [16], "activations": "elu"}]}
    models = {
        "policy": gaussian_model(**layers, output="ACTIONS"),
        "value": deterministic_model(**layers, output="ONE"),
    }
    cfg = {"rollouts": 8, "learning_epochs": 1, "mini_batches": 2}
    cfg |= {"experiment": {"write_interval": 0, "checkpoint_interval": 0}}
    agent = ppo.PPO(models=models, memory=RandomMemory(memory_size=8, num_envs=4, device="cpu"), cfg=cfg, **spaces)
    settings = {"timesteps": 8, "headless": True, "close_environment_at_exit": False, "disable_progressbar": True}
    seen = []
    for _ in range(2):  # the networks are made in the first step
        SequentialTrainer(env=env, agents=agent, cfg=settings).train()
        seen.append([one.detach().clone() for one in models["policy"].parameters()])
    assert all(torch.isfinite(one).all() for one in seen[1])
    assert any(not torch.equal(one, other) for one, other in zip(*seen, strict=True))
