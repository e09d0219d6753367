"""The one command `tarsus`: a verb, for most verbs a name, and options.

Usage: tarsus [VERB [NAME]] [OPTIONS]. `tarsus` lists the verbs, a verb alone its names, `--help` behind them the
options.

A name joins by a file of the verb's: `scripts/laboratory/figures/zeno_ball.py` is `figure zeno_ball`. The file has a
function `main(argv)`, or what the verb's frame runs.
"""

import importlib
import io
import re
import sys
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import NamedTuple

FOLDER = Path(__file__).parents[1]
VERB_FILES = "command/verbs"  # the folder of the verbs' own files, in FOLDER
FIRST = "tarsus run hexapod"
ROBOTS = (".urdf", ".xml")  # files that are machines of `tarsus run`
# What a file has that is run by its name.
JOINS = re.compile(r"^def (main\(argv|compute\(|tables\()|^class \w+\((MachineCommand|Multipod|Search)\):", re.M)


class Verb(NamedTuple):
    """What may stand behind `tarsus`."""

    follows: str  # what stands behind it
    what: str  # it does, in a line
    files: tuple[str, ...] = ()  # whose stems are the names, but for what stands before the `*`
    frame: str = ""  # module whose `main(module, argv)` runs a file without a `main(argv)`
    own: bool = False  # whether the verb's own file runs the names, which its `main(argv)` takes as the first word


GROUPS = {
    "Simulate": {
        "run": Verb(
            "MACHINE|FILE",
            "walk or hop, in MuJoCo, the exact engine or both: record, picture, film",
            ("library/machines/*.py",),
            own=True,
        ),
        "crossvalidate": Verb("MACHINE|FILE", "the same run in both engines, compared"),
        "sweep": Verb("MACHINE", "a study: a run for every point of a grid of parameters, and a table of numbers"),
        "robot": Verb("FILE", "what a robot of your own is, how it stands and walks, and the lines that register it"),
        "simsect": Verb("", "run an init file of SimSect"),
        "contact-doctor": Verb("MODEL", "what is wrong with the contacts of a MuJoCo model, and what mends it"),
        "contact-suite": Verb("", "contact cases with exact answers, in MuJoCo or any other simulator"),
        "reality": Verb("[cube|ellipse]", "contact against measured tosses and impacts, in any simulator"),
        "warm": Verb("", "compile what exact runs and the contact solver share, before it is needed"),
    },
    "Learn and search": {
        "train": Verb("RUN", "train a policy with Stable-Baselines3, or with Ray", (f"{VERB_FILES}/train_*.py",)),
        "evaluate": Verb("POLICY", "return, speed, cost of transport and falls of a policy"),
        "leaderboard": Verb("FOLDER", "entries of frozen tasks, anybody's, played again and compared"),
        "certify": Verb("POLICY", "whether a policy depends on the simulator: a verdict, and a page"),
        "stability": Verb("POLICY|FILE", "how stable a gait is: period, multipliers, observed decay, and a verdict"),
        "export": Verb("POLICY", "write a trained policy as an ONNX model"),
        "search": Verb("NAME", "the best gait of a machine, or all of a grid", ("library/search/*.py",), own=True),
    },
    "Show": {
        "figure": Verb("NAME", "compute and draw a figure", ("laboratory/figures/*.py",), "laboratory.drawing"),
        "benchmark": Verb("NAME", "how fast it is, beside others", ("laboratory/benchmarks/*.py",), "laboratory.frame"),
        "page": Verb(
            "NAME", "make a generated part of the documentation", ("laboratory/pages/*.py",), "laboratory.frame"
        ),
    },
}
VERBS = {name: verb for group in GROUPS.values() for name, verb in group.items()}
# MODULE:FUNCTION in `library` that returns, as lines, the names behind a verb that are no files.
LISTINGS = dict.fromkeys(("evaluate", "certify"), "learning.policies:listed") | {
    "train": "learning.training_runs:listed",
    "stability": "stability.gaits:listed",
    "export": "learning.policies:trained_ones",
}
LABORATORY = "laboratory"  # the folder in FOLDER that makes the documentation: in a checkout, and in no wheel


