"""The table of baselines: for every environment what each policy reaches, hand-made and trained.

Usage: tarsus baselines [--runs FOLDER] [--seeds 5] [--out docs/baselines.md]. Trained policies are the checkpoints
FOLDER/RUN-SEED/best, as `tarsus train` leaves them. Runtime: about a second for an episode.

The part of the file between the two marker comments is replaced; without a file, one with only the tables is written.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterable
from pathlib import Path

import joblib
from tqdm import tqdm

import tarsus  # noqa: F401  registers the environments
from tarsus.envs import ENVIRONMENTS
from tarsus.scripts import checkpoint, policies, report
from tarsus.scripts.evaluate import COLUMNS, Episode, cells, run_episode

PART = "baselines"
EMPTY = f"<!-- {PART}: begin -->\n<!-- {PART}: end -->\n"
PACKAGES = ("tarsus", "mujoco", "gymnasium", "numpy", "torch", "stable-baselines3")


def trained(folder: Path) -> dict[str, list[Path]]:
    """Return the best checkpoints of every run, one for each training seed, by the run's name."""
    found: dict[str, list[Path]] = {}
    for best in sorted(folder.glob("*-*/best")):
        found.setdefault(best.parent.name.rpartition("-")[0], []).append(best)
    return found


def jobs(environment: str, folder: Path, n_seeds: int) -> dict[str, list[tuple[str, int]]]:
    """Return (policy, seed) of every episode of an environment, by the name of the row."""
    rows = {name: [(name, seed) for seed in range(n_seeds)] for name in policies.of_environment(environment)}
    for name, paths in trained(folder).items():
        mine = [path for path in paths if checkpoint.settings(path)["environment"] == environment]
        if mine:
            steps = max(checkpoint.settings(path)["steps"] for path in mine)
            label = f"{name}, trained ({len(mine)} seeds, up to {steps:,} steps)"
            rows[label] = [(str(path), seed) for path in mine for seed in range(n_seeds)]
    return rows


def compute(
    environments: Iterable[str], folder: Path, n_seeds: int, n_jobs: int
) -> dict[str, dict[str, list[Episode]]]:
    """Return the episodes of every policy in every environment, on joblib's active backend."""
    found = {}
    for environment in environments:
        rows = jobs(environment, folder, n_seeds)
        flat = [(label, job) for label, listed in rows.items() for job in listed]
        run = joblib.Parallel(n_jobs=n_jobs, return_as="generator")
        made = run(joblib.delayed(run_episode)(policy, environment, {}, seed) for _, (policy, seed) in flat)
        found[environment] = {label: [] for label in rows}
        for (label, _), episode in zip(flat, tqdm(made, total=len(flat), desc=environment, mininterval=1), strict=True):
            found[environment][label].append(episode)
    return found


def tables(found: dict[str, dict[str, list[Episode]]]) -> str:
    """Return the generated part of the page, Markdown."""
    made = f"Made by `tarsus baselines` on {time.strftime('%Y-%m-%d')}"
    parts = [f"{made} with {report.versions(*PACKAGES)}, on {report.machine()}."]
    for environment, rows in found.items():
        body = [[label, *cells(episodes), len(episodes)] for label, episodes in rows.items()]
        parts.append(f"## {environment}\n\n" + report.markdown_table(["policy", *COLUMNS.values(), "episodes"], body))
    return "\n\n".join(parts)


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="tarsus baselines", description=__doc__.partition("\n")[0])
    parser.add_argument("--env", nargs="+", default=list(ENVIRONMENTS), help="by default all")
    parser.add_argument("--runs", type=Path, default=Path("runs"), help="folder of the trained policies")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--out", type=Path, help="page to write; by default the tables are printed")
    args = parser.parse_args(argv)
    page = args.out.read_text(encoding="utf-8") if args.out and args.out.exists() else EMPTY
    try:
        report.insert(page, PART, "")  # before the episodes, which take minutes
    except ValueError as problem:
        print(f"tarsus baselines: {args.out}: {problem}", file=sys.stderr)
        return 2
    text = tables(compute(args.env, args.runs, args.seeds, args.jobs))
    print(text)
    if args.out:
        args.out.write_text(report.insert(page, PART, text), encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
