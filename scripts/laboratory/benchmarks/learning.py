"""How fast an environment is learned: plain PPO with the library's own defaults, seed by seed, beside its baseline.

Usage: tarsus benchmark learning [--env NAME] [--seeds 5] [--steps 131072 262144] [--num-envs 4 8 16]
[--option NAME=VALUE ...] [--results FOLDER] [--jobs 1]. Needs the extra `rl`.
Runtime: 2 to 8 minutes of one core for a training of 262,144 steps.

The policy is Stable-Baselines3's `PPO("MlpPolicy", envs)` without a setting, on so many environments in `VecMonitor`.
Beside it stand two bars: zero action, which is the hand-made baseline, and the entry `tempo` of the action held at 1,
where there is one. All play 16 whole episodes without noise, on seeds that nothing was trained on: speed [m/s] is the
way over the time until an episode ends. What was finished is stored at once; the same command goes on from there.
`tarsus page learning` shows all that is stored.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import gymnasium
import numpy as np

import tarsus  # noqa: F401  registers the environments
from tarsus.analytic.compilation import extras
from tarsus.envs import SURROGATES
from tarsus.scripts.command import arguments, paths
from tarsus.scripts.command.signature import Count, Jobs
from tarsus.scripts.laboratory.frame import Page, Table
from tarsus.scripts.laboratory.studies import learned
from tarsus.scripts.laboratory.studies.learned import EPISODES, RESULTS, Played
from tarsus.scripts.library.base import parallel
from tarsus.scripts.library.learning import environments, playing
from tarsus.scripts.library.learning.training_runs import TrainingRun

PACKAGES = ("tarsus", "mujoco", "stable-baselines3", "torch")
FIRST_SEED = 1000  # of an evaluation
UPDATE = 2048  # steps of each simulation before the library's PPO learns from them


def play(act: Callable[[np.ndarray], np.ndarray], environment: str, options: Mapping[str, Any], steps: int) -> Played:
    """Return the measures of a policy over whole episodes.

    Args:
        act: Called with observations (EPISODES, n), returns actions.
        environment: Its name.
        options: Of the environment.
        steps: Of training before.
    """
    single = playing.make(environment, options)
    longest, period = playing.steps_of(single), single.unwrapped.ctrl_dt
    single.close()
    more = {} if environment in SURROGATES else {"n_threads": 1}  # they have no physics to spread
    envs = gymnasium.make_vec(
        environment,
        EPISODES,
        vectorization_mode="vector_entry_point",
        **{"max_episode_steps": longest} | more | options,
    )
    observation, _ = envs.reset(seed=FIRST_SEED)
    running, way, reward, length = np.ones(EPISODES, bool), np.zeros(EPISODES), np.zeros(EPISODES), np.zeros(EPISODES)
    falls = 0
    while running.any():
        observation, gained, terminated, truncated, info = envs.step(act(observation))
        reward += np.where(running, gained, 0.0)
        length += running
        way = np.where(running, info["distance"], way)
        falls += int((running & terminated).sum())
        running = running & ~terminated & ~truncated
    envs.close()
    return Played(steps, float(np.mean(way / (length * period))), float(reward.mean()), falls)


def bars(environment: str, options: Mapping[str, Any]) -> dict[str, Played]:
    """Return the measures of zero action, and of the entry `tempo` held at 1 where the action has one."""
    env = playing.make(environment, options)
    size, names = env.action_space.shape[0], env.unwrapped.action_names
    env.close()
    held = {"zero action": np.zeros(size, np.float32)}
    if "tempo" in names:
        held["tempo at 1"] = np.array([float(name == "tempo") for name in names], np.float32)
    return {
        name: play(lambda seen, a=action: np.tile(a, (len(seen), 1)), environment, options, 0)
        for name, action in held.items()
    }


def learn(environment: str, options: Mapping[str, Any], num_envs: int, steps: Sequence[int], seed: int) -> list[Played]:
    """Return the measures of a seed's policy after so many steps of training, for each of `steps`.

    Args:
        environment: Its name; of MODULE:NAME the module is imported, in whatever process this is.
        options: Of the environment.
        num_envs: Simulations.
        steps: Rising; whole updates are made.
        seed: Of the training.
    """
    import torch
    from stable_baselines3 import PPO

    from tarsus.scripts.library.learning import training

    torch.set_num_threads(1)
    name = environments.asked_for(environment)
    envs = training.environments(TrainingRun(name, options, settings={}, normalise=False), num_envs, 1)
    envs.seed(seed)
    model = PPO("MlpPolicy", envs, seed=seed, device="cpu")
    made = []
    for n in whole_updates(steps, num_envs):
        model.learn(n - model.num_timesteps, reset_num_timesteps=False)
        made.append(play(lambda seen: model.predict(seen, deterministic=True)[0], name, options, model.num_timesteps))
    envs.close()
    return made


def whole_updates(steps: Iterable[int], num_envs: int) -> list[int]:
    """Return numbers of steps, rising, each rounded up to whole updates of PPO."""
    update = UPDATE * num_envs
    return sorted({-(-n // update) * update for n in steps})


def check(env: str, option: Iterable[tuple[str, Any]], results: Path, **_) -> None:
    """Refuse an environment that there is not, options that it does not take, and results of when it was another.

    Raises:
        ValueError: The sentence says why.
    """
    if importlib.util.find_spec("stable_baselines3") is None:
        raise ValueError(f"Stable-Baselines3 is needed: {extras.install('rl')}")
    name, options = environments.asked_for(env), dict(option)
    playing.make(name, options).close()
    path, stored = learned.stored_in(results, env, options)
    if stored["bars"]:
        learned.check_bars(path, stored, bars(name, options))


def tables(
    env: str = "Hexapod-v0",
    seeds: Count = 5,
    steps: tuple[Count, ...] = (131_072, 262_144),
    num_envs: tuple[Annotated[int, arguments.simulations], ...] = (4, 8, 16),
    option: tuple[Annotated[tuple, arguments.assignment], ...] = (),
    results: Annotated[Path, paths.folder_to_write] = RESULTS,
    jobs: Jobs = 1,
) -> Page:
    """Return the table of an environment, after what it lacks was made and stored.

    Args:
        env: Its name; of MODULE:NAME the module is imported.
        seeds: Trainings for each number of simulations, with seeds from 0.
        steps: Of all simulations together, after which a policy is judged; whole updates are made.
        num_envs: Numbers of simulations.
        option: NAME=VALUE of the environment.
        results: Folder of what is stored, a file for each environment.
        jobs: Processes, each training a seed.
    """
    options = dict(option)
    path, stored = learned.stored_in(results, env, options)
    if not stored["bars"]:
        stored["bars"] = bars(environments.asked_for(env), options)
        learned.keep(path, stored, PACKAGES)
    asked = {f"{n} {seed}": (env, options, n, steps, seed) for n in num_envs for seed in range(seeds)}
    lacking = {
        case: how
        for case, how in asked.items()
        if not set(whole_updates(steps, how[2])) <= {played[0] for played in stored["trained"].get(case, ())}
    }
    curves = parallel.stream(learn, lacking.values(), jobs, desc=env, unit="training")
    for case, curve in zip(lacking, curves, strict=True):
        stored["trained"][case] = curve
        learned.keep(path, stored, PACKAGES)
    return Page(Table(learned.HEAD, learned.rows_of(stored)))
