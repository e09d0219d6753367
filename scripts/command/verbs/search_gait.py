"""Search the clock's gait with the highest return on Hexapod-v0: the best open-loop policy.

Usage: tarsus search gait [--num-envs 64] [--generations 24] [--steps 300] [--seed 0] [--threads 0]
Runtime: about 10 s of processor time for a generation.
"""

from __future__ import annotations

import sys

from tarsus.scripts.command import arguments, output, signature
from tarsus.scripts.library.base import interrupts
from tarsus.scripts.library.search.gait import ReturnSearch


@arguments.command
def main(argv: list[str] | None = None) -> int:
    """Search, and print the best gait."""
    parser = arguments.Parser(prog="tarsus search gait", description=__doc__.partition("\n")[0])
    signature.add_options(parser, ReturnSearch)
    output.add_options(parser, "search-gait")
    with arguments.read(parser, argv) as args:
        files = output.Output(args)
    with interrupts.heeded("the generation") as asked:
        found = ReturnSearch(**signature.keywords(args, ReturnSearch)).run(asked)
    files.report(parser.prog, str(found), gait=found.gait, action=found.action, returns=found.returns)
    if asked():
        print("tarsus search gait: interrupted; this is the best gait until then", file=sys.stderr)
        return interrupts.EXIT_STATUS
    return 0