def names(verb: str) -> dict[str, Path]:
    """Return the file behind each name that may follow a verb."""
    found = {}
    for pattern in VERBS[verb].files:
        prefix = pattern.rpartition("/")[2].partition("*")[0]
        paths = [path for path in FOLDER.glob(pattern) if JOINS.search(path.read_text(encoding="utf-8"))]
        found |= {path.stem.removeprefix(prefix): path for path in paths}
    spelled = {name.replace("_", "-") if VERBS[verb].own else name: path for name, path in found.items()}
    return dict(sorted(spelled.items()))  # machines are spelled as policies and runs are


def commands() -> dict[str, Path]:
    """Return the file behind every command, by its words."""
    found = {}
    for verb in VERBS:
        whole = FOLDER / VERB_FILES / f"{verb.replace('-', '_')}.py"
        if not VERBS[verb].own and whole.exists() and JOINS.search(whole.read_text(encoding="utf-8")):
            found[verb] = whole
    return found | {f"{verb} {name}": path for verb in VERBS for name, path in names(verb).items()}


def is_away(verb: str) -> bool:
    """Return whether a verb needs the laboratory, and this installation has none."""
    return VERBS[verb].frame.startswith(LABORATORY) and not (FOLDER / LABORATORY).is_dir()


def needs_checkout(verb: str) -> str:
    """Return the sentence about a verb that is away."""
    where = "clone it, and in it `pip install -e .` installs this command with all verbs"
    return f"tarsus {verb}: it is not in the wheel and needs a checkout of the repository; {where}"


def module_of(path: Path) -> str:
    """Return the dotted name of a command's file."""
    return ".".join(["tarsus.scripts", *path.relative_to(FOLDER).with_suffix("").parts])


def main_of(command: str, path: Path | None) -> Callable[[list[str]], int]:
    verb, _, name = command.partition(" ")
    if VERBS[verb].own:
        own = importlib.import_module(f"tarsus.scripts.command.verbs.{verb}")
        return lambda argv: own.main([name, *argv])
    module = importlib.import_module(module_of(path))
    if hasattr(module, "main"):
        return module.main
    frame = importlib.import_module(f"tarsus.scripts.{VERBS[verb].frame}")
    return partial(frame.main, module)


def summary(path: Path) -> str:
    """Return the first line of a file's docstring, without importing it."""
    with path.open(encoding="utf-8") as lines:
        return next(lines).strip().strip('"')


def usage() -> str:
    """Return the usage that `tarsus` alone prints: the verbs in groups, with a line each."""
    width = max(len(f"{name} {verb.follows}") for name, verb in VERBS.items())
    lines = ["usage: tarsus VERB [NAME] [OPTIONS]", "", f"A first command to try:  {FIRST}"]
    for group, verbs in GROUPS.items():
        lines += ["", group]
        for name, verb in verbs.items():
            away = " (needs a checkout)" if is_away(name) else ""
            lines.append(f"  {f'{name} {verb.follows}':{width}}  {verb.what}{away}")
    return "\n".join([*lines, "", "`tarsus VERB` lists the names behind it, `tarsus help VERB [NAME]` the options."])


def listing(found: dict[str, Path]) -> str:
    """Return commands with their summaries."""
    width = max(map(len, found))
    return "\n".join(f"tarsus {command:{width}}  {summary(path)}" for command, path in found.items())


def listed(verb: str) -> str:
    """Return the names behind a verb that no files have."""
    module, _, function = LISTINGS[verb].partition(":")
    return getattr(importlib.import_module(f"tarsus.scripts.library.{module}"), function)()


def unnamed(verb: str, option: str, first: str, path: Path) -> str:
    """Return the sentence about an option without a name before it; `first` is a command of the verb, of that file."""
    from tarsus.scripts.command import arguments

    known, word = arguments.options_of(arguments.parser_of(main_of(first, path))), option.partition("=")[0]
    hint = "" if word in known else arguments.meant(word, known)
    return f"tarsus {verb}: takes {VERBS[verb].follows} before {word}; `tarsus {verb}` lists the names{hint}"


