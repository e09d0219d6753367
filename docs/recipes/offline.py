"""A small offline data set of frozen tasks in Minari's format, infos included.

    pip install 'minari[create]'                  # and the extra `rl`
    python docs/recipes/offline.py                # three tasks into ~/.minari, a minute of a core
    python docs/recipes/offline.py --task tarsus/DogTrot-v0 --policy dog-0 --episodes 100

Every second episode has noise on its actions, so that the data hold more than one way to walk. Seeds count
from 0; entries are judged by 90000 to 90009.
"""

import argparse

import gymnasium
import minari
import numpy as np

from tarsus.learning import load_policy

TASKS = {
    "tarsus/HexapodWalk-v0": "hexapod-gait-0",
    "tarsus/HexapodFollow-v0": "hexapod-commanded-0",
    "tarsus/DogTrot-v0": "dog-0",
}
NOISE = 0.2  # standard deviation, of actions between -1 and 1


def collect(task: str, policy: str, episodes: int, name: str, **more) -> minari.MinariDataset:
    """Return the data set of a policy's episodes in a task; `more` are keywords of the environment."""
    found = load_policy(policy, task, {})
    env = minari.DataCollector(gymnasium.make(task, **found.options, **more), record_infos=True)
    rng = np.random.default_rng(0)
    for seed in range(episodes):
        observation, info = env.reset(seed=seed)
        act, over = found.make(env, seed), False
        while not over:
            noise = NOISE * (seed % 2) * rng.standard_normal(env.action_space.shape)
            action = np.clip(act(observation, info) + noise, -1.0, 1.0).astype(np.float32)
            observation, _, terminated, truncated, info = env.step(action)
            over = terminated or truncated
    about = {"algorithm_name": policy, "description": f"{task}; noise of {NOISE:g} on every second episode's actions"}
    return env.create_dataset(name, **about)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--task", help="by default three tasks")
    parser.add_argument("--policy", help="a name, or the folder of a checkpoint")
    parser.add_argument("--episodes", type=int, default=10)
    args = parser.parse_args()
    for task, policy in ({args.task: args.policy} if args.task else TASKS).items():
        name = f"tarsus/{task.partition('/')[2].rpartition('-')[0].lower()}-v0"
        made = collect(task, policy, args.episodes, name)
        print(f"{name}: {made.total_episodes} episodes, {made.total_steps} steps")
