"""Search the clock's parameters for the fastest or cheapest stable gait in the exact engine, and confirm it in MuJoCo.

Usage: tarsus search hexapod [--robot rhex] [--pattern tripod|pronk] [--goal speed|resistance]
[--blend 0.1] [--method gradient].
"""

from __future__ import annotations

import sys

from tarsus.scripts.command import arguments, output, signature
from tarsus.scripts.library.base import interrupts
from tarsus.scripts.library.search.gait_proof import table
from tarsus.scripts.library.search.hexapod import HexapodSearch, best_proved, command_of


@arguments.command
def main(argv: list[str] | None = None) -> int:
    """Search, prove, print the table and the command that walks the gait."""
    parser = arguments.Parser(prog="tarsus search hexapod", description=__doc__.partition("\n")[0])
    signature.add_options(parser, HexapodSearch)
    output.add_options(parser, "search-hexapod")
    with arguments.read(parser, argv) as args:
        search = HexapodSearch(**signature.keywords(args, HexapodSearch))
        files = output.Output(args)
    with interrupts.heeded(search.unit) as asked:
        found = search.run(asked)
    if asked():
        point, made = found.tried[0]
        command = command_of(found.task, point, search.robot)
        words = f"the best gait until then, {made.speed:.3f} m/s, not proved:\n{command}"
        files.report(parser.prog, words, proved=False, gait=found.gait, speed=made.speed, command=command)
        print("tarsus search hexapod: interrupted; the search was not finished", file=sys.stderr)
        return interrupts.EXIT_STATUS
    words = f"{found.strides:.0f} strides walked from rest, {len(found.tried)} gaits"
    best = best_proved(found)
    if best is None:
        print(f"{words}\ntarsus search hexapod: no stable gait was found; allow more generations", file=sys.stderr)
        return 1
    point, proof = best
    command = command_of(found.task, point, search.robot)
    shown = f"{words}\n{table(proof, len(found.tried), found.converged)}\n\n{command}"
    files.report(parser.prog, shown, proved=True, proof=proof, strides=found.strides, command=command)
    return 0
