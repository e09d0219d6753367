"""Compare contact with measurements: tosses of a cube in any simulator, impacts of an ellipse by laws of impact.

Usage: tarsus reality [cube] [--engine NAME|FILE] [--setting NAME ...] [--convention NAME ...] [--out FOLDER], or
tarsus reality ellipse --data FOLDER. Friction, restitution and corners are fitted on one half of the tosses, errors are
of the other half. Runtime: minutes of one core for a setting; `--every 4` fits on a quarter of the tosses.
"""

from __future__ import annotations

import sys

from tqdm import tqdm

from tarsus.analytic import saving
from tarsus.scripts.command import arguments, output, paths
from tarsus.scripts.library.reality import data, ellipse, offering, rigid
from tarsus.scripts.library.reality.tosses import CONVENTIONS
from tarsus.scripts.suite import running


def parser() -> arguments.Parser:
    """Return the command line."""
    parser = arguments.Parser(prog="tarsus reality", description=(__doc__ or "").partition("\n")[0])
    add, engines = parser.add_argument, ", ".join([rigid.NAME, *running.engines()])
    add("body", nargs="?", choices=("cube", "ellipse"), default="cube", help="what was measured (cube)")
    add("--engine", default=rigid.NAME, metavar="NAME", help=f"of {engines} ({rigid.NAME}), or a file of your own")
    add("--setting", nargs="+", default=[], metavar="NAME", help="of the engine's settings (all)")
    add("--convention", nargs="+", choices=tuple(CONVENTIONS), default=list(CONVENTIONS), help="both by default")
    add("--python", default=sys.executable, metavar="PATH", help="the Python in which the engine is installed")
    add("--every", type=arguments.integer(1, 100), default=1, help="fit on one of so many tosses (%(default)s)")
    add("--tosses", type=arguments.integer(2, 570), help="fit and score at most so many")
    add("--data", type=paths.folder, help=f"folder of the ellipse's data, which `{data.CONVERT}` makes")
    add("--sign", choices=tuple(ellipse.SIGNS), default="corrected", help="of the ellipse's tangential row")
    add("--out", type=paths.folder_to_write, help="folder for NAME.json of the engine")
    add("--force", action="store_true", help="replace the file that is there")
    return parser


@arguments.command
def main(argv: list[str] | None = None) -> int:
    """Compare, print the table; return 0, 1 if the engine did not run, or 2 for a command line that cannot be run."""
    with arguments.read(parser(), argv) as args:
        bar, name = tqdm(unit="toss", disable=None, delay=1.0), offering.file_name(args.engine)
        if args.body == "ellipse":
            impacts = data.read("ellipse_impacts", args.data)
        else:
            known, simulators = offering.simulators(args.engine, args.setting, args.python, bar.update)
            path = args.out and output.new_file(args.out / f"{name}.json", args.force)
    if args.body == "ellipse":
        print(offering.ellipse_text(impacts, args.sign))
        return 0
    if known.why:
        print(f"{args.engine} did not run: {known.why}", file=sys.stderr)
        return 1
    with bar:
        made = offering.study(known, name, simulators, args.convention, every=args.every, limit=args.tosses)
    print(offering.text(made))
    if path:
        saving.write_text(path, offering.file_text(made))
    return 0
