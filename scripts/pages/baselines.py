"""The table of baselines: for every environment what each policy reaches, hand-made and trained.

Usage: tarsus page baselines [--runs FOLDER] [--seeds 5] [--out docs/baselines.md]. Trained policies are those that come
with the package, or the checkpoints FOLDER/RUN-SEED/best, as `tarsus train` leaves them. Runtime: about a second for an
episode, five minutes in all.

A run that was trained with other options than the environment's own has a table of its own, in which the hand-made
policies face the same. The part of the file between the two marker comments is replaced; without a file, one with only
the tables is written.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import joblib
from tqdm import tqdm

import tarsus  # noqa: F401  registers the environments
from tarsus.analytic import saving
from tarsus.envs import ENVIRONMENTS, SURROGATES
from tarsus.scripts import arguments, paths, report
from tarsus.scripts.evaluate import COLUMNS, Episode, cells, run_episode
from tarsus.scripts.learning import checkpoint, playing, policies

PART = "baselines"
EMPTY = f"<!-- {PART}: begin -->\n<!-- {PART}: end -->\n"
PACKAGES = ("tarsus", "mujoco", "gymnasium", "numpy", "torch", "stable-baselines3")


def trained(folder: Path | None) -> dict[str, list[Path]]:
    """Return the policies of every run, one for each training seed, by the run's name; None is the shipped ones."""
    known = policies.shipped() if folder is None else {p.parent.name: p for p in sorted(folder.glob("*-*/best"))}
    found: dict[str, list[Path]] = {}
    for name, path in known.items():
        found.setdefault(name.rpartition("-")[0], []).append(path)
    return found


def setting(path: Path) -> dict[str, Any]:
    """Return the options that a policy was trained with, but for what its actions mean."""
    return {name: value for name, value in checkpoint.settings(path)["options"].items() if name != "action_mode"}


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
    task = options.get("task", "forward")
    known = policies.of_environment(environment).items()
    names = [name for name, policy in known if policy.needs.get("task", task) == task]
    rows = {name: [(name, seed) for seed in range(n_seeds)] for name in names}
    for name, members in trained(folder).items():
        mine = [p for p in members if checkpoint.settings(p)["environment"] == environment and setting(p) == options]
        if mine:
            steps = max(checkpoint.settings(path)["steps"] for path in mine)
            seeds = "1 seed" if len(mine) == 1 else f"{len(mine)} seeds"
            label = f"{name}, trained ({seeds}, up to {steps:,} steps)"
            rows[label] = [(str(path), seed) for path in mine for seed in range(n_seeds)]
    return rows


def settings_of(environment: str, folder: Path | None) -> list[dict[str, Any]]:
    """Return the options of an environment's tables: its own, and those that something was trained with."""
    found: list[dict[str, Any]] = [{}]
    for path in itertools.chain.from_iterable(trained(folder).values()):
        if checkpoint.settings(path)["environment"] == environment and setting(path) not in found:
            found.append(setting(path))
    return found


def check(environments: Iterable[str], folder: Path | None) -> None:
    """Refuse trained policies of a folder that cannot be replayed.

    Raises:
        ValueError: The sentence says which, and why.
    """
    if folder is None:
        return
    if not folder.is_dir():
        raise ValueError(f"--runs must be a folder that is there, got {str(folder)!r}")
    for path in itertools.chain.from_iterable(trained(folder).values()):
        if checkpoint.settings(path).get("environment") in environments:
            playing.check(str(path), None, {})


def compute(environments: Iterable[str], folder: Path | None, n_seeds: int, n_jobs: int):
    """Return the episodes of every policy, by the row's name, by the table's title, on joblib's active backend."""
    found: dict[str, dict[str, list[Episode]]] = {}
    for environment in environments:
        for options in settings_of(environment, folder):
            rows, name = jobs(environment, options, folder, n_seeds), title(environment, options)
            flat = [(label, job) for label, listed in rows.items() for job in listed]
            run = joblib.Parallel(n_jobs=n_jobs, return_as="generator")
            made = run(joblib.delayed(run_episode)(policy, environment, options, seed) for _, (policy, seed) in flat)
            found[name] = {label: [] for label in rows}
            for (label, _), episode in zip(
                flat, tqdm(made, total=len(flat), desc=name[:30], mininterval=1), strict=True
            ):
                found[name][label].append(episode)
    return found


def tables(found: dict[str, dict[str, list[Episode]]]) -> str:
    """Return the generated part of the page, Markdown."""
    made = f"Made by `tarsus page baselines` on {time.strftime('%Y-%m-%d')}"
    parts = [f"{made} with {report.versions(*PACKAGES)}, on {report.machine()}."]
    for name, rows in found.items():
        body = [[label, *cells(episodes), len(episodes)] for label, episodes in rows.items()]
        parts.append(f"## {name}\n\n" + report.markdown_table(["policy", *COLUMNS.values(), "episodes"], body))
    return "\n\n".join(parts)


@arguments.command
def main(argv: list[str] | None = None) -> int:
    parser = arguments.Parser(prog="tarsus page baselines", description=__doc__.partition("\n")[0])
    known = [*ENVIRONMENTS, *SURROGATES]
    parser.add_argument("--env", nargs="+", default=known, choices=known, metavar="NAME", help="by default all")
    parser.add_argument("--runs", type=Path, help="folder of trained policies; by default the shipped ones")
    parser.add_argument("--seeds", type=arguments.count, default=5)
    parser.add_argument("--jobs", type=arguments.jobs, default=1, help="processes")
    parser.add_argument("--out", type=paths.page, help="page to write; by default the tables are printed")
    with arguments.read(parser, argv) as args:
        page = report.check_page(args.out, PART) if args.out and args.out.exists() else EMPTY
        check(args.env, args.runs)
    text = tables(compute(args.env, args.runs, args.seeds, args.jobs))
    print(text)
    if args.out:
        saving.write_text(args.out, report.insert(page, PART, text))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
