"""Learning over the clock: policies of Hexapod-v0 side by side in speed, cost of transport and recovery from pushes.

Usage: tarsus page policies [--policies POLICY ...] [--write]
Runtime: about a second for an episode and half of one for a push, so four minutes for the default.

A push changes the velocity of the body within a physics step, after `BEFORE` seconds of an episode, to one of eight
sides. A policy has recovered if `AFTER` seconds later the robot is on its legs, and over the last of them as fast as
`REGAINED` of what it was before.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
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

ENVIRONMENT = "Hexapod-v0"
BEFORE, AFTER = 4.0, 4.0  # [s]
JUDGED = 2.0  # at the end of each, over which a speed is taken [s]
REGAINED = 0.8
SIDES = 8
PUSHES = (1.0, 1.5)  # [m/s]
PACKAGES = ("tarsus", "mujoco", "gymnasium")
PLACE = Place("policies.md", "policies")
UNDISTURBED = {"randomise": {}, "push_speed": 0.0}  # also what was trained otherwise; pushes are ours
NAMES = ("walk", "run", "sprint", "dash", "hexapod", "hexapod-gait", "hexapod-gait-randomised")


@dataclass(frozen=True)
class Push:
    """What a push did."""

    upright: bool
    recovered: bool  # upright, and running again


def pushed(policy: str, options: Mapping[str, Any], push: float, side: int, sides: int = SIDES) -> Push:
    """Return the effect of a push.

    Args:
        policy: A name or a checkpoint.
        options: Of the environment.
        push: Change of the body's velocity [m/s].
        side: Of so many, counterclockwise from the right; the seed of the episode too.
        sides: How many there are.
    """
    env, act = playing.start(policy, ENVIRONMENT, options, side, max_episode_steps=10**9)
    observation, info = env.reset(seed=side)
    angle = 2 * np.pi * side / sides
    marks = {BEFORE - JUDGED: 0.0, BEFORE: 0.0, BEFORE + AFTER - JUDGED: 0.0, BEFORE + AFTER: 0.0}
    over = False
    for mark in marks:
        while info["time"] < mark - 1e-9 and not over:
            observation, _, over, _, info = env.step(act(observation, info))
        marks[mark] = info["distance"]
        if mark == BEFORE:
            env.unwrapped.data.qvel[:2] += push * np.array([np.cos(angle), np.sin(angle)])
    env.close()
    first, pushed_at, last_start, end = marks.values()
    return Push(not over, not over and end - last_start > REGAINED * (pushed_at - first) > 0)


def together(name: str) -> tuple[str, list[str]]:
    """Return the label of a row, and the policies it is of: a run's seeds together, or the one of that name."""
    members = seeds_of(name) or [name]
    return (f"{name} ({len(members)} seeds)" if len(members) > 1 else name), members


def row(
    name: str, options: Mapping[str, Any], seeds: int, pushes: Sequence[float], sides: int, n_jobs: int
) -> list[str]:
    """Return a policy's cells of the table; those of a run's seeds together."""
    label, members = together(name)
    cases = itertools.product(members, [ENVIRONMENT], [options], range(seeds))
    episodes = parallel.each(run_episode, cases, n_jobs, desc=name, leave=False)
    shares = []
    for push in pushes:
        cases = itertools.product(members, [options], [push], range(sides), [sides])
        mine = parallel.each(pushed, cases, n_jobs, desc=f"{name}, {push:g} m/s", leave=False)
        shares.append(f"{sum(was.recovered for was in mine)}, {sum(was.upright for was in mine)} of {len(mine)}")
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
    pushes: tuple[Annotated[float, arguments.number(0, 1000)], ...] = PUSHES,
    option: tuple[Annotated[tuple, arguments.assignment], ...] = (),
    sides: Count = SIDES,
    jobs: Jobs = 1,
) -> Page:
    """Return the table.

    Args:
        policies: Names, or folders of checkpoints; a run's name stands for its seeds together.
        seeds: Episodes of each.
        pushes: Changes of the body's velocity [m/s].
        option: NAME=VALUE of the environment.
        sides: Directions of pushes; each is an episode.
        jobs: Processes.
    """
    options = dict(option) | UNDISTURBED
    head = ["policy", *COLUMNS.values(), *(f"recovered, upright at {push:g} m/s" for push in pushes)]
    return Page(Table(head, [row(name, options, seeds, pushes, sides, jobs) for name in policies]))
