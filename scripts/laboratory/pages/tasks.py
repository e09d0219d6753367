"""The tables of docs/tasks.md: what the frozen tasks are, and what random, hand-made and trained policies score.

Usage: tarsus page tasks [--task tarsus/DogTrot-v0 ...] [--runs FOLDER] [--jobs 2] [--write]. Runtime: ten seconds of
a core for each policy in each task, about ten minutes in all.

Trained policies are the shipped ones of a task's environment, all training seeds together, and those of `--runs`.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Literal

import numpy as np

import tarsus  # noqa: F401  registers the environments
from tarsus.envs import TASKS
from tarsus.envs.frozen import SEEDS, FrozenTask
from tarsus.scripts.command.signature import Jobs
from tarsus.scripts.laboratory.frame import Page, Place, Table
from tarsus.scripts.library.base import parallel
from tarsus.scripts.library.learning import checkpoint, leaderboard, policies, scores
from tarsus.scripts.library.learning.evaluation import Episode, run_episode
from tarsus.scripts.library.learning.leaderboard import Entry

PLACE = Place("tasks.md", "tasks")
PACKAGES = ("tarsus", "mujoco", "gymnasium", "numpy")
ALL = ("random", "zero")
# What else is played: hand-made policies, and runs whose policies are shipped.
PLAYED = {
    "tarsus/HexapodWalk-v0": ("dash", "hexapod", "hexapod-gait"),
    "tarsus/HexapodScratch-v0": ("clock", "hexapod-scratch"),
    "tarsus/HexapodPush-v0": ("hexapod-gait-randomised",),
    "tarsus/HexapodFollow-v0": ("hexapod-commanded",),
    "tarsus/HexapodEconomy-v0": ("hexapod-economy",),
    "tarsus/HoppingDitch-v0": ("Raibert-hurried", "hopping-ditch"),
    "tarsus/MultipodFollow-v0": ("multipod-follow",),
    "tarsus/DogTrot-v0": ("clock-hurried", "dog"),
    "tarsus/DogRough-v0": ("clock-hurried", "dog"),
    "tarsus/DogScratch-v0": ("trot", "dog-scratch"),
}


def described() -> Table:
    """Return the table of the tasks."""
    head = ("task", "made of", "judged by", "0", "1", "for what")
    return Table(head, [_described(name, task) for name, task in TASKS.items()], "## The tasks")


def _described(name: str, task: FrozenTask) -> list[str]:
    options = ", ".join(f"`{option}`" for option in task.options) or "its defaults"
    unit = {"1": ""}.get(scores.UNITS[task.score], f" {scores.UNITS[task.score]}")
    ends = [f"{value:g}{unit}: {what}" for value, what in ((task.zero, task.zero_is), (task.one, task.one_is))]
    return [f"`{name}`", f"`{task.environment}`: {options}", task.score, *ends, task.reason]


def played(runs: Path | None, names: Iterable[str] = TASKS) -> list[tuple[str, str, str]]:
    """Return task, entrant and policy of all that is played in some tasks."""
    found = []
    for name in names:
        for entrant in (*ALL, *PLAYED.get(name, ())):
            found += [(name, entrant, member) for member in policies.seeds_of(entrant) or [entrant]]
    for path in sorted(runs.glob("*/best")) if runs else ():
        environment = checkpoint.settings(path)["environment"]
        if environment in names:
            found.append((environment, f"{checkpoint.settings(path)['algorithm']}, on the task", str(path)))
    return found


def check(runs: Path | None, **_) -> None:
    """Refuse a folder that is not there.

    Raises:
        ValueError: The sentence names it.
    """
    if runs is not None and not runs.is_dir():
        raise ValueError(f"--runs must be a folder that is there, got {str(runs)!r}")


def entered(case: tuple[str, str, str], episodes: Iterable[Episode]) -> Entry:
    """Return a policy's episodes as an entry."""
    (name, entrant, policy), played = case, list(episodes)
    scored, falls = np.array([episode.score for episode in played]), int(sum(episode.fell for episode in played))
    return Entry(entrant, Path(), name, policy, {}, False, scored, falls, "", policy, True)


def trained_for(entrant: str) -> str:
    """Return the most steps of training of a run's policies, "more" if another policy was begun with; "-" of no run."""
    shipped = policies.shipped()
    made = [checkpoint.settings(shipped[member]) for member in policies.seeds_of(entrant)]
    if not made:
        return "-"
    return f"{max(one['steps'] for one in made):,}" + (" more" if any(one.get("start") for one in made) else "")


def tables(task: tuple[Literal[*TASKS], ...] = tuple(TASKS), runs: Path | None = None, jobs: Jobs = 1) -> Page:
    """Return the table of the tasks, and that of what policies score.

    Args:
        task: Those that are played.
        runs: Folder of policies that `tarsus train --env TASK` left.
        jobs: Processes.
    """
    cases = played(runs, task)
    flat = [(policy, name, {}, seed) for (name, _, policy), seed in itertools.product(cases, SEEDS)]
    made = iter(parallel.each(run_episode, flat, jobs, desc="episodes"))
    found = [entered(case, itertools.islice(made, len(SEEDS))) for case in cases]
    rows = [[*row[:-1], trained_for(row[1])] for row in leaderboard.table(found) if row[0] in TASKS]
    scored = Table((*leaderboard.HEAD[:-1], "steps"), rows, "## What policies score")
    return Page(described(), scored, files={"../scripts/library/learning/trained/scores.json": lambda: stored(rows)})


def stored(rows: Iterable[Sequence]) -> str:
    """Return the scores that come with the package, of `leaderboard.STORED`, with these rows of some tasks in them."""
    found = json.loads(leaderboard.STORED.read_text(encoding="utf-8"))
    anew = {name: [row[1:] for row in some] for name, some in itertools.groupby(rows, lambda row: row[0])}
    lines = [f"{json.dumps(name)}: {json.dumps({**found, **anew}.get(name, []), ensure_ascii=False)}" for name in TASKS]
    return "{\n" + ",\n".join(lines) + "\n}\n"
