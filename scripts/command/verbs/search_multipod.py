"""Optimise a multipod's gait on the sliding model, by its speed, and walk it in MuJoCo beside the gait it started from.

Usage: tarsus search multipod [--legs 8] [--goal speed|turning] [--generations 150] [--seed 0] [--out FOLDER]
Runtime: about 1 min, a third of it the walks in MuJoCo.
"""

from __future__ import annotations

import sys

import numpy as np

from tarsus.scripts.command import arguments, output, signature
from tarsus.scripts.library.base import interrupts
from tarsus.scripts.library.search.multipod import MultipodSearch

FILE = "gait.npz"


@arguments.command
def main(argv: list[str] | None = None) -> int:
    """Optimise, walk both gaits in MuJoCo, print a table."""
    parser = arguments.Parser(prog="tarsus search multipod", description=__doc__.partition("\n")[0])
    signature.add_options(parser, MultipodSearch)
    output.add_options(parser, "search-multipod")
    with arguments.read(parser, argv) as args:
        search = MultipodSearch(**signature.keywords(args, MultipodSearch))
        files = output.Output(args, FILE)
    with interrupts.heeded("the generation") as asked:
        found = search.run(asked)
    with files.writing(FILE) as (part,):
        np.savez(part, coefficients=found.gait.coefficients, frequency=found.gait.frequency)
    files.report(parser.prog, search.table(found, walk=not asked()), **vars(found))
    if asked():
        print("tarsus search multipod: interrupted; this is the best gait until then", file=sys.stderr)
        return interrupts.EXIT_STATUS
    return 0
