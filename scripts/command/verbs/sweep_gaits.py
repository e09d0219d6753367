"""Sweep gaits of the clock on Hexapod-v0, on this machine or on many: joblib spreads it over processes, Dask or Ray.

Usage: tarsus sweep gaits [--backend loky|dask|ray] [--address HOST:PORT] [--cycle-times 0.5 1.0] [--sweep-angles 0.75]
Dask and Ray are not installed by default: pip install -c constraints-ray.txt 'tarsus[ray]'.
Runtime: about a second for a gait and core.
"""

from __future__ import annotations

import sys

from tarsus.scripts.command import arguments, output
from tarsus.scripts.library.base import stamp
from tarsus.scripts.library.base.interrupts import EXIT_STATUS
from tarsus.scripts.library.machines.hexapod import ROBOT
from tarsus.scripts.library.search import sweep

HERE = "of a running Dask scheduler or Ray cluster; by default one is started here"


@arguments.command
def main(argv: list[str] | None = None) -> int:
    """Walk the gaits, and print what each returns."""
    parser = arguments.Parser(prog="tarsus sweep gaits", description=__doc__.partition("\n")[0])
    parser.add_argument("--backend", choices=sweep.BACKENDS, default="loky", help="where joblib runs the sweep")
    parser.add_argument("--address", help=HERE)
    several = dict(type=arguments.positive, nargs="+", default=[0.5, 0.75, 1.0])
    parser.add_argument("--cycle-times", **several, help="t_c [s]")
    parser.add_argument("--sweep-angles", **several, help="phi_s [rad]")
    parser.add_argument("--duty", type=arguments.positive, default=0.6, help="t_s / t_c")
    parser.add_argument("--robot", **ROBOT)
    parser.add_argument("--steps", type=arguments.count, default=500, help="steps of an episode, 20 ms each")
    output.add_options(parser, "sweep-gaits")
    with arguments.read(parser, argv) as args:
        files = output.Output(args)
        sweep.gaits_of(args.cycle_times, args.sweep_angles, args.duty)
        sweep.check(args.backend, args.address)
    with sweep.backend(args.backend, args.address):
        found = sweep.compute(args.cycle_times, args.sweep_angles, args.duty, args.steps, args.robot)
    rows = sweep.rows(args.cycle_times, args.sweep_angles, found)
    shown = stamp.markdown_table(["t_c [s]", "phi_s [rad]", f"return of {args.steps} steps", "speed [m/s]"], rows)
    files.report(parser.prog, shown, **found)
    if len(rows) < found["return"].size:
        print("tarsus sweep gaits: interrupted; these gaits were finished", file=sys.stderr)
        return EXIT_STATUS
    return 0
