"""Who follows commands: policies of Hexapod-v0 told a speed and a yaw rate, on flat and on rough ground.

Usage: tarsus compare followers [POLICY ...] [--grounds flat rough] [--seeds 20] [--jobs 2] [--out docs/policies.md]
A policy is a name or the folder of a checkpoint; a run's name stands for its seeds together.
Runtime: about a second for an episode, so ten minutes for the default.

Kept is the mean of exp(-((value - command) / width)^2) over a whole episode, after a fall 0: 100 % is
exactly what was commanded. The widths are those of the environment's reward.

With --out the part of the page between the two marker comments is replaced.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import gymnasium
import joblib
import numpy as np
from tqdm import tqdm

import tarsus  # noqa: F401  registers the environments
from tarsus.scripts import report
from tarsus.scripts.learning import policies

ENVIRONMENT = "Hexapod-v0"
NAMES = ["zero", "walk", "steered", "hexapod-gait-commanded-rough", "hexapod-commanded"]
KEPT = ("speed", "yaw_rate")  # terms of the reward
HEAD = ("ground", "policy", "return", "speed kept [%]", "yaw rate kept [%]", "falls")
PART = "followers"


@dataclass(frozen=True)
class Following:
    """An episode of following commands."""

    total: float  # return
    kept: np.ndarray  # of speed and yaw rate, from 0 to 1, shape (2,)
    fell: bool


def follow(policy: str, ground: str, seed: int) -> Following:
    """Run one episode of a policy on a ground."""
    found, name, options = policies.find(policy, ENVIRONMENT, {"task": "commanded", "terrain": ground})
    env = gymnasium.make(name, **options)
    weights = np.array([env.unwrapped.config.weights[term] for term in KEPT])
    act, (observation, info) = found.make(env, seed), env.reset(seed=seed)
    total, kept, over = 0.0, np.zeros(len(KEPT)), False
    while not over:
        observation, reward, terminated, truncated, info = env.step(act(observation, info))
        total += float(reward)
        kept += [info[f"reward_{term}"] for term in KEPT]
        over = terminated or truncated
    env.close()
    return Following(total, kept / weights / env.spec.max_episode_steps, bool(terminated))


def row(ground: str, name: str, seeds: int, n_jobs: int) -> tuple[str, ...]:
    """Return a policy's cells of the table; those of a run's seeds together."""
    label, members = policies.together(name)
    jobs = (joblib.delayed(follow)(member, ground, seed) for member in members for seed in range(seeds))
    episodes = joblib.Parallel(n_jobs=n_jobs)(jobs)
    total = np.array([episode.total for episode in episodes])
    kept = 100 * np.mean([episode.kept for episode in episodes], axis=0)
    falls = f"{sum(episode.fell for episode in episodes)} of {len(episodes)}"
    return (ground, label, f"{total.mean():.0f} ± {total.std():.0f}", *(f"{share:.0f}" for share in kept), falls)


def table(names: Iterable[str], grounds: Iterable[str], seeds: int, n_jobs: int) -> str:
    """Return the Markdown table."""
    cases = [(ground, name) for ground in grounds for name in names]
    return report.markdown_table(HEAD, [row(*case, seeds, n_jobs) for case in tqdm(cases, unit="row", mininterval=1.0)])


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="tarsus compare followers", description=__doc__.partition("\n")[0])
    parser.add_argument("policies", nargs="*", default=NAMES, help=f"by default {' '.join(NAMES)}")
    parser.add_argument("--grounds", nargs="+", default=["flat", "rough"], help="names of terrains")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--out", type=Path, help="page to write the table into")
    args = parser.parse_args(argv)
    try:
        if args.out:
            report.insert(args.out.read_text(encoding="utf-8"), PART, "")  # before the episodes, which take minutes
        text = table(args.policies, args.grounds, args.seeds, args.jobs)
    except (ValueError, FileNotFoundError) as problem:
        print(f"tarsus compare followers: {problem}", file=sys.stderr)
        return 2
    print(text)
    if args.out:
        report.write_part(args.out, PART, "tarsus compare followers", text, ("tarsus", "mujoco", "gymnasium"))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
