"""The policies that come with the package: every run and seed trained anew, and put in their place."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path

from tarsus.analytic import saving
from tarsus.scripts.library.learning import checkpoint, planning, training_runs

TRAINED = Path(__file__).parent / "trained"
SHIPPED = ("policy.npz", "run.json")  # of a checkpoint
# An episode's ground, robot and command are drawn here: the best of some evaluations was the luckiest.
LAST = ("hexapod-commanded",)


def of(names: Iterable[str], seeds: int, out: Path, threads: int) -> list[planning.Asked]:
    """Return the trainings of these runs, of all if none is named, seed by seed.

    Args:
        names: Of `training_runs.RUNS`.
        seeds: Of each run, from 0.
        out: Folder of the results.
        threads: Of each training; 0 is one for each processor that is idle.

    Raises:
        ValueError: If there is no such run.
    """
    for name in names:
        training_runs.find(name)
    wanted = [(name, seed) for seed in range(seeds) for name in (names or training_runs.RUNS)]
    return [planning.Asked(name, seed=seed, out=out, threads=threads) for name, seed in wanted]


def finished(asked: planning.Asked) -> bool:
    """Return whether a training has done all its steps."""
    latest = checkpoint.newest(asked.folder / "latest")
    return latest.exists() and checkpoint.settings(latest)["steps"] >= training_runs.find(asked.run).total_steps


def trained(trainings: Iterable[planning.Asked]) -> Iterator[planning.Asked]:
    """Train what is not finished, from where it was left; yield each training when it is.

    Raises:
        ValueError: If one cannot go on from what is there.
        OSError: If a file cannot be read or written.
        KeyboardInterrupt: After Ctrl-C; the same call goes on.
    """
    for asked in trainings:
        if not finished(asked):
            begun = checkpoint.newest(asked.folder / "latest").exists()
            planning.train(asked.run, seed=asked.seed, out=asked.out, threads=asked.threads, resume=begun)
        yield asked


def ship(asked: planning.Asked) -> Path:
    """Put a policy where those of the package are; return its folder."""
    kept, folder = asked.folder / ("latest" if asked.run in LAST else "best"), TRAINED / asked.folder.name
    folder.mkdir(parents=True, exist_ok=True)
    for name in SHIPPED:
        with saving.writing(folder / name) as part:
            shutil.copyfile(kept / name, part)
    return folder
