"""Search a baseline of a robot of your own: a table of controls over a turn, which a policy then corrects.

Usage: tarsus search baseline MODULE:NAME [--generations 30] [--period 0.3 1.5] [--seed 0] [--out FOLDER]
Runtime: about 3 s of processor time for a generation.
"""

from __future__ import annotations

import sys

import numpy as np

from tarsus.scripts.command import arguments, output, signature
from tarsus.scripts.library.base import interrupts
from tarsus.scripts.library.search.baseline import BaselineSearch

FILE = "baseline.npz"


@arguments.command
def main(argv: list[str] | None = None) -> int:
    """Search, print the best baseline, write its table."""
    parser = arguments.Parser(prog="tarsus search baseline", description=__doc__.partition("\n")[0])
    signature.add_options(parser, BaselineSearch)
    output.add_options(parser, "search-baseline")
    with arguments.read(parser, argv) as args:
        search = BaselineSearch(**signature.keywords(args, BaselineSearch))
        files = output.Output(args, FILE)
        search.simulations()[0].close()
    with interrupts.heeded("the generation") as asked:
        found = search.run(asked)
    with files.writing(FILE) as (part,):
        np.savez(part, baseline=found.table, baseline_period=found.period)
    files.report(parser.prog, str(found), **vars(found))
    if asked():
        print("tarsus search baseline: interrupted; this is the best baseline until then", file=sys.stderr)
        return interrupts.EXIT_STATUS
    return 0
