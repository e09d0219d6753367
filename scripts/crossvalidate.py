"""Run a machine in both engines from the same start, compare them, and write the page of it.

It is `tarsus run MACHINE --engine both`, and can put its tables into a page. Writes into the output folder: exact.nc
and mujoco.nc (the labelled records), both.nc (the two aligned, along the dimension `engine`), report.md with its
pictures, and report.html, which holds everything.
"""

from __future__ import annotations

import sys

from tarsus.scripts import arguments, paths, report
from tarsus.scripts.comparison import both
from tarsus.scripts.machines import MACHINES
from tarsus.scripts.runs import output

SHORTEST = 0.01  # of a run: some rows to compare [s]


def parser() -> arguments.Parser:
    """Return the command line: a subcommand for each machine of two engines."""
    parser = arguments.Parser(prog="tarsus crossvalidate", description=(__doc__ or "").partition("\n")[0])
    compared = {name: machine for name, machine in MACHINES.items() if "exact" in machine.engines}
    machines = parser.add_subparsers(dest="machine", required=True, metavar="MACHINE", help=", ".join(compared))
    seconds = arguments.number(SHORTEST, arguments.LONGEST)
    for name, machine in compared.items():
        options = machines.add_parser(name, allow_abbrev=False, help=(machine.__doc__ or "").partition("\n")[0])
        options.add_argument("--seconds", type=seconds, default=6.0, help="how long to run [s]; default 6")
        options.add_argument(
            "--preset", default="reference", help="MuJoCo's settings, a preset's name; default %(default)s"
        )
        options.add_argument("--rtol", type=arguments.rtol, default=1e-6, help="of the exact engine; default 1e-6")
        output.add_options(options, "out/crossvalidate")
        options.add_argument("--page", type=paths.page, help="also put the tables into this page, between its markers")
        options.add_argument("--part", default="walk", help="name of those markers; default walk")
        options.set_defaults(engine="both")
        machine.add_options(options)
    return parser


@arguments.command
def main(argv: list[str] | None = None) -> int:
    """Compare and write; return 0, or 2 for what cannot be run or compared."""
    with arguments.read(parser(), argv) as args:
        machine = MACHINES[args.machine]
        if args.page is not None:
            report.check_page(args.page, args.part)
            output.check(args.page)
        experiment = machine.experiment(args)
        files = output.Output(args, *both.FILES)
    prog = f"tarsus crossvalidate {args.machine}"
    return both.main(prog, machine, experiment, args.seconds, args.rtol, files, args.page, args.part)


if __name__ == "__main__":
    sys.exit(main())
