"""Train the policies that come with the package anew, run by run and seed by seed.

Usage: tarsus page shipped [RUN ...] [--seeds 5] [--out runs] [--threads 0] [--write]. Needs the extra
`rl`. Runtime: about five minutes of a core for a policy, six hours for all; after Ctrl-C the same
command goes on. With `--write` the policies of the package are replaced: `tarsus page policies --write`,
`baselines` and `tasks` then make their tables.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path

from tarsus.analytic import saving
from tarsus.scripts.command import arguments, paths
from tarsus.scripts.library.base import interrupts
from tarsus.scripts.library.learning import checkpoint, planning, policies, training_runs

FILES = ("policy.npz", "run.json")  # of a checkpoint
# An episode's ground, robot and command are drawn here: the best of some evaluations was the luckiest.
LAST = ("hexapod-commanded", "dog-scratch")


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
    kept, folder = asked.folder / ("latest" if asked.run in LAST else "best"), policies.SHIPPED / asked.folder.name
    folder.mkdir(parents=True, exist_ok=True)
    for name in FILES:
        with saving.writing(folder / name) as part:
            shutil.copyfile(kept / name, part)
    return folder


@arguments.command
def main(argv: list[str] | None = None) -> int:
    """Train; return 0, 2 for a command line that cannot be run, 130 after Ctrl-C."""
    parser = arguments.Parser(prog="tarsus page shipped", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("runs", nargs="*", metavar="RUN", help=f"by default all: {', '.join(training_runs.RUNS)}")
    parser.add_argument("--seeds", type=arguments.integer(1, 100), default=5, help="seeds of each run, from 0 on")
    parser.add_argument("--out", type=paths.folder_to_write, default=Path("runs"), help="folder of the checkpoints")
    parser.add_argument("--threads", type=arguments.threads, default=0, help="threads; 0 is one per idle processor")
    parser.add_argument("--write", action="store_true", help="replace the policies of the package")
    with arguments.read(parser, argv) as args:
        trainings = of(args.runs, args.seeds, args.out, args.threads)
    try:
        for done in trained(trainings):
            print(f"{ship(done) if args.write else done.folder} is trained")
    except KeyboardInterrupt:
        return interrupts.EXIT_STATUS
    return 0
