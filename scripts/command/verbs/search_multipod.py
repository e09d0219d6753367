"""Optimise a multipod's gait on the sliding model, by its speed, and walk it in MuJoCo beside the gait it started from.

Usage: tarsus search multipod [--legs 8] [--goal speed|turning] [--generations 150] [--seed 0] [--out best.npz]
Runtime: about 1 min, a third of it the walks in MuJoCo.
"""

from __future__ import annotations

import sys

import numpy as np

from tarsus.analytic import saving
from tarsus.scripts.command import arguments, output, paths, signature
from tarsus.scripts.library.base import interrupts
from tarsus.scripts.library.search.multipod import MultipodSearch


@arguments.command
def main(argv: list[str] | None = None) -> int:
    """Optimise, walk both gaits in MuJoCo, print a table."""
    parser = arguments.Parser(prog="tarsus search multipod", description=__doc__.partition("\n")[0])
    signature.add_options(parser, MultipodSearch)
    npz = paths.file_to_write(".npz")
    output.add_options(parser, None, ".npz file for the gait's coefficients and frequency", npz)
    with arguments.read(parser, argv) as args:
        search = MultipodSearch(**signature.keywords(args, MultipodSearch))
        path = output.file_from(args)
    with interrupts.heeded("the generation") as asked:
        found = search.run(asked)
    if path:
        with saving.writing(path) as part:
            np.savez(part, coefficients=found.gait.coefficients, frequency=found.gait.frequency)
    print(search.table(found, walk=not asked()))
    if asked():
        print("tarsus search multipod: interrupted; this is the best gait until then", file=sys.stderr)
        return interrupts.EXIT_STATUS
    return 0
