"""The table of baselines: for every environment what each policy reaches, hand-made and trained.

Usage: tarsus page baselines [--runs FOLDER] [--seeds 5] [--write]. Runtime: about a second for an episode, five minutes
in all.

A run that was trained with other options than the environment's own has a table of its own, in which the hand-made
policies face the same. On rough ground and under pushes, which nothing of an environment's own options was trained in,
stand what was trained, the baseline that its actions correct, and the same in a hurry.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Literal

import numpy as np

import tarsus  # noqa: F401  registers the environments
from tarsus.envs import ENVIRONMENTS, SURROGATES
from tarsus.scripts.command.signature import Count, Jobs
from tarsus.scripts.laboratory.frame import Page, Place, Table
from tarsus.scripts.library.base import parallel
from tarsus.scripts.library.learning import checkpoint, playing, policies
from tarsus.scripts.library.learning import scores as scoring
from tarsus.scripts.library.learning.evaluation import COLUMNS, Episode, cells, run_episode

PLACE = Place("baselines.md", "baselines")
KNOWN = (*ENVIRONMENTS, *SURROGATES)
SHOWN = tuple(name for name in KNOWN if name.replace("-v0", "-v1") not in KNOWN or name.endswith("-v1"))
ROUGH = {"terrain": "rough"}
HARDER = {  # the push [m/s] upsets a leg, and is what a walker of many legs does not feel
    "Hexapod-v0": (ROUGH, {"push_speed": 1.0}),
    "SlipLeg-v1": (ROUGH, {"push_speed": 0.6}),
    "HoppingLeg-v1": (ROUGH, {"push_speed": 0.6}),
    "Multipod-v1": (ROUGH, {"push_speed": 1.0}),
    "BigAnt-v1": (ROUGH, {"push_speed": 1.0}),
    "Dog-v0": (ROUGH, {"push_speed": 1.0}),
}
PACKAGES = ("tarsus", "mujoco", "gymnasium", "numpy", "torch", "stable-baselines3")


def trained(folder: Path | None) -> dict[str, list[Path]]:
    """Return the policies of every run, one for each training seed, by the run's name; None is the shipped ones."""
    known = policies.shipped() if folder is None else {p.parent.name: p for p in sorted(folder.glob("*-*/best"))}
    found: dict[str, list[Path]] = {}
    for name, path in known.items():
        found.setdefault(name.rpartition("-")[0], []).append(path)
    return found


def setting(path: Path) -> dict[str, Any]:
    """Return the options that a policy was trained with, but for what its actions mean and what it sees."""
    options = checkpoint.settings(path)["options"]
    return {name: value for name, value in options.items() if name not in ("action_mode", "observations", "axes")}


def title(environment: str, options: Mapping[str, Any]) -> str:
    """Return the heading of a table."""
    words = []
    for name, value in options.items():
        if isinstance(value, Mapping):
            value = ", ".join(f"{key} {low:g} to {high:g}" for key, (low, high) in value.items())
        words.append(f"{name} {value}")
    return "; ".join([environment, *words])


def jobs(environment: str, options: Mapping[str, Any], folder: Path | None, n_seeds: int):
    """Return (policy, seed) of every episode of an environment with these options, by the name of the row."""
    task, harder = options.get("task", "forward"), options in HARDER.get(environment, ())
    known = policies.of_environment(environment).items()
    names = [name for name, policy in known if policy.needs.get("task", task) == task]
    if harder:
        names = [name for name in names if name == "zero" or name.endswith("-hurried")]
    rows = {name: [(name, seed) for seed in range(n_seeds)] for name in names}
    trained_in = {} if harder else options
    for name, members in trained(folder).items():
        mine = [p for p in members if checkpoint.settings(p)["environment"] == environment and setting(p) == trained_in]
        if mine:
            steps = max(checkpoint.settings(path)["steps"] for path in mine)
            seeds = "1 seed" if len(mine) == 1 else f"{len(mine)} seeds"
            label = f"{name}, trained ({seeds}, up to {steps:,} steps)"
            rows[label] = [(str(path), seed) for path in mine for seed in range(n_seeds)]
    return rows


def settings_of(environment: str, folder: Path | None) -> list[dict[str, Any]]:
    """Return the options of an environment's tables: its own, harder ones, those that something was trained with."""
    found: list[dict[str, Any]] = [{}, *HARDER.get(environment, ())]
    for path in itertools.chain.from_iterable(trained(folder).values()):
        if checkpoint.settings(path)["environment"] == environment and setting(path) not in found:
            found.append(setting(path))
    return found


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


def compute(environments: Iterable[str], folder: Path | None, n_seeds: int, n_jobs: int):
    """Return the episodes of every policy, by the row's name, by the table's title, on joblib's active backend."""
    found: dict[str, dict[str, list[Episode]]] = {}
    for environment in environments:
        for options in settings_of(environment, folder):
            rows, name = jobs(environment, options, folder, n_seeds), title(environment, options)
            flat = [(label, job) for label, listed in rows.items() for job in listed]
            cases = [(policy, environment, options, seed) for _, (policy, seed) in flat]
            made = parallel.each(run_episode, cases, n_jobs, desc=name[:30])
            found[name] = {label: [] for label in rows}
            for (label, _), episode in zip(flat, made, strict=True):
                found[name][label].append(episode)
    return found


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
    """Return a table for each environment, and for each setting that something was trained in.

    Args:
        env: Environments, by default the newest version of each.
        runs: Folder of trained policies, as `tarsus train` leaves them; by default the shipped ones.
        seeds: Episodes of each policy.
        jobs: Processes.
    """
    shown = [k for k, name in enumerate(COLUMNS) if name not in ("total", "length")]  # what did not last has fallen
    head = ["policy", "return, interquartile mean (95 %)", *([*COLUMNS.values()][k] for k in shown)]
    made = []
    for name, rows in compute(env, runs, seeds, jobs).items():
        totals = {label: np.array([one.total for one in episodes]) for label, episodes in rows.items()}
        body = []
        for label, episodes in rows.items():
            made_of = cells(episodes)
            body.append([label, interquartile(totals[label], seeds), *(made_of[k] for k in shown)])
        made.append(Table(head, body, f"## {name}"))
    return Page(*made)
