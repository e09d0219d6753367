"""Search the parameters with the highest score: a gait, a baseline, or all gaits of a grid.

Writes found.npz (all candidates with their scores, and what the best means) and result.json, the same of all searches.
"""

import sys

import numpy as np

from tarsus.scripts.command import arguments, output, signature
from tarsus.scripts.library.base import interrupts
from tarsus.scripts.library.search import searches

FILE = "found.npz"


@arguments.command
def main(argv: list[str]) -> int:
    """Search by the name that comes first, print the best, write it; return 1 if there is none."""
    kind = searches.find(argv[0])
    words = (sys.modules[kind.__module__].__doc__ or "").partition("\n")[0]
    parser = arguments.Parser(prog=f"tarsus search {argv[0]}", description=words)
    signature.add_options(parser, kind)
    output.add_options(parser, f"search-{argv[0]}")
    with arguments.read(parser, argv[1:]) as args:
        search = kind(**signature.keywords(args, kind))
        files = output.Output(args, FILE)
        search.check()
    with interrupts.heeded(search.unit) as asked:
        found = search.run(asked)
    with files.writing(FILE) as (part,):
        np.savez(part, **found.arrays())
    files.report(parser.prog, str(found), **found.numbers())
    if found.interrupted:
        print(f"{parser.prog}: interrupted; this is the best until then", file=sys.stderr)
        return interrupts.EXIT_STATUS
    if found.failure:
        print(f"{parser.prog}: {found.failure}", file=sys.stderr)
    return int(bool(found.failure))
