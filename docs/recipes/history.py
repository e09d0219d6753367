"""Sensors that are late, and a policy that sees the last few observations, as a wrapper of the vector environment.

Usage: python history.py [--late 2] [--frames 4] [--num-envs 64] [--total-steps 600000]. Needs stable-baselines3.
From one observation a policy cannot tell what has changed since it was made; from a few it can. For actions that are
late there is the option `action_delay`.
"""

import argparse

import gymnasium
import numpy as np
from gymnasium.vector.utils import batch_space
from stable_baselines3 import PPO
from stable_baselines3.common.vec_env import VecMonitor, VecNormalize

import tarsus  # noqa: F401  registers the environments
from tarsus.learning import StableVectorEnv


class Late(gymnasium.vector.VectorWrapper):
    """Give the observation of `late` control periods ago, and of the `frames` - 1 periods before, the newest last.

    Before an episode began, everything was as in its first observation. For the autoreset mode "SameStep".
    """

    def __init__(self, envs: gymnasium.vector.VectorEnv, late: int = 0, frames: int = 1):
        super().__init__(envs)
        space, self.frames = envs.single_observation_space, frames
        self.single_observation_space = gymnasium.spaces.Box(
            np.tile(space.low, frames), np.tile(space.high, frames), dtype=np.float32
        )
        self.observation_space = batch_space(self.single_observation_space, envs.num_envs)
        self._known = np.zeros((envs.num_envs, late + frames, *space.shape), np.float32)  # the oldest first

    def reset(self, **keywords):
        """Start episodes, in all simulations."""
        observation, info = self.env.reset(**keywords)
        self._known[:] = observation[:, None]
        return self._seen(), info

    def step(self, actions):
        """Step all simulations."""
        observation, reward, terminated, truncated, info = self.env.step(actions)
        self._known[:, :-1] = self._known[:, 1:]
        self._known[:, -1] = observation
        for sim in np.flatnonzero(terminated | truncated):  # of these, `observation` is the next episode's first
            self._known[sim, -1] = info["final_obs"][sim]
            info["final_obs"][sim] = self._seen()[sim]
            self._known[sim] = observation[sim]
        return self._seen(), reward, terminated, truncated, info

    def _seen(self) -> np.ndarray:
        return self._known[:, : self.frames].reshape(len(self._known), -1).copy()


def train(name: str, num_envs: int, total_steps: int, late: int, frames: int, settings: dict, **options) -> PPO:
    """Return the trained model; `settings` are the algorithm's, `options` the environment's."""
    envs = gymnasium.make_vec(
        name, num_envs, vectorization_mode="vector_entry_point", autoreset_mode="SameStep", **options
    )
    learned = VecNormalize(VecMonitor(StableVectorEnv(Late(envs, late, frames))))
    learned.seed(0)
    return PPO("MlpPolicy", learned, seed=0, device="cpu", **settings).learn(total_steps)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--late", type=int, default=2)
    parser.add_argument("--frames", type=int, default=4)
    parser.add_argument("--num-envs", type=int, default=64)
    parser.add_argument("--total-steps", type=int, default=600_000)
    args = parser.parse_args()
    print(f"{args.total_steps:,} steps; a million take about ten minutes on two cores", flush=True)
    settings = {"n_steps": 64, "batch_size": 1024, "gamma": 0.98, "learning_rate": 1e-3}
    sizes = args.num_envs, args.total_steps, args.late, args.frames
    train("Hexapod-v0", *sizes, settings, action_mode="gait").save("late.zip")
    print("the policy is in late.zip")
