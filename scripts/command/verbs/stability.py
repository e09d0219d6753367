"""How stable a policy's gait is: period, multipliers, the observed decay beside them, and a verdict.

Usage: tarsus stability POLICY [--env Dog-v0] [--engine exact] [--margins] [--out FOLDER].
Side by side: tarsus stability --compare FOLDER FOLDER ...
POLICY is a name, the folder of a checkpoint, a .zip of Stable-Baselines3, an .onnx, or MODULE:FUNCTION; the file of a
robot is asked by the clock that was found for it; simplest-walker is a model of the exact engine. A command that was
stopped goes on when it is said again. The exit status is 0, or 2 for a command line that cannot be run.
Runtime: one to four minutes of two cores, in the exact engine two to fifteen; with --margins five to ten more, with
--margins --trials 8 a quarter of that.
"""

import contextlib
import functools
import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

from tqdm import tqdm

from tarsus.scripts.command import arguments, cli, output
from tarsus.scripts.library.base.ticking import ticking
from tarsus.scripts.library.learning import wrappers

FILES = ("stability.json", "stability.png")
QUICK = 8  # trials of a quick look
PARTS = "stability-parts"  # folder of what is found so far, in that of the results
POLICY = "a name, folder of a checkpoint, .onnx, MODULE:FUNCTION, a robot's FILE, or .zip: that is unpickled"


def parser() -> arguments.Parser:
    made = {"prog": "tarsus stability", "description": (__doc__ or "").partition("\n")[0]}
    parser = arguments.Parser(listing=functools.partial(cli.listed, "stability"), **made)
    parser.add_argument("policy", nargs="?", help=POLICY)
    parser.add_argument("--engine", choices=("mujoco", "exact"), default="mujoco", help="by default mujoco")
    words = "starts that are asked, by default %(default)s; a return map has one"
    parser.add_argument("--seeds", type=arguments.integer(1, 10**6), default=5, help=words)
    parser.add_argument("--first-seed", type=arguments.seed, default=0, help="of the starts; by default 0")
    words = "also what it survives: pushes, payload, friction, slopes, motor strength, delay; ten minutes of two cores"
    parser.add_argument("--margins", action="store_true", help=words)
    words = "trials of each size of a push or change, a multiple of 8; by default %(default)s, for a quick look 8"
    parser.add_argument("--trials", type=arguments.integer(1, 10**6), default=64, help=words)
    words = (
        "of a return map: how far states may be off, in typical values, of which some return; one for each, or for all"
    )
    parser.add_argument("--box", type=arguments.number(1e-9, 1e9), nargs="+", default=[], help=words)
    parser.add_argument("--jobs", type=arguments.jobs, default=-1, help="processes; -1 uses every core")
    words = "show results side by side: their folders or files"
    parser.add_argument("--compare", nargs="+", type=Path, metavar="FOLDER", help=words)
    wrappers.add_options(parser)
    output.add_options(parser, "stability-*")
    return parser


@arguments.command
def main(argv: list[str] | None = None) -> int:
    """Ask, or compare; print the table, write what was asked for; return the exit status."""
    with arguments.read(parser(), argv) as args:
        if bool(args.policy) == bool(args.compare):
            raise ValueError("say a POLICY, or --compare with results, and not both")
        with _line(args, "loading"):
            from tarsus.scripts.library.learning import policies
            from tarsus.scripts.library.stability import asking, result, shown, surviving
        if args.compare:
            results = [result.Stability.read(path) for path in args.compare]
        else:
            name = policies.resolved(args.policy)  # before a folder of that name may be made
            files = output.Output(args, *FILES, of=args.policy)
            store = files.folder / PARTS
            named = name, args.env, wrappers.options(args), args.engine, wrappers.of(args), store
            make = functools.partial(asking.subject_of, *named)
            with _line(args, f"{args.policy} is read") as line:
                subject = make(said=line.set_description_str)
            surviving.refuse(subject, args.margins, args.box, args.trials)
    if args.compare:
        print(json.dumps([json.loads(one.as_json()) for one in results]) if args.json else shown.table(results))
        return 0
    seeds = range(args.first_seed, args.first_seed + args.seeds)
    said = _to_stderr(args)
    said(f"what is found is kept in {store}: a command that was stopped goes on there when it is said again")
    with _line(args, "asked") as line:
        found = asking.asked(subject, make, name, seeds, store, line.set_description_str, args.jobs)
    if args.margins:
        said(begun(args))
    found = surviving.added(found, subject, make, args.margins, args.box, store, args.jobs, args.trials, said)
    with files.writing(*FILES) as parts:
        shown.draw(found, surviving.panel(found)).savefig(parts[1], dpi=110)
        parts[0].write_text(found.as_json() + "\n", encoding="utf-8")
    shutil.rmtree(files.folder / PARTS, ignore_errors=True)  # the result is whole
    files.report("tarsus stability", shown.text(found), verdict=found.verdict, stability=json.loads(found.as_json()))
    return 0


def _to_stderr(args) -> Callable[[str], None]:
    """Return a function that prints a line above the bar, or with `--json` none."""
    return (lambda words: None) if args.json else functools.partial(tqdm.write, file=sys.stderr)


def begun(args) -> str:
    """Return the first line of margins: how many trials a size has, and a quick look."""
    words = f"margins: {args.trials} trials of each size."
    if args.trials > QUICK:
        words += f" A quick look: add --trials {QUICK}, whose intervals are wide."
    return words


def _line(args, words: str) -> contextlib.AbstractContextManager[tqdm]:
    """Return a line that says what is done now, and for how long."""
    return ticking(bar_format="{desc} [{elapsed}]", disable=args.json, desc=words)
