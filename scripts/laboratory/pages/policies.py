"""Learning over the clock: policies of Hexapod-v0 side by side in speed, cost of transport and pushes survived.

Usage: tarsus page policies [--policies POLICY ...] [--write]
Runtime: about a second for an episode and half of one for a push, so four minutes for the default.

A push is that of `tarsus stability`: from all directions, at all phases of a second, survived if the robot walks on for
four seconds at half of its speed or more.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any

import numpy as np

import tarsus  # noqa: F401  registers the environments
from tarsus.scripts.command import arguments
from tarsus.scripts.command.signature import Count, Jobs
from tarsus.scripts.laboratory.frame import Page, Place, Table
from tarsus.scripts.library.base import parallel
from tarsus.scripts.library.learning import playing
from tarsus.scripts.library.learning.evaluation import COLUMNS, cells, run_episode
from tarsus.scripts.library.learning.policies import seeds_of
from tarsus.scripts.library.stability import ensembles, margins, pushes, surviving
from tarsus.scripts.library.stability.loop import Loop

ENVIRONMENT = "Hexapod-v0"
SIZES = (1.0, 1.5)  # of pushes [m/s]
PACKAGES = ("tarsus", "mujoco", "gymnasium")
PLACE = Place("policies.md", "policies")
UNDISTURBED = {"randomise": {}, "push_speed": 0.0}  # also what was trained otherwise; pushes are ours
NAMES = ("walk", "run", "sprint", "dash", "hexapod", "hexapod-gait", "hexapod-gait-randomised")


def survived(policy: str, options: Mapping[str, Any], size: float, trials: int) -> int:
    """Return the number of pushes of a size [m/s] that a policy survives, of so many."""
    loop = Loop.of(policy, ENVIRONMENT, options)
    walks_on = pushes.Pushed(loop, round(surviving.APERIODIC / loop.ctrl_dt))
    members = ensembles.ensemble(half_width=np.pi, n_seeds=math.ceil(trials / margins.N_PHASES))
    return sum(walks_on(member.sized(size)) for member in members[:trials])


def together(name: str) -> tuple[str, list[str]]:
    """Return the label of a row, and the policies it is of: a run's seeds together, or the one of that name."""
    members = seeds_of(name) or [name]
    return (f"{name} ({len(members)} seeds)" if len(members) > 1 else name), members


def row(name: str, options: Mapping[str, Any], seeds: int, sizes: Sequence[float], trials: int, n_jobs: int) -> list:
    """Return a policy's cells of the table; those of a run's seeds together."""
    label, members = together(name)
    cases = itertools.product(members, [ENVIRONMENT], [options], range(seeds))
    episodes = parallel.each(run_episode, cases, n_jobs, desc=name, leave=False)
    shares, each = [], max(trials // len(members), 1)
    for size in sizes:
        cases = itertools.product(members, [options], [size], [each])
        found = parallel.each(survived, cases, n_jobs, desc=f"{name}, {size:g} m/s", leave=False)
        shares.append(f"{sum(found)} of {each * len(members)}")
    return [label, *cells(episodes), *shares]


def check(policies: Iterable[str], option: Iterable[tuple[str, Any]], **_) -> None:
    """Refuse policies that cannot be run.

    Raises:
        ValueError: The sentence says why.
    """
    for member in itertools.chain.from_iterable(together(policy)[1] for policy in policies):
        playing.check(member, ENVIRONMENT, dict(option) | UNDISTURBED)


def tables(
    policies: tuple[str, ...] = NAMES,
    seeds: Count = 5,
    sizes: tuple[Annotated[float, arguments.number(0, 1000)], ...] = SIZES,
    option: tuple[Annotated[tuple, arguments.assignment], ...] = (),
    trials: Count = 40,
    jobs: Jobs = 1,
) -> Page:
    """Return the table.

    Args:
        policies: Names, or folders of checkpoints; a run's name stands for its seeds together.
        seeds: Episodes of each.
        sizes: Of pushes [m/s].
        option: NAME=VALUE of the environment.
        trials: Pushes of each size in a row.
        jobs: Processes.
    """
    options = dict(option) | UNDISTURBED
    head = ["policy", *COLUMNS.values(), *(f"pushes of {size:g} m/s survived" for size in sizes)]
    return Page(Table(head, [row(name, options, seeds, sizes, trials, jobs) for name in policies]))
