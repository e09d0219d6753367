"""Ground of several kinds in one batch: a terrain whose seed says which kind it is.

Usage: python mixed_ground.py [--num-envs 64] [--total-steps 600000]. Needs stable-baselines3.
A random terrain gets a new seed in every episode, from the simulation's own generator; so the kinds are mixed in the
batch, alike to the bit in the single environment, and `terrain_difficulty` and `terrain_curriculum` take them all.
"""

import argparse
from dataclasses import dataclass

import gymnasium
from stable_baselines3 import PPO
from stable_baselines3.common.vec_env import VecMonitor, VecNormalize

import tarsus  # noqa: F401  registers the environments
from tarsus.analytic.terrain import Rough, Sinusoid, Terraces
from tarsus.learning import StableVectorEnv

KINDS = (  # each from a seed
    lambda seed: Rough(deviation=0.01, seed=seed),
    lambda seed: Terraces(deviation=0.02, rise=0.02, seed=seed),
    lambda seed: Sinusoid(amplitude=0.02),
)
HIGHEST = 0.5  # more than any of them [m]


@dataclass(frozen=True)
class Mixed(Rough):
    """Ground of one of `KINDS`, its heights times `relief`."""

    relief: float = 1.0
    RELIEF = ("relief",)

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "ground", KINDS[int(self.seed) % len(KINDS)](int(self.seed)).eased(self.relief))

    def height(self, x, y):
        """Return h(x, y) [m]."""
        return self.ground.height(x, y)

    def gradient(self, x, y):
        """Return (dh/dx, dh/dy)."""
        return self.ground.gradient(x, y)

    def grid(self, x, y):
        """Return the heights over a grid, shape (n_y, n_x) [m]."""
        return self.ground.grid(x, y)

    def height_range(self, heights):
        """Return bounds for all seeds [m]."""
        return -HIGHEST, HIGHEST


def train(name: str, num_envs: int, total_steps: int, settings: dict, **options) -> PPO:
    """Return the trained model; `settings` are the algorithm's, `options` the environment's."""
    envs = gymnasium.make_vec(
        name,
        num_envs,
        vectorization_mode="vector_entry_point",
        autoreset_mode="SameStep",
        **{"terrain": Mixed(), "terrain_difficulty": (0.0, 1.0)} | options,
    )
    learned = VecNormalize(VecMonitor(StableVectorEnv(envs)))
    learned.seed(0)
    return PPO("MlpPolicy", learned, seed=0, device="cpu", **settings).learn(total_steps)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--num-envs", type=int, default=64)
    parser.add_argument("--total-steps", type=int, default=600_000)
    args = parser.parse_args()
    print(f"{args.total_steps:,} steps; a million take about ten minutes on two cores", flush=True)
    settings = {"n_steps": 64, "batch_size": 1024, "gamma": 0.98, "learning_rate": 1e-3}
    train("Hexapod-v0", args.num_envs, args.total_steps, settings, action_mode="gait").save("mixed_ground.zip")
    print("the policy is in mixed_ground.zip")
