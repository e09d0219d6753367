"""How fast the default task is learned: plain PPO on Hexapod-v0, with the library's own defaults, seed by seed.

Usage: tarsus benchmark learning [--seeds 5] [--steps 1000000] [--option NAME=VALUE ...] [--jobs 1] [--write]
Needs the extra: pip install 'tarsus[rl]'. Runtime: 15 to 30 minutes for a seed's million steps on one core.

The policy is Stable-Baselines3's `PPO("MlpPolicy", envs)` without a setting, on 16 environments in `VecMonitor`.
Every so many steps it plays 16 episodes without noise, on seeds that it was not trained on: speed [m/s] is the way over
the time until an episode ends, and a fall ends it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, NamedTuple

import gymnasium
import numpy as np
from tqdm import tqdm

import tarsus  # noqa: F401  registers the environments
from tarsus.analytic.clock import TripodGait, profile, wrap
from tarsus.envs.hexapod import HexapodVectorEnv
from tarsus.mjcf.hexapod_state import start_state
from tarsus.scripts.command import arguments
from tarsus.scripts.command.signature import Count, Jobs
from tarsus.scripts.laboratory.frame import Page, Place, Table
from tarsus.scripts.library.base import parallel
from tarsus.scripts.library.learning import training
from tarsus.scripts.library.learning.training_runs import TrainingRun

PACKAGES = ("tarsus", "mujoco", "stable-baselines3", "torch")
ENVIRONMENT = "Hexapod-v0"
NUM_ENVS = 16
EPISODES, FIRST_SEED, LONGEST = 16, 1000, 1000  # of an evaluation; the longest has so many steps
CELL = "Speed [m/s], return (falls of 16 episodes; of 16 whose legs begin at random phases)."
GOALS = {0.4: 500_000, 0.6: 1_000_000}  # speeds [m/s], and the steps after which they are asked for


class Played(NamedTuple):
    """What a policy did in the episodes of an evaluation."""

    steps: int  # of training before it
    speed: float  # mean [m/s]
    reward: float  # mean return
    falls: int
    scattered: int  # falls of those whose legs begin at random phases


def play(act, options: Mapping[str, Any], scattered: bool = False) -> tuple[float, float, int]:
    """Return mean speed [m/s], mean return and falls of a policy's episodes.

    Args:
        act: Called with observations, returns actions.
        options: Of the environment.
        scattered: Whether each leg begins at a random phase of the walk, at rest.
    """
    envs: HexapodVectorEnv = gymnasium.make_vec(
        ENVIRONMENT, EPISODES, vectorization_mode="vector_entry_point", n_threads=1, **options
    ).unwrapped
    observation, _ = envs.reset(seed=FIRST_SEED, options={"qpos": scattered_start(envs)} if scattered else None)
    running, way, reward, steps = np.ones(EPISODES, bool), np.zeros(EPISODES), np.zeros(EPISODES), np.zeros(EPISODES)
    for _ in range(LONGEST):
        observation, gained, terminated, _, info = envs.step(act(observation))
        reward[running] += gained[running]
        steps[running] += 1
        way[running] = info["distance"][running]
        running &= ~terminated
        if not running.any():
            break
    period = envs.task.ctrl_dt
    envs.close()
    return float(np.mean(way / (steps * period))), float(reward.mean()), int(EPISODES - running.sum())


def scattered_start(envs: HexapodVectorEnv) -> np.ndarray:
    """Return `qpos` of robots that stand on legs at random phases of the walk, shape (EPISODES, nq)."""
    rng, task = np.random.default_rng(FIRST_SEED), envs.task
    phase, walk = rng.uniform(size=(EPISODES, len(task.layout.joints))), TripodGait()
    angles = -wrap(profile(phase, walk.cycle_time, walk.slow_time, walk.sweep_angle)[0])
    return np.array([start_state(task.config.robot, task.terrain[0], angle) for angle in angles])


def learn(options: Mapping[str, Any], steps: int, every: int, seed: int) -> list[Played]:
    """Return what a seed's policy did before it was trained, and after every so many steps."""
    import torch
    from stable_baselines3 import PPO

    torch.set_num_threads(1)
    run = TrainingRun(ENVIRONMENT, options, settings={}, num_envs=NUM_ENVS, normalise=False)
    envs = training.environments(run, NUM_ENVS, 1)
    envs.seed(seed)
    model = PPO("MlpPolicy", envs, seed=seed, device="cpu")
    made: list[Played] = []

    def act(seen: np.ndarray) -> np.ndarray:
        return model.predict(seen, deterministic=True)[0]

    bar = tqdm(total=steps, desc=f"seed {seed}", unit="step", leave=False)
    while True:
        bar.update(model.num_timesteps - bar.n)
        speed, reward, falls = play(act, options)
        _, _, scattered = play(act, options, scattered=True)
        made.append(Played(model.num_timesteps, speed, reward, falls, scattered))
        if model.num_timesteps >= steps:
            envs.close()
            bar.close()
            return made
        model.learn(min(every, steps - model.num_timesteps), reset_num_timesteps=False)


