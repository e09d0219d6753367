"""Compare contact with measurements: tosses of a cube in any simulator, impacts of an ellipse by laws of impact.

Usage: tarsus reality [cube|ellipse] [--engine NAME|FILE] [--setting NAME ...] [--tosses 20] [--out FOLDER].
The cube is run in an engine: friction, restitution and corners are fitted on one half of the tosses, errors are of the
other half. Impacts of the ellipse need `--data FOLDER`. Runtime: minutes of one core for a setting.
"""

import sys

from tqdm import tqdm

from tarsus.scripts.command import arguments, output, paths
from tarsus.scripts.library.reality import data, offering, rigid
from tarsus.scripts.library.reality.tosses import CONVENTIONS
from tarsus.scripts.suite import running


def parser() -> arguments.Parser:
    parser = arguments.Parser(prog="tarsus reality", description=(__doc__ or "").partition("\n")[0])
    add, engines = parser.add_argument, ", ".join([rigid.NAME, *running.engines()])
    add("body", nargs="?", choices=("cube", "ellipse"), default="cube", help="the measured body (cube)")
    add("--engine", default=rigid.NAME, metavar="NAME", help=f"of {engines} ({rigid.NAME}), or a file of your own")
    add("--setting", nargs="+", default=[], metavar="NAME", help="settings of the engine to run (all)")
    add("--convention", nargs="+", choices=tuple(CONVENTIONS), default=list(CONVENTIONS), help="both by default")
    add("--python", metavar="PATH", help="the Python in which the engine is installed (this one)")
    add("--every", type=arguments.integer(1, 100), default=1, help="fit on every n-th toss only (%(default)s)")
    add("--tosses", type=arguments.integer(2, 570), help="largest number of tosses to fit and score")
    add("--data", type=paths.folder, help=f"folder of the ellipse's data, which `{data.CONVERT}` makes in a checkout")
    output.add_options(parser, "reality-*")
    return parser


@arguments.command
def main(argv: list[str] | None = None) -> int:
    """Compare, print the table; return 0, or 2 for a command line that cannot be run."""
    with arguments.read(parser(), argv) as args:
        is_cube, name = args.body == "cube", offering.file_name(args.engine)
        file = f"{name if is_cube else args.body}.json"
        files = output.Output(args, file, of=name if is_cube else args.body)
        if is_cube:
            python = running.pythons([f"{name}={args.python}"])[name] if args.python is not None else sys.executable
            known, simulators = offering.simulators(args.engine, args.setting, python, lambda: bar.update())
        else:
            impacts = data.read("ellipse_impacts", args.data)
    if is_cube and known.why:
        raise arguments.Refusal(f"tarsus reality: {name} did not run: {known.why}")
    with tqdm(unit="toss", disable=None, delay=1.0) as bar:
        if is_cube:
            many = len(simulators) * len(args.convention)
            print(f"tarsus reality: {many} fits, each minutes of a core", file=sys.stderr)
            made = offering.study(known, name, simulators, args.convention, args.every, args.tosses)
        else:
            made = offering.ellipse_study(impacts)
    files.keep(file, offering.file_text(made) if is_cube else offering.ellipse_file(made))
    files.report("tarsus reality", offering.text(made) if is_cube else offering.ellipse_text(made), **made)
    return 0
