"""Compile the exact engine's kernels and the contact solver before they are needed, and keep them for later processes.

Usage: tarsus warm [--methods dop853 rodas5p]. What is there already is not made again.
Runtime: two minutes, once for each version of tarsus, numba and Python; if there is nothing to do, a moment.
"""

import sys

from tarsus.analytic.compilation import has_numba
from tarsus.analytic.hybrid.tableau import METHODS
from tarsus.scripts.command import arguments
from tarsus.scripts.library.base import warming

NO_NUMBA = "numba is not installed, so nothing is compiled: pip install numba"


@arguments.command
def main(argv: list[str] | None = None) -> int:
    """Make what is missing, and say what that was; return 1 if it cannot be kept."""
    parser = arguments.Parser(prog="tarsus warm", description=(__doc__ or "").partition("\n")[0])
    words = "of the exact engine, for which its kernel is made; by default all"
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=[*METHODS], metavar="METHOD", help=words)
    with arguments.read(parser, argv) as args:
        if not has_numba():
            raise arguments.Refusal(f"tarsus warm: {NO_NUMBA}")
    try:
        for line in warming.warm(args.methods):
            print(line, flush=True)
    except warming.NotKept as error:
        print(f"tarsus warm: {error}", file=sys.stderr)
        return 1
    return 0