def reached(curves: Sequence[Sequence[Played]]) -> list[str]:
    """Return how many seeds reached each goal in time, without a fall in that evaluation, as sentences."""
    found = []
    for speed, steps in GOALS.items():
        seeds = sum(any(p.steps <= steps and p.speed >= speed and not p.falls for p in curve) for curve in curves)
        found.append(f"{speed:g} m/s without a fall within {steps:,} steps: {seeds} of {len(curves)} seeds.")
    return found


def table(curves: Sequence[Sequence[Played]]) -> Table:
    """Return the table: a row for each evaluation, a column for each seed."""
    head = ["steps", *(f"seed {k}" for k in range(len(curves)))]
    rows = [
        [f"{row[0].steps:,}", *(f"{p.speed:.2f}, {p.reward:.0f} ({p.falls}, {p.scattered})" for p in row)]
        for row in zip(*curves, strict=True)
    ]
    return Table(head, rows)


def draw(curves: Sequence[Sequence[Played]]):
    """Draw return and speed over the steps of training, a line for each seed."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(9, 3.2), layout="constrained")
    for axis, name, unit in zip(axes, ("reward", "speed"), ("return", "speed [m/s]"), strict=True):
        for k, curve in enumerate(curves):
            steps, values = [p.steps / 1e6 for p in curve], [getattr(p, name) for p in curve]
            axis.plot(steps, values, marker=".", label=f"seed {k}")
        axis.set_xlabel("steps [million]"), axis.set_ylabel(unit)
        axis.grid(alpha=0.3)
    axes[1].legend(frameon=False)
    return figure


def curves_of(option: Iterable[tuple[str, Any]]) -> str:
    """Return the name of the curves of an environment with these options."""
    return "_".join(["curves", *(str(value) for _, value in option)])


def place(option: Iterable[tuple[str, Any]], **_) -> Place:
    """Return the part of docs/learning.md; other options than the default ones have their own."""
    return Place("learning.md", curves_of(option))


def tables(
    seeds: Count = 5,
    steps: Count = 1_000_000,
    every: Count = 100_000,
    option: tuple[Annotated[tuple, arguments.assignment], ...] = (),
    jobs: Jobs = 1,
) -> Page:
    """Return the curves as a table, and as a picture.

    Args:
        seeds: Trainings, with seeds from 0.
        steps: Of each.
        every: Steps between two evaluations; whole updates of 32,768 are made.
        option: NAME=VALUE of the environment.
        jobs: Processes, each training a seed.
    """
    cases = [(dict(option), steps, every, seed) for seed in range(seeds)]
    curves = parallel.each(learn, cases, jobs, desc="seeds")
    picture = f"figures/learning_{curves_of(option)}.png"
    return Page(CELL, table(curves), *reached(curves), files={picture: lambda: draw(curves)})
