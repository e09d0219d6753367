"""Train the policies that come with the package anew, run by run and seed by seed.

Usage: tarsus train shipped [RUN ...] [--seeds 5] [--out runs] [--threads 0] [--write]. Needs the extra:
pip install 'tarsus[rl]'. Runtime: about five minutes of a core for a policy, six hours for all; after Ctrl-C the same
command goes on. With `--write` the policies of the package are replaced: `tarsus page policies --write` and
`tarsus page baselines --write` then make their tables.
"""

from __future__ import annotations

from pathlib import Path

from tarsus.scripts.command import arguments, paths
from tarsus.scripts.library.base import interrupts
from tarsus.scripts.library.learning import shipping, training_runs


@arguments.command
def main(argv: list[str] | None = None) -> int:
    """Train; return 0, 2 for a command line that cannot be run, 130 after Ctrl-C."""
    parser = arguments.Parser(prog="tarsus train shipped", description=__doc__.partition("\n")[0])
    parser.add_argument("runs", nargs="*", metavar="RUN", help=f"by default all: {', '.join(training_runs.RUNS)}")
    parser.add_argument("--seeds", type=arguments.integer(1, 100), default=5, help="seeds of each run, from 0 on")
    parser.add_argument("--out", type=paths.folder_to_write, default=Path("runs"), help="folder of the checkpoints")
    parser.add_argument("--threads", type=arguments.threads, default=0, help="threads; 0 is one per idle processor")
    parser.add_argument("--write", action="store_true", help="replace the policies of the package")
    with arguments.read(parser, argv) as args:
        trainings = shipping.of(args.runs, args.seeds, args.out, args.threads)
    try:
        for done in shipping.trained(trainings):
            print(f"{shipping.ship(done) if args.write else done.folder} is trained")
    except KeyboardInterrupt:
        return interrupts.EXIT_STATUS
    return 0
