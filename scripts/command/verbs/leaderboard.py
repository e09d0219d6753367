"""Compare entries of frozen tasks: read anybody's results, play each policy again, and write the table.

Usage: tarsus leaderboard FOLDER ... [--trust] [--out FOLDER] [--json]. Each FOLDER is an entrant: the results of
`tarsus evaluate POLICY --env tarsus/HexapodWalk-v0 --out FOLDER/NAME` below it, one for each training seed and task. An
entry of a task that differs, without all evaluation seeds, or whose scores a replay does not give is refused by what
differs, and nothing is written. Beside them stand the scores that come with the package, marked as stored, of the same
tasks. The exit status is 0, or 2 for entries that are refused.
Runtime: ten to twenty seconds of a core for each policy in each task, with --trust a second for each task.
"""

from pathlib import Path

from tqdm import tqdm

from tarsus.scripts.command import arguments, output
from tarsus.scripts.library.base import stamp

FILES = ("leaderboard.md",)


def parser() -> arguments.Parser:
    parser = arguments.Parser(prog="tarsus leaderboard", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER", help="of an entrant, with its results below")
    parser.add_argument("--trust", action="store_true", help="take the scores as they are told, and play nothing again")
    output.add_options(parser, "leaderboard")
    return parser


@arguments.command
def main(argv: list[str] | None = None) -> int:
    """Read, play again, write the table; return 0, or 2 for entries that are refused."""
    with arguments.read(parser(), argv) as args:
        files = output.Output(args, *FILES)
        from tarsus.scripts.library.learning import leaderboard

        found = leaderboard.entries(args.folders)
        for entry in found if not args.trust else ():
            leaderboard.check(entry)
    try:
        if not args.trust:
            found = [leaderboard.replayed(entry) for entry in tqdm(found, unit="policy", disable=args.json)]
    except ValueError as error:
        raise arguments.Refusal(f"tarsus leaderboard: {error}") from error
    rows = leaderboard.table(found, beside=True)
    told = "taken as told" if args.trust else "of playing all again here"
    words = f"scores {told}, (stored) those that come with the package; interquartile means and 95 % intervals"
    shown = f"{stamp.markdown_table(leaderboard.HEAD, rows)}\n{words} of the stratified bootstrap"
    files.keep(FILES[0], shown + "\n")
    named = [dict(zip(leaderboard.HEAD, row, strict=True)) for row in rows]
    files.report("tarsus leaderboard", shown, replayed=not args.trust, rows=named)
    return 0
