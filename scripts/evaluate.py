"""What a policy does: return, speed, cost of transport and falls, mean and spread over seeds and episodes.

Usage: tarsus evaluate POLICY [--env Hexapod-v0] [--option terrain=rough ...] [--seeds 5] [--video walk.mp4].
POLICY is a name (zero, random, clock, PD, ...) or the folder of a checkpoint, which brings its environment and options.
Runtime: about a second for an episode.
"""

from __future__ import annotations

import argparse
import ast
import sys
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import gymnasium
import joblib
import numpy as np

import tarsus  # noqa: F401  registers the environments
from tarsus.scripts import report
from tarsus.scripts.learning import policies
from tarsus.scripts.views import rendering

STILL = 0.1  # a shorter way has no cost of transport [m]


@dataclass(frozen=True)
class Episode:
    """The numbers of an episode; NaN where an environment does not say."""

    total: float  # return
    length: float  # [s]
    speed: float  # along the world's forward axis, mean [m/s]
    cost_of_transport: float  # positive work of the joints over weight and way; sampled once a control period
    fell: float  # 1 if the episode was terminated


COLUMNS = {
    "total": "return",
    "length": "length [s]",
    "speed": "speed [m/s]",
    "cost_of_transport": "CoT",
    "fell": "falls",
}


def run_episode(policy: str, environment: str | None, options: Mapping[str, Any], seed: int, video=None) -> Episode:
    """Run one episode of a policy, and film it if `video` is a path."""
    found, name, options = policies.find(policy, environment, options)
    env = gymnasium.make(name, render_mode="rgb_array" if video else None, **options)
    act = found.make(env, seed)
    observation, info = env.reset(seed=seed)
    rewards, work, frames, over = [], 0.0, [], False
    while not over:
        observation, reward, terminated, truncated, info = env.step(act(observation, info))
        rewards.append(reward)
        work += positive_power(env.unwrapped, info) * env.unwrapped.ctrl_dt
        if video:
            frames.append(env.render())
        over = terminated or truncated
    length = len(rewards) * env.unwrapped.ctrl_dt
    env.close()
    if video:
        write(frames, video, 1 / env.unwrapped.ctrl_dt)
    way = float(info.get("distance", np.nan))
    cost = work / (weight(env.unwrapped.model) * way) if work > 0 and way > STILL else np.nan
    return Episode(float(sum(rewards)), length, way / length, cost, float(terminated))


def positive_power(env: gymnasium.Env, info: Mapping[str, Any]) -> float:
    """Return the positive power of the driven joints [W]; NaN if `info` has no `torque`, one for each actuator."""
    if "torque" not in info:
        return np.nan
    driven = env.model.jnt_dofadr[env.model.actuator_trnid[:, 0]]
    return float(np.maximum(info["torque"] * env.data.qvel[driven], 0.0).sum())


def weight(model) -> float:
    """Return the weight of everything in a MuJoCo model [N]."""
    return float(model.body_mass.sum() * np.linalg.norm(model.opt.gravity))


def write(frames: list[np.ndarray], path: Path, fps: float) -> None:
    """Write a film of about 25 frames per second."""
    import imageio

    every = max(1, round(fps / 25))
    with imageio.get_writer(path, fps=fps / every, macro_block_size=None) as writer:
        for frame in frames[::every]:
            writer.append_data(frame)


def evaluate(policy: str, environment=None, options=None, n_seeds=5, n_episodes=1, n_jobs=1) -> list[Episode]:
    """Return the episodes of seeds 0 to n_seeds - 1, `n_episodes` each, on joblib's active backend."""
    seeds = [1000 * episode + seed for seed in range(n_seeds) for episode in range(n_episodes)]
    run = joblib.delayed(run_episode)
    return joblib.Parallel(n_jobs=n_jobs)(run(policy, environment, options or {}, seed) for seed in seeds)


def cells(episodes: list[Episode]) -> list[str]:
    """Return mean and standard deviation of every number."""
    shown = []
    for entry in fields(Episode):
        values = np.array([getattr(episode, entry.name) for episode in episodes])
        if entry.name == "fell":
            shown.append(f"{int(values.sum())} of {len(values)}")
        elif np.isnan(values).all():
            shown.append("-")
        else:
            mean, spread = np.nanmean(values), np.nanstd(values)
            digits = max(0, 2 - int(np.floor(np.log10(max(abs(mean), 1e-9)))))
            shown.append(f"{mean:.{min(digits, 4)}f} ± {spread:.{min(digits, 4)}f}")
    return shown


def option(text: str) -> tuple[str, Any]:
    """Return NAME=VALUE as a pair; a value that is no Python literal is a string."""
    name, equals, value = text.partition("=")
    if not equals:
        raise argparse.ArgumentTypeError(f"an option is NAME=VALUE, got {text!r}")
    try:
        return name, ast.literal_eval(value)
    except (ValueError, SyntaxError):
        return name, value


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="tarsus evaluate", description=__doc__.partition("\n")[0])
    parser.add_argument("policy", help="a name, or the folder of a checkpoint")
    parser.add_argument("--env", help="by default Hexapod-v0, or the checkpoint's")
    parser.add_argument("--option", type=option, nargs="+", default=[], metavar="NAME=VALUE", help="of the environment")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--episodes", type=int, default=1, help="of each seed")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--video", type=Path, help="film of the first seed's episode (.mp4, .gif)")
    args = parser.parse_args(argv)
    options = dict(args.option)
    if args.video and not rendering.choose_opengl():
        print(rendering.NO_OPENGL, file=sys.stderr)
        return 2
    try:
        episodes = evaluate(args.policy, args.env, options, args.seeds, args.episodes, args.jobs)
        if args.video:
            run_episode(args.policy, args.env, options, 0, args.video)
    except (ValueError, TypeError, FileNotFoundError, gymnasium.error.Error) as problem:
        print(f"tarsus evaluate: {problem}", file=sys.stderr)
        return 2
    print(report.markdown_table(["policy", *COLUMNS.values()], [[args.policy, *cells(episodes)]]))
    print(f"mean ± standard deviation of {len(episodes)} episodes; {report.versions('tarsus', 'mujoco', 'gymnasium')}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
