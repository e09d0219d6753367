"""Run a machine in the exact engine, in MuJoCo, or in both and compare them: record, summary, figure, video.

Writes run.nc (the labelled record), run.png (the figure), run.mp4 (the video) and result.json (what is printed) into
the output folder; of both engines what `tarsus crossvalidate` writes.
"""

import sys

from tarsus.scripts.command import arguments
from tarsus.scripts.library.running import options


def parser(first: str = "") -> arguments.Parser:
    """Return the command line: a subcommand for each machine, and for the robot of a file that is its first word."""
    return options.parser("tarsus run", __doc__ or "", first=first)


@arguments.command
def main(argv: list[str] | None = None) -> int:
    """Run, print the summary, write the files; return 0, 1 for a run that failed, 2 for a line that cannot be run."""
    made = parser(arguments.first(argv))
    with arguments.read(made, argv) as args:
        experiment, files = options.prepare(made, args)
    from tarsus.scripts.library.comparison import crossvalidate
    from tarsus.scripts.library.running import one_engine

    run = crossvalidate.main if args.engine == "both" else one_engine.run_and_write
    return run(made.prog, options.machine_of(args.machine), experiment, files, args)


if __name__ == "__main__":
    sys.exit(main())
