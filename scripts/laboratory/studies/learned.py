"""What plain PPO learned in each environment, as stored: a file for each, with its bars and its trainings."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tarsus.analytic import saving
from tarsus.scripts.library.base import stamp
from tarsus.scripts.library.learning.training_runs import plain

RESULTS = Path(__file__).parents[3] / "docs" / "data" / "learning"
EPISODES = 16  # of an evaluation
HEAD = ("environment", "policy", "seeds", "speed [m/s]", "return", f"falls, each of {EPISODES}")


class Played(NamedTuple):
    """What a policy did in the episodes of an evaluation."""

    steps: int  # of training before it
    speed: float  # mean [m/s]
    reward: float  # mean return
    falls: int  # of `EPISODES`


def stored_in(results: Path, environment: str, options: Mapping[str, Any]) -> tuple[Path, dict[str, Any]]:
    """Return the file of an environment with options, and what it holds: `bars`, and `trained` by `ENVS SEED`."""
    words = [environment.rpartition(":")[2], *(f"{name}={value}" for name, value in options.items())]
    path = results / f"{'_'.join(words)}.json"
    if path.exists():
        return path, json.loads(path.read_text(encoding="utf-8"))
    return path, {"environment": words[0], "options": plain(options), "bars": {}, "trained": {}}


def check_bars(path: Path, stored: Mapping[str, Any], bars: Mapping[str, Played]) -> None:
    """Refuse what was stored when an environment's bars were others: its trainings are of another environment.

    Raises:
        ValueError: If one has another return than the stored one, by more than a hundredth.
    """
    for name, now in bars.items():
        before = Played(*stored["bars"].get(name, now))
        if abs(now.reward - before.reward) > 0.01 * abs(before.reward):
            raise ValueError(
                f"{path} is of another environment: {name} returned {before.reward:.0f} when it was made, and returns "
                f"{now.reward:.0f}; move it away, or give another folder by --results"
            )


def keep(path: Path, stored: dict[str, Any], packages: tuple[str, ...]) -> None:
    """Write what is known of an environment; what was there stays until that is complete."""
    path.parent.mkdir(parents=True, exist_ok=True)
    made = {"versions": stamp.versions(*packages), "computer": stamp.computer()}
    saving.write_text(path, json.dumps(stored | made, indent=1) + "\n")


def rows_of(stored: Mapping[str, Any]) -> list[list[str]]:
    """Return the rows of an environment: the bars, and for each number of simulations all seeds at the last steps."""
    name = ", ".join([stored["environment"], *(f"`{key}={value}`" for key, value in stored["options"].items())])
    rows = [[name, bar, *_cells([Played(*played)])] for bar, played in stored["bars"].items()]
    trained: dict[tuple[int, int], list[Played]] = {}
    for case, judged in stored["trained"].items():
        last = Played(*judged[-1])
        trained.setdefault((int(case.split()[0]), last.steps), []).append(last)
    for (num_envs, steps), seeds in sorted(trained.items()):
        rows.append([name, f"PPO, simulations: {num_envs}, steps: {steps:,}", *_cells(seeds)])
    return rows


def _cells(seeds: Sequence[Played]) -> list[str]:
    """Return the number of seeds, the ranges of speed and return, and all falls."""
    ends = [(min(values), max(values)) for values in ([one.speed for one in seeds], [one.reward for one in seeds])]
    told = [
        " to ".join(dict.fromkeys(form.format(end) for end in both))
        for form, both in zip(("{:.3g}", "{:.0f}"), ends, strict=True)
    ]
    return [str(len(seeds)), *told, str(sum(one.falls for one in seeds))]
