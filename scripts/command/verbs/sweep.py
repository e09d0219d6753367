"""A parameter study: run a machine at every point of a grid of its parameters, and keep a row of numbers for each.

Usage: tarsus sweep MACHINE --set NAME=FIRST:LAST:COUNT [...] [--jobs -1] [--backend loky]. It takes the options of a
run of that machine, too. Writes study.csv, a row in SI units for each run, and result.json into the output folder;
`tarsus.load` opens both. Nothing else of a run is kept.
"""

import argparse

from tarsus.analytic.spelling import listed
from tarsus.scripts.command import arguments, output
from tarsus.scripts.library.base.stamp import markdown_table
from tarsus.scripts.library.machines import MACHINES
from tarsus.scripts.library.running import options
from tarsus.scripts.library.search import sweep

FILE = "study.csv"
SHOWN = 6  # columns that are printed behind the parameters


@arguments.command
def main(argv: list[str] | None = None) -> int:
    """Run the study and write its table; return 0, 1 if no run came to its end, 2 for what cannot be run."""
    first = arguments.first(argv).replace("-", "_")
    parser = options.of_machine(MACHINES.get(first, MACHINES["hexapod"]), "tarsus sweep")
    parser.description = __doc__.partition("\n")[0]
    names = ", ".join(map(options.machine_word, MACHINES))
    parser.add_argument("machine", metavar="MACHINE", help=names, type=_machine)
    parser.add_argument("--jobs", type=arguments.jobs, default=-1, help="processes; default %(default)s, every core")
    parser.add_argument("--backend", choices=sweep.BACKENDS, default="loky", help="of joblib; default %(default)s")
    parser.add_argument("--address", help="of a running Dask scheduler or Ray cluster; by default one is started here")
    output.add_options(parser, "sweep-*")
    with arguments.read(parser, argv) as args:
        from tarsus.scripts.library.running import study

        sweep.check(args.backend, args.address)
        found = study.points(args)
        files = output.Output(args, FILE, of=args.machine)
    with sweep.workers(args.backend, args.address):
        table = study.study(found, args.jobs)
    with files.writing(FILE) as (part,):
        table.to_csv(part, index=False)
    swept = len(found[0][0])
    shown = table.iloc[:, : swept + SHOWN].map(lambda value: f"{value:.4g}" if isinstance(value, float) else str(value))
    text = markdown_table(list(shown.columns), shown.values.tolist())
    files.report(parser.prog, text, runs=len(table), study=table.to_dict("list"))
    return int(not (table["seconds"] > 0).any())


def _machine(word: str) -> str:
    if (name := word.replace("-", "_")) not in MACHINES:
        there = listed(word, map(options.machine_word, MACHINES))
        raise argparse.ArgumentTypeError(f"there is no machine {word!r} with parameters to sweep; there are {there}")
    return name
