"""Who follows commands: policies of Hexapod-v0 told a speed and a yaw rate, on flat and on rough ground.

Usage: tarsus page followers [--policies POLICY ...] [--jobs 2] [--write]
Runtime: about a second for an episode, so ten minutes for the default.

Kept is the mean of exp(-((value - command) / width)^2) over a whole episode, after a fall 0: 100 % is
exactly what was commanded. Errors and widths are those of the environment's reward (`envs/commands.py`).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

import tarsus  # noqa: F401  registers the environments
from tarsus.scripts.command.signature import Count, Jobs
from tarsus.scripts.laboratory.frame import Page, Place, Table
from tarsus.scripts.library.base import parallel
from tarsus.scripts.library.learning import playing
from tarsus.scripts.library.learning.evaluation import steps
from tarsus.scripts.library.learning.policies import together

ENVIRONMENT = "Hexapod-v0"
NAMES = ("stand", "walk", "steered", "hexapod-commanded")
KEPT = ("speed", "yaw_rate")  # terms of the reward
HEAD = ("ground", "policy", "return", "speed kept [%]", "yaw rate kept [%]", "falls")
PLACE = Place("policies.md", "followers")
PACKAGES = ("tarsus", "mujoco", "gymnasium")


@dataclass(frozen=True)
class Following:
    """An episode of following commands."""

    total: float  # return
    kept: np.ndarray  # of speed and yaw rate, from 0 to 1, shape (2,)
    fell: bool


def asked(ground: str) -> dict[str, str]:
    """Return the options of the environment on a ground."""
    return {"task": "commanded", "terrain": ground}


def follow(policy: str, ground: str, seed: int) -> Following:
    """Run one episode of a policy on a ground."""
    env, act = playing.start(policy, ENVIRONMENT, asked(ground), seed)
    weights = np.array([env.unwrapped.config.weights[term] for term in KEPT])
    total, kept = 0.0, np.zeros(len(KEPT))
    for reward, terminated, info in steps(env, act, seed):  # noqa: B007  used behind the loop
        total += reward
        kept += [info[f"reward_{term}"] for term in KEPT]
    env.close()
    return Following(total, kept / weights / env.spec.max_episode_steps, terminated)


def row(ground: str, name: str, seeds: int, n_jobs: int) -> tuple[str, ...]:
    """Return a policy's cells of the table; those of a run's seeds together."""
    label, members = together(name)
    cases = itertools.product(members, [ground], range(seeds))
    episodes = parallel.each(follow, cases, n_jobs, desc=f"{name}, {ground}", leave=False)
    total = np.array([episode.total for episode in episodes])
    kept = 100 * np.mean([episode.kept for episode in episodes], axis=0)
    falls = f"{sum(episode.fell for episode in episodes)} of {len(episodes)}"
    return (ground, label, f"{total.mean():.0f} ± {total.std():.0f}", *(f"{share:.0f}" for share in kept), falls)


def check(policies: Iterable[str], grounds: Iterable[str], **_) -> None:
    """Refuse policies that cannot be run.

    Raises:
        ValueError: The sentence says why.
    """
    members = [member for policy in policies for member in together(policy)[1]]
    for ground, member in itertools.product(grounds, members):
        playing.check(member, ENVIRONMENT, asked(ground))


def tables(
    policies: tuple[str, ...] = NAMES, grounds: tuple[str, ...] = ("flat", "rough"), seeds: Count = 20, jobs: Jobs = 1
) -> Page:
    """Return the table.

    Args:
        policies: Names, or folders of checkpoints; a run's name stands for its seeds together.
        grounds: Names of terrains.
        seeds: Episodes of each.
        jobs: Processes.
    """
    cases = [(ground, name) for ground in grounds for name in policies]
    return Page(Table(HEAD, [row(*case, seeds, jobs) for case in cases]))
