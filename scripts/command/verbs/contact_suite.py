"""Run the contact suite: cases with exact answers, in MuJoCo or any other simulator.

Usage: tarsus contact-suite [--engine NAME|FILE ...] [--setting NAME ...] [--case ID ...] [--python NAME=PATH ...]
[--out FOLDER]. Prints the error of every case over its scale in percent, in brackets where it is beyond the case's
tolerance. `--export FOLDER` writes the cases, their schema and the runner, which need none of our code. Runtime: some
minutes of one core for MuJoCo.
"""

from __future__ import annotations

import sys

from tarsus.scripts.command import arguments, output, paths
from tarsus.scripts.suite import case, offering, running, worker


def parser() -> arguments.Parser:
    """Return the command line."""
    parser = arguments.Parser(prog="tarsus contact-suite", description=(__doc__ or "").partition("\n")[0])
    add, folder, engines = parser.add_argument, paths.folder_to_write, ", ".join(running.engines())
    words = f"of {engines} (mujoco), or the file of your own engine"
    add("--engine", nargs="+", default=["mujoco"], metavar="NAME", help=words)
    add("--setting", nargs="+", default=[], metavar="NAME", help="of the engine's settings (all)")
    add("--case", nargs="+", default=[], metavar="ID", help="ids, or phenomena (all)")
    add("--cases", type=paths.folder, default=case.CASES, help="folder of other cases")
    words = "the Python in which an engine is installed"
    add("--python", nargs="+", default=[], metavar="NAME=PATH", help=words)
    seconds = dict(type=arguments.number(positive=True), default=worker.LONGEST, metavar="SECONDS")
    add("--longest", **seconds, help="processor time that a case may take (%(default)g)")
    add("--records", type=folder, help="folder for the recorded motions")
    add("--export", type=folder, help="write the suite into a folder, and run nothing")
    output.add_options(parser, "contact-suite")
    return parser


@arguments.command
def main(argv: list[str] | None = None) -> int:
    """Run the suite; return 0, 1 if no engine ran, or 2 for a command line that cannot be run."""
    with arguments.read(parser(), argv) as args:
        ids = offering.chosen(args.case, args.cases)
        pythons = {path: sys.executable for path in map(running.engine_file, args.engine)}
        given = running.pythons(args.python)
        pythons = {path: given.get(path.stem, python) for path, python in pythons.items()}
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
    made, ran = {}, []
    for path, python in pythons.items():
        made[path.stem] = found = offering.run(path, python, known[path], ids, args.records, **more)
        if "why" not in found:
            ran.append(offering.text(found))
            with files.writing(f"{path.stem}.json") as (part,):
                part.write_text(offering.file_text(found), encoding="utf-8")
    if ran:
        files.report("tarsus contact-suite", "\n\n".join(ran), engines=made)
    return 1 - bool(ran)
