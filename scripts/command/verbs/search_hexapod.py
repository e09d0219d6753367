"""Search the clock's parameters for the fastest or cheapest stable gait in the exact engine, and confirm it in MuJoCo.

Usage: tarsus search hexapod [--robot rhex] [--pattern tripod|pronk] [--goal speed|resistance]
[--blend 0.1] [--method gradient].
"""

from __future__ import annotations

import sys

from tarsus.scripts.command import arguments, signature
from tarsus.scripts.library.base import interrupts
from tarsus.scripts.library.search.hexapod import HexapodSearch, command_of, report_best


@arguments.command
def main(argv: list[str] | None = None) -> int:
    """Search, prove, print the table and the command that walks the gait."""
    parser = arguments.Parser(prog="tarsus search hexapod", description=__doc__.partition("\n")[0])
    signature.add_options(parser, HexapodSearch)
    with arguments.read(parser, argv) as args:
        search = HexapodSearch(**signature.keywords(args, HexapodSearch))
    with interrupts.heeded(search.unit) as asked:
        found = search.run(asked)
    if asked():
        point, made = found.tried[0]
        command = command_of(found.task, point, search.robot)
        print(f"the best gait until then, {made.speed:.3f} m/s, not proved:\n{command}")
        print("tarsus search hexapod: interrupted; the search was not finished", file=sys.stderr)
        return interrupts.EXIT_STATUS
    print(f"{found.strides:.0f} strides walked from rest, {len(found.tried)} gaits")
    return report_best(found, search.robot)
