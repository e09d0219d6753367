"""Who follows commands: policies of Hexapod-v0 told a speed and a yaw rate, on flat and on rough ground.

Usage: tarsus page followers [POLICY ...] [--grounds flat rough] [--seeds 20] [--jobs 2] [--out docs/policies.md]
A policy is a name or the folder of a checkpoint; a run's name stands for its seeds together.
Runtime: about a second for an episode, so ten minutes for the default.

Kept is the mean of exp(-((value - command) / width)^2) over a whole episode, after a fall 0: 100 % is
exactly what was commanded. The widths are those of the environment's reward.

With --out the part of the page between the two marker comments is replaced.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import joblib
import numpy as np
from tqdm import tqdm

import tarsus  # noqa: F401  registers the environments
from tarsus.scripts import arguments, paths, report
from tarsus.scripts.learning import playing, policies

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


def asked(ground: str) -> dict[str, str]:
    """Return the options of the environment on a ground."""
    return {"task": "commanded", "terrain": ground}


def follow(policy: str, ground: str, seed: int) -> Following:
    """Run one episode of a policy on a ground."""
    env, act = playing.start(policy, ENVIRONMENT, asked(ground), seed)
    weights = np.array([env.unwrapped.config.weights[term] for term in KEPT])
    observation, info = env.reset(seed=seed)
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


@arguments.command
def main(argv: list[str] | None = None) -> int:
    parser = arguments.Parser(prog="tarsus page followers", description=__doc__.partition("\n")[0])
    parser.add_argument("policies", nargs="*", default=NAMES, help=f"by default {' '.join(NAMES)}")
    parser.add_argument("--grounds", nargs="+", default=["flat", "rough"], help="names of terrains")
    parser.add_argument("--seeds", type=arguments.count, default=20)
    parser.add_argument("--jobs", type=arguments.jobs, default=1, help="processes")
    parser.add_argument("--out", type=paths.page, help="page to write the table into")
    with arguments.read(parser, argv) as args:
        if args.out:
            report.check_page(args.out, PART)
        for ground in args.grounds:
            for policy in args.policies:
                playing.check_together(policy, ENVIRONMENT, asked(ground))
    text = table(args.policies, args.grounds, args.seeds, args.jobs)
    print(text)
    if args.out:
        report.write_part(args.out, PART, "tarsus page followers", text, ("tarsus", "mujoco", "gymnasium"))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
