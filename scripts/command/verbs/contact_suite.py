"""Run the contact suite: cases with exact answers, in MuJoCo or any other simulator.

Usage: tarsus contact-suite [--engine NAME|FILE ...] [--setting NAME ...] [--case ID ...] [--python NAME=PATH ...]
[--out FOLDER]. Prints the error of every case over its scale in percent, in brackets beyond its tolerance. Minutes.
"""

import sys

from tarsus.scripts.command import arguments, output, paths
from tarsus.scripts.suite import case, offering, running, worker


def parser() -> arguments.Parser:
    parser = arguments.Parser(prog="tarsus contact-suite", description=(__doc__ or "").partition("\n")[0])
    add, folder, engines = parser.add_argument, paths.folder_to_write, ", ".join(running.engines())
    add(
        "--engine",
        nargs="+",
        default=["mujoco"],
        metavar="NAME",
        help=f"of {engines} (mujoco), or the file of your own",
    )
    add("--setting", nargs="+", action="extend", default=[], metavar="NAME", help="settings of the engine to run (all)")
    add("--case", nargs="+", action="extend", default=[], metavar="ID", help="cases to run, by id or phenomenon (all)")
    add("--cases", type=paths.folder, default=case.CASES, help="folder of other cases")
    add(
        "--python",
        nargs="+",
        action="extend",
        default=[],
        metavar="NAME=PATH",
        help="the Python in which an engine is installed",
    )
    add("--longest", type=arguments.positive, default=worker.LONGEST, help="processor time per case (%(default)g s)")
    add("--records", type=folder, help="folder for the recorded motions")
    add("--export", type=folder, help="write the suite into a folder, and run nothing")
    output.add_options(parser, "contact-suite")
    return parser


@arguments.command
def main(argv: list[str] | None = None) -> int:
    """Run the suite; return 0, 1 if no engine ran, or 2 for a command line that cannot be run."""
    with arguments.read(parser(), argv) as args:
        ids = offering.chosen(args.case, args.cases)
        engines, given = [running.engine_file(name) for name in args.engine], running.pythons(args.python)
        pythons = {path: given.get(path.stem, sys.executable) for path in engines}
        if args.export:
            output.new_file(args.export / offering.EXPORTED[0], args.force)
        files = None if args.export else output.Output(args, *(f"{path.stem}.json" for path in pythons))
        known = {path: running.about(path, python) for path, python in pythons.items()}  # last: it starts processes
        for path, about in known.items():
            running.check_settings(path, about, args.setting)
    if args.export:
        print(f"{args.export}: {offering.export(args.export)} cases")
        return 0
    more = {"settings": args.setting, "folder": args.cases, "longest": args.longest}
    made = {}
    for path, python in pythons.items():
        made[path.stem] = found = offering.run(path, python, known[path], ids, args.records, **more)
        files.keep(f"{path.stem}.json", "" if "why" in found else offering.file_text(found))
    if ran := [offering.text(found) for found in made.values() if "why" not in found]:
        files.report("tarsus contact-suite", "\n\n".join(ran), engines=made)
    return 1 - bool(ran)
