"""Learning over the clock: policies of Hexapod-v0 side by side in speed, cost of transport and recovery from pushes.

Usage: tarsus compare policies [POLICY ...] [--seeds 5] [--pushes 0.5 1.0 1.5] [--randomised] [--jobs 1] [--out PAGE]
A policy is a name or the folder of a checkpoint; RUN stands for all of a run's shipped policies.
Runtime: about a second for an episode, and half of one for a push.

A push changes the velocity of the body within a physics step, after `BEFORE` seconds of the episode, to one of eight
sides. A policy has recovered if `AFTER` seconds later the robot is on its legs and runs again at `REGAINED` of the speed
that it had before.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gymnasium
import joblib
import numpy as np
from tqdm import tqdm

import tarsus  # noqa: F401  registers the environments
from tarsus.scripts import policies, report
from tarsus.scripts.evaluate import COLUMNS, cells, run_episode
from tarsus.scripts.training_runs import RANDOMISED

ENVIRONMENT = "Hexapod-v0"
BEFORE, AFTER = 4.0, 4.0  # [s]
JUDGED = 2.0  # at the end of each, over which a speed is taken [s]
REGAINED = 0.8
SIDES = 8
PUSHES = (0.5, 1.0, 1.5)  # [m/s]
PART = "learning"


@dataclass(frozen=True)
class Push:
    """What a push did."""

    upright: bool
    recovered: bool  # upright, and running again


def pushed(policy: str, options: Mapping[str, Any], push: float, side: int) -> Push:
    """Return what a push does.

    Args:
        policy: A name or a checkpoint.
        options: Of the environment.
        push: Change of the body's velocity [m/s].
        side: 0 to `SIDES` - 1, counterclockwise from the right; the seed of the episode too.
    """
    found, name, options = policies.find(policy, None, options)
    env = gymnasium.make(name, max_episode_steps=10**9, **options)
    act, (observation, info) = found.make(env, side), env.reset(seed=side)
    angle = 2 * np.pi * side / SIDES
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


def row(policy: str, options: Mapping[str, Any], seeds: int, pushes: Iterable[float], n_jobs: int) -> list[str]:
    """Return a policy's cells of the table."""
    jobs = [(push, side) for push in pushes for side in range(SIDES)]
    run = joblib.Parallel(n_jobs=n_jobs)
    episodes = run(joblib.delayed(run_episode)(policy, ENVIRONMENT, options, seed) for seed in range(seeds))
    found = run(joblib.delayed(pushed)(policy, options, push, side) for push, side in jobs)
    recovered = [sum(p.recovered for (at, _), p in zip(jobs, found, strict=True) if at == push) for push in pushes]
    return [policies.label(policy), *cells(episodes), *(f"{n} of {SIDES}" for n in recovered)]


def table(names: list[str], options: Mapping[str, Any], seeds: int, pushes: Iterable[float], n_jobs: int) -> str:
    """Return the Markdown table."""
    pushes = tuple(pushes)
    rows = [row(name, options, seeds, pushes, n_jobs) for name in tqdm(names, unit="policy", mininterval=1.0)]
    head = ["policy", *COLUMNS.values(), *(f"push of {push:g} m/s" for push in pushes)]
    return report.markdown_table(head, rows)


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="tarsus compare policies", description=__doc__.partition("\n")[0])
    parser.add_argument("policies", nargs="*", default=["walk", "run", "best-clock", *RUNS], help="by default: ")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--pushes", type=float, nargs="+", default=PUSHES, help="[m/s]")
    parser.add_argument(
        "--randomised", action="store_true", help="draw the robot anew for each episode, as in training"
    )
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--out", type=Path, help="page to write the table into; by default it is printed")
    args = parser.parse_args(argv)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
