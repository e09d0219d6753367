"""A critic that sees more than the policy, with Stable-Baselines3: only it sees what `info["privileged"]` has.

Usage: python asymmetric.py [--num-envs 64] [--total-steps 600000] [--seed 0]. Needs stable-baselines3.
After Pinto et al. 2018 (arXiv:1710.06542): the critic is needed in training alone, so it may know what a robot cannot.
"""

import argparse

import gymnasium
import numpy as np
import torch
from gymnasium.vector.utils import batch_space
from stable_baselines3 import PPO
from stable_baselines3.common.policies import ActorCriticPolicy
from stable_baselines3.common.vec_env import VecMonitor, VecNormalize
from torch import nn

import tarsus  # noqa: F401  registers the environments
from tarsus.learning import StableVectorEnv

ROBOTS = {"friction_coeff": (0.5, 1.5), "body_mass": (0.8, 1.2)}  # drawn for each episode
UNSEEN = ("velocity", "foot_force", *ROBOTS, "push")  # by the policy


class WithPrivileged(gymnasium.vector.VectorWrapper):
    """Put `info["privileged"]` behind the observation, also behind the last one of an episode."""

    def __init__(self, envs: gymnasium.vector.VectorEnv):
        super().__init__(envs)
        space, slices = envs.single_observation_space, envs.unwrapped.task.privileged_slices.values()
        self.n_seen, n = space.shape[0], max(part.stop for part in slices)
        bounds = [np.concatenate([space.low, np.full(n, -np.inf)]), np.concatenate([space.high, np.full(n, np.inf)])]
        self.single_observation_space = gymnasium.spaces.Box(*np.float32(bounds))
        self.observation_space = batch_space(self.single_observation_space, envs.num_envs)

    def reset(self, **keywords):
        """Start episodes."""
        observation, info = self.env.reset(**keywords)
        return np.concatenate([observation, info["privileged"]], 1), info

    def step(self, actions):
        """Step all simulations."""
        observation, reward, terminated, truncated, info = self.env.step(actions)
        for sim in np.flatnonzero(terminated | truncated):  # of these, `observation` is the next episode's first
            last = info["final_obs"][sim], info["final_info"]["privileged"][sim]
            info["final_obs"][sim] = np.concatenate(last)
        return np.concatenate([observation, info["privileged"]], 1), reward, terminated, truncated, info


class Halves(nn.Module):
    """Two networks: the policy's sees the first `n_seen` numbers of an observation, the critic's all `n`."""

    def __init__(self, n_seen: int, n: int):
        super().__init__()
        self.n_seen, self.latent_dim_pi, self.latent_dim_vf = n_seen, 64, 64
        self.policy_net, self.value_net = (
            nn.Sequential(nn.Linear(size, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh()) for size in (n_seen, n)
        )

    def forward(self, features: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return what both make of observations."""
        return self.forward_actor(features), self.forward_critic(features)

    def forward_actor(self, features: torch.Tensor) -> torch.Tensor:
        """Return what the policy makes of observations."""
        return self.policy_net(features[:, : self.n_seen])

    def forward_critic(self, features: torch.Tensor) -> torch.Tensor:
        """Return what the critic makes of observations."""
        return self.value_net(features)


class Asymmetric(ActorCriticPolicy):
    """Stable-Baselines3's actor and critic, on `n_seen` and on all numbers of an observation."""

    def __init__(self, *args, n_seen: int, **keywords):
        self.n_seen = n_seen
        super().__init__(*args, **keywords)

    def _build_mlp_extractor(self) -> None:
        self.mlp_extractor = Halves(self.n_seen, self.features_dim)


def train(name: str, num_envs: int, total_steps: int, seed: int, settings: dict, **options) -> PPO:
    """Return the trained model; `settings` are the algorithm's, `options` the environment's, with `privileged`."""
    envs = WithPrivileged(
        gymnasium.make_vec(
            name, num_envs, vectorization_mode="vector_entry_point", autoreset_mode="SameStep", **options
        )
    )
    learned = VecNormalize(VecMonitor(StableVectorEnv(envs)))
    learned.seed(seed)
    model = PPO(Asymmetric, learned, policy_kwargs={"n_seen": envs.n_seen}, seed=seed, device="cpu", **settings)
    return model.learn(total_steps)


def act(model: PPO, observation: np.ndarray) -> np.ndarray:
    """Return the policy's actions for observations as the environment gives them, (n, n_seen): on a robot, say."""
    unseen = np.zeros((len(observation), model.observation_space.shape[0] - observation.shape[1]))
    seen = model.get_vec_normalize_env().normalize_obs(np.concatenate([observation, unseen], 1))
    return model.predict(seen, deterministic=True)[0]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--num-envs", type=int, default=64)
    parser.add_argument("--total-steps", type=int, default=600_000)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    print(f"{args.total_steps:,} steps; a million take about ten minutes on two cores", flush=True)
    made_for = {"action_mode": "gait", "randomise": ROBOTS, "push_speed": 1.0, "privileged": UNSEEN}
    settings = {"n_steps": 64, "batch_size": 1024, "gamma": 0.98, "learning_rate": 1e-3}
    train("Hexapod-v0", args.num_envs, args.total_steps, args.seed, settings, **made_for).save("asymmetric.zip")
    print("the policy is in asymmetric.zip")