def refusal(words: list[str], known: Iterable[str]) -> str:
    """Return the sentence about words that name nothing, with the nearest that does."""
    from tarsus.analytic.spelling import nearest

    said, spelled = " ".join(words), {command.replace("_", "-"): command for command in known}
    tried = [word.replace("_", "-") for word in (said, words[-1])]
    near = next(filter(None, (nearest(word, spelled) for word in tried)), "")
    if not near and words[0] in VERBS:
        there = ", ".join(name.partition(" ")[2] for name in known if name.startswith(f"{words[0]} "))
        files = ", and files of robots (.xml, .urdf)" if words[0] == "run" else ""
        return f"tarsus: `{words[0]}` has no {' '.join(words[1:])!r}; there are {there}{files}"
    if not near and (verb := nearest(words[0], VERBS)):
        return f"tarsus: there is no command {words[0]!r}; did you mean `tarsus {' '.join([verb, *words[1:]])}`?"
    hint = f"did you mean `tarsus {spelled[near]}`?" if near else "`tarsus` alone lists what there is"
    return f"tarsus: there is no command {said!r}; {hint}"


def finish(name: str, command: Callable, argv: list[str]) -> int:
    """Return a command's exit status; that Ctrl-C or the system ended it is said in a sentence."""
    try:
        return command(argv) or 0
    except KeyboardInterrupt:
        print(f"tarsus {name}: interrupted; the files that were complete are kept", file=sys.stderr)
        return 130  # as shells have it
    except BrokenPipeError:
        raise
    except OSError as error:
        what = f"{error.filename}: {error.strerror}" if error.filename and error.strerror else error.strerror or error
        print(f"tarsus {name}: {what}; the files that were complete are kept", file=sys.stderr)
        return 1


def find(words: list[str]) -> tuple[str, int]:
    """Return the command that the leading words spell, "" if none, and how many words it takes.

    A name of several words may be written with hyphens, underscores or spaces: `run hopping-leg`. The file of a robot
    is a machine.
    """
    if len(words) > 1 and words[0] == "run" and Path(words[1]).suffix.lower() in ROBOTS:
        return " ".join(words[:2]), 2
    known = {command.replace("-", "_"): command for command in commands()}
    for n in range(len(words), 0, -1):
        said = " ".join([words[0], "_".join(words[1:n])]).strip().replace("-", "_")
        if said in known:
            return known[said], n
    return "", 0


def main(argv: list[str] | None = None) -> int:
    """Run the command that the leading words name, or list those that begin with them; return the exit status."""
    try:
        status = answer(sys.argv[1:] if argv is None else argv)
        sys.stdout.flush()
        return status
    except BrokenPipeError:  # who reads has had enough, as in `tarsus page | head`
        sys.stdout = io.StringIO()  # Python flushes it at its end, once more
        return 1


def answer(argv: list[str]) -> int:
    """Do what the command line asks for; return the exit status."""
    if argv[:1] == ["help"]:
        argv = [*argv[1:], "--help"]
    words = argv[: next((i for i, word in enumerate(argv) if word.startswith("-")), len(argv))]
    if argv[:1] == ["--version"]:
        from tarsus import __version__

        print(f"tarsus {__version__}")
        return 0
    if not words and argv[:1] in ([], ["-h"], ["--help"]):
        print(usage())
        return 0
    if words and words[0] in VERBS and is_away(words[0]):
        print(needs_checkout(words[0]), file=sys.stderr)
        return 2
    command, n_words = find(words) if words else ("", 0)
    if command and argv == [command] and command in LISTINGS:
        print(listed(command))
        return 0
    if command:
        return finish(command, main_of(command, commands().get(command)), argv[n_words:])
    said = " ".join([*words[:1], "_".join(words[1:])]).strip()
    if begun := {name: path for name, path in commands().items() if said and name.startswith(said)}:
        if said in VERBS and argv[len(words) :] not in ([], ["-h"], ["--help"]):
            print(unnamed(said, argv[len(words)], *next(iter(begun.items()))), file=sys.stderr)
            return 2
        print(listing(begun))
        return 0
    print(refusal(words or argv[:1], [*VERBS, *commands()]), file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
