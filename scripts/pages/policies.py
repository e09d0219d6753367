"""Learning over the clock: policies of Hexapod-v0 side by side in speed, cost of transport and recovery from pushes.

Usage: tarsus page policies [POLICY ...] [--seeds 5] [--pushes 1 1.5] [--option NAME=VALUE ...] [--randomised]
A policy is a name or the folder of a checkpoint; a run's name stands for its seeds together.
Runtime: about a second for an episode and half of one for a push, so four minutes for the default.

A push changes the velocity of the body within a physics step, after `BEFORE` seconds of an episode, to one of eight
sides. A policy has recovered if `AFTER` seconds later the robot is on its legs, and over the last of them as fast as
`REGAINED` of what it was before.

With --out the part of the page between the two marker comments is replaced.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import joblib
import numpy as np
from tqdm import tqdm

import tarsus  # noqa: F401  registers the environments
from tarsus.scripts import arguments, paths, report
from tarsus.scripts.evaluate import COLUMNS, cells, option, run_episode
from tarsus.scripts.learning import playing, policies
from tarsus.scripts.learning.training_runs import RANDOMISED

ENVIRONMENT = "Hexapod-v0"
BEFORE, AFTER = 4.0, 4.0  # [s]
JUDGED = 2.0  # at the end of each, over which a speed is taken [s]
REGAINED = 0.8
SIDES = 8
PUSHES = (1.0, 1.5)  # [m/s]
PART = "learning"
NAMES = ["walk", "run", "sprint", "dash", "hexapod-gait", "hexapod-gait-randomised"]


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
    env, act = playing.start(policy, ENVIRONMENT, options, side, max_episode_steps=10**9)
    observation, info = env.reset(seed=side)
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


def row(name: str, options: Mapping[str, Any], seeds: int, pushes: Sequence[float], n_jobs: int) -> list[str]:
    """Return a policy's cells of the table; those of a run's seeds together."""
    label, members = policies.together(name)
    run = joblib.Parallel(n_jobs=n_jobs)
    episodes = run(
        joblib.delayed(run_episode)(member, ENVIRONMENT, options, seed) for member in members for seed in range(seeds)
    )
    jobs = [(member, push, side) for member in members for push in pushes for side in range(SIDES)]
    found = run(joblib.delayed(pushed)(member, options, push, side) for member, push, side in jobs)
    shares = []
    for push in pushes:
        mine = [was for (_, at, _), was in zip(jobs, found, strict=True) if at == push]
        shares.append(f"{sum(was.recovered for was in mine)}, {sum(was.upright for was in mine)} of {len(mine)}")
    return [label, *cells(episodes), *shares]


def table(names: Iterable[str], options: Mapping[str, Any], seeds: int, pushes: Sequence[float], n_jobs: int) -> str:
    """Return the Markdown table."""
    rows = [row(name, options, seeds, pushes, n_jobs) for name in tqdm(names, unit="policy", mininterval=1.0)]
    head = ["policy", *COLUMNS.values(), *(f"recovered, upright at {push:g} m/s" for push in pushes)]
    return report.markdown_table(head, rows)


@arguments.command
def main(argv: list[str] | None = None) -> int:
    parser = arguments.Parser(prog="tarsus page policies", description=__doc__.partition("\n")[0])
    parser.add_argument("policies", nargs="*", default=NAMES, help=f"by default {' '.join(NAMES)}")
    parser.add_argument("--seeds", type=arguments.count, default=5)
    speed = arguments.number(0, 1000)
    parser.add_argument("--pushes", type=speed, nargs="+", default=PUSHES, help="changes of the body's velocity [m/s]")
    parser.add_argument("--option", type=option, nargs="+", default=[], metavar="NAME=VALUE", help="of the environment")
    parser.add_argument("--randomised", action="store_true", help="draw a robot for each episode, as in training")
    parser.add_argument("--jobs", type=arguments.jobs, default=1, help="processes")
    parser.add_argument("--out", type=paths.page, help="page to write the table into")
    with arguments.read(parser, argv) as args:
        options = dict(args.option) | {"randomise": RANDOMISED if args.randomised else {}}
        part = PART + ("-randomised" if args.randomised else "")
        if args.out:
            report.check_page(args.out, part)
        for policy in args.policies:
            playing.check_together(policy, ENVIRONMENT, options)
    text = table(args.policies, options, args.seeds, args.pushes, args.jobs)
    print(text)
    if args.out:
        command = "tarsus page policies" + " --randomised" * args.randomised
        report.write_part(args.out, part, command, text, ("tarsus", "mujoco", "gymnasium"))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
