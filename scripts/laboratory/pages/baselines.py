"""The table of baselines: for every environment as registered what each policy reaches, hand-made and trained.

Usage: tarsus page baselines [--runs FOLDER] [--seeds 5] [--write]. Runtime: about a second for an episode, five minutes
in all. Harder ground, pushes and commands are in the frozen tasks (`tarsus page tasks`).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from pathlib import Path
from typing import Literal

import numpy as np

import tarsus  # noqa: F401  registers the environments
from tarsus.envs import ENVIRONMENTS, SURROGATES
from tarsus.envs.frozen import INTERFACE
from tarsus.scripts.command.signature import Count, Jobs
from tarsus.scripts.laboratory.frame import Page, Place, Table
from tarsus.scripts.library.base import parallel
from tarsus.scripts.library.learning import checkpoint, playing, policies
from tarsus.scripts.library.learning import scores as scoring
from tarsus.scripts.library.learning.evaluation import COLUMNS, Episode, cells, run_episode

PLACE = Place("tasks.md", "baselines")
KNOWN = (*ENVIRONMENTS, *SURROGATES)
SHOWN = tuple(name for name in KNOWN if name.replace("-v0", "-v1") not in KNOWN or name.endswith("-v1"))
PACKAGES = ("tarsus", "mujoco", "gymnasium", "numpy", "torch", "stable-baselines3")


def trained(folder: Path | None) -> dict[str, list[Path]]:
    """Return the policies of every run, one for each training seed, by the run's name; None is the shipped ones."""
    known = policies.shipped() if folder is None else {p.parent.name: p for p in sorted(folder.glob("*-*/best"))}
    found: dict[str, list[Path]] = {}
    for name, path in known.items():
        found.setdefault(name.rpartition("-")[0], []).append(path)
    return found


def jobs(environment: str, folder: Path | None, n_seeds: int) -> dict[str, list[tuple[str, int]]]:
    """Return (policy, seed) of every episode of an environment with its own options, by the name of the row."""
    known = policies.of_environment(environment).items()
    names = [name for name, policy in known if policy.needs.get("task", "forward") == "forward"]
    rows = {name: [(name, seed) for seed in range(n_seeds)] for name in names}
    for name, members in trained(folder).items():
        mine = [path for path in members if _is_of(path, environment)]
        if mine:
            steps = max(checkpoint.settings(path)["steps"] for path in mine)
            seeds = "1 seed" if len(mine) == 1 else f"{len(mine)} seeds"
            label = f"{name}, trained ({seeds}, up to {steps:,} steps)"
            rows[label] = [(str(path), seed) for path in mine for seed in range(n_seeds)]
    return rows


def _is_of(path: Path, environment: str) -> bool:
    """Return whether a policy was trained in an environment with its own options, but for its actions and inputs."""
    settings = checkpoint.settings(path)
    return settings["environment"] == environment and set(settings["options"]) <= set(INTERFACE)


def check(env: Iterable[str], runs: Path | None, **_) -> None:
    """Refuse trained policies of a folder that cannot be replayed.

    Raises:
        ValueError: The sentence says which, and why.
    """
    if runs is None:
        return
    if not runs.is_dir():
        raise ValueError(f"--runs must be a folder that is there, got {str(runs)!r}")
    for path in itertools.chain.from_iterable(trained(runs).values()):
        if checkpoint.settings(path).get("environment") in env:
            playing.check(str(path), None, {})


def compute(environment: str, folder: Path | None, n_seeds: int, n_jobs: int) -> dict[str, list[Episode]]:
    """Return the episodes of every policy of an environment, by the row's name."""
    rows = jobs(environment, folder, n_seeds)
    flat = [(policy, environment, {}, seed) for listed in rows.values() for policy, seed in listed]
    made = iter(parallel.each(run_episode, flat, n_jobs, desc=environment))
    return {label: list(itertools.islice(made, len(listed))) for label, listed in rows.items()}


def interquartile(returns: np.ndarray, n_seeds: int) -> str:
    """Return the interquartile mean of returns and its 95 % interval over training seeds, as rliable reports them.

    A score is the mean of a training seed's episodes (Agarwal et al. 2021); of a hand-made policy, an episode's return.

    Args:
        returns: Of the episodes, those of a training seed together, shape (n,).
        n_seeds: Episodes of a policy.
    """
    scores = returns if len(returns) == n_seeds else returns.reshape(-1, n_seeds).mean(axis=1)
    if len(scores) == 1 or np.ptp(scores) == 0.0:
        return f"{scores[0]:.4g}"
    mean, low, high = scoring.interquartile([scores])
    return f"{mean:.4g} ({low:.4g} to {high:.4g})"


def tables(env: tuple[Literal[KNOWN], ...] = SHOWN, runs: Path | None = None, seeds: Count = 5, jobs: Jobs = 1) -> Page:
    """Return the table.

    Args:
        env: Environments, by default the newest version of each.
        runs: Folder of trained policies, as `tarsus train` leaves them; by default the shipped ones.
        seeds: Episodes of each policy.
        jobs: Processes.
    """
    shown = [k for k, name in enumerate(COLUMNS) if name not in ("total", "length")]  # what did not last has fallen
    head = ["environment", "policy", "return, interquartile mean (95 %)", *([*COLUMNS.values()][k] for k in shown)]
    body = []
    for name in env:
        for label, episodes in compute(name, runs, seeds, jobs).items():
            made_of, totals = cells(episodes), np.array([one.total for one in episodes])
            body.append([name, label, interquartile(totals, seeds), *(made_of[k] for k in shown)])
    return Page(Table(head, body))
