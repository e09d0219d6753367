"""What command lines may say: it is checked before any work, and refused with one sentence and exit status 2.

A script's `main` is a `command`. It makes what is to be run inside `with read(parser, argv) as args:`, where whatever
is refused is the command line's fault; behind that block an exception is a failure or a bug, and shows as such.
`number`, `integer` and what stands below them are types of options; those of paths are in `paths.py`.
"""

import argparse
import ast
import contextlib
import functools
import itertools
import math
import re
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Any

import gymnasium

from tarsus.analytic import terrain as terrains
from tarsus.analytic.spelling import listed, meant
from tarsus.scripts.library.base import robot_warnings

LARGEST = 1e9  # of a number without a limit of its own: further away squares and cubes leave what floats hold
LONGEST = 1e4  # of a run, whose record has a row for every millisecond [s]
MOST = 1_000_000  # of a count without a limit of its own

# What the checks of a command line raise. Anything else is a bug, and keeps its traceback.
MISUSE = (ValueError, OSError, gymnasium.error.Error)


ASK = "--what are the options"  # the last word of a command line whose parser is asked for, see `parser_of`


class Refusal(Exception):
    """A command line that cannot be run; the message is the sentence to print."""


class Declared(Exception):
    """Carries a command's parser to `parser_of`."""


class Parser(argparse.ArgumentParser):
    """A parser that says what is wrong in one sentence, without its usage, and what may have been meant.

    `listing` returns lines that stand behind the help; it is called only when that is asked for.
    """

    def __init__(self, *args: Any, listing: Callable[[], str] | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._listing = listing

    def format_help(self) -> str:
        """Return the help, with the lines behind it."""
        return super().format_help() + (f"\n{self._listing()}\n" if self._listing else "")

    def parse_known_args(self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None):
        """Parse, or raise a Refusal; also of `--option=--`, of which argparse makes an empty list until Python 3.12."""
        words = sys.argv[1:] if args is None else list(args)
        for word in itertools.takewhile(lambda word: word != "--", words):
            if re.fullmatch(r"(--[^=]+=|-\w=?)--", word):
                self.error(f"{word.removesuffix('--').rstrip('=')} takes a value, got '--'")
        return super().parse_known_args(words, namespace)

    def error(self, message: str):
        """Refuse the command line: always raises a Refusal."""
        message = re.sub(r"^argument ([^\s:/]+)\S*: (?=must )", r"\1 ", message)
        raise Refusal(f"{self.prog}: {_one_line(message.removeprefix('argument '))}{self._meant(message)}")

    def _meant(self, message: str) -> str:
        """Return a suggestion for a word that is refused; empty if nothing is near."""
        if unknown := re.match(r"unrecognized arguments: (-[^\s=]+)", message):
            return meant(unknown[1], options_of(self))
        wrong = re.search(r"invalid choice: '(.*?)' \(choose from (.*)\)$", message)
        return meant(wrong[1], re.findall(r"[^\s',]+", wrong[2])) if wrong else ""


def command(main: Callable[..., int]) -> Callable[..., int]:
    """Make `main` print the sentence of a refusal, and return 2; what is said of a user's robot is a line each."""

    @functools.wraps(main)
    def guarded(*args: Any, **kwargs: Any) -> int:
        try:
            with robot_warnings.shown(sys.stderr):
                return main(*args, **kwargs)
        except Refusal as refusal:
            print(str(refusal).encode(errors="backslashreplace").decode(), file=sys.stderr)  # of words that are no text
            return 2

    return guarded


@contextlib.contextmanager
def read(parser: argparse.ArgumentParser, argv: list[str] | None) -> Iterator[argparse.Namespace]:
    """Give a `with` block the parsed options; the block makes of them what is to be run, and does no work yet.

    Refusal if they cannot be parsed or the block raises one of `MISUSE`; Declared if the parser is what is asked for.
    """
    if argv and argv[-1] is ASK:
        raise Declared(parser)
    args = parser.parse_args(argv)
    try:
        yield args
    except MISUSE as error:
        raise Refusal(f"{parser.prog}: {sentence(error)}") from error
    begin()


def first(argv: Sequence[str] | None) -> str:
    """Return the first word of a command line, "" if there is none."""
    words = sys.argv[1:] if argv is None else argv
    return words[0] if words else ""


def parser_of(main: Callable[[list[str]], int]) -> argparse.ArgumentParser:
    """Return the parser of a command, which is not run; LookupError if it does not read its options by `read`."""
    try:
        main([ASK])
    except Declared as declared:
        return declared.args[0]
    raise LookupError("the command does not read its options by `arguments.read`")


def options_of(parser: argparse.ArgumentParser) -> list[str]:
    subparsers = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    below = [made for action in subparsers for made in action.choices.values()]
    return sorted({option for made in (parser, *below) for option in made._option_string_actions})


def begin() -> None:
    """Do nothing: a command's work begins here, and here a test of what comes before can stop it."""


def sentence(error: BaseException) -> str:
    if isinstance(error, OSError) and error.strerror:
        return f"{error.strerror}: {error.filename}" if error.filename else error.strerror
    return _one_line(str(error))


def _one_line(text: str) -> str:
    return " ".join(text.split())


def number(
    low: float = -LARGEST, high: float = LARGEST, *, positive: bool = False, kind: type = float
) -> Callable[[str], Any]:
    """Return the type of a number, of kind float or int, from `low`, or from above zero, to `high`."""
    what, finite, form = ("number", "finite and ", "g") if kind is float else ("whole number", "", "")

    def read(text: str) -> Any:
        try:
            value = kind(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"must be a {what}, got {text!r}") from None
        if positive and not 0 < value < math.inf:
            raise argparse.ArgumentTypeError(f"must be positive and finite, got {text}")
        if not low <= value < math.inf:
            raise argparse.ArgumentTypeError(f"must be {finite}at least {low:{form}}, got {text}")
        if value > high:
            raise argparse.ArgumentTypeError(f"must be at most {high:{form}}, got {text}")
        return value

    return read


def integer(low: int = 1, high: int = MOST) -> Callable[[str], int]:
    """Return the type of a whole number from `low` to `high`."""
    return number(low, high, kind=int)


finite = number()
positive = number(positive=True)
seconds = number(high=LONGEST, positive=True)
rtol = number(1e-14, 0.1)  # of the exact engine
count = integer()
seed = integer(0, 2**32 - 1)
threads = integer(0, 1024)  # 0 is one for each processor
simulations = integer(1, 100_000)


def jobs(text: str) -> int:
    """Return a number of joblib's processes; -1 is one for each processor."""
    value = integer(-1024, 1024)(text)
    if value == 0:
        raise argparse.ArgumentTypeError("must be a number of processes, or -1 for one on each core; got 0")
    return value


def assignment(text: str) -> tuple[str, Any]:
    """Return NAME=VALUE as a pair; a value that is no Python literal is a string."""
    name, equals, value = text.partition("=")
    if not (name and equals):
        raise argparse.ArgumentTypeError(f"takes NAME=VALUE, got {text!r}")
    try:
        return name, ast.literal_eval(value)
    except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):  # what the parser is documented to raise
        return name, value


# The settings of an option that takes several of them: `--option terrain=rough speed=0.3`.
PAIRS = dict(type=assignment, nargs="+", default=[], metavar="NAME=VALUE", action="extend")


def assignments(
    words: Iterable[str], option: str, known: Collection[str] = (), of: str = "", texts: Collection[str] = ()
) -> dict[str, Any]:
    """Return the numbers by name of words of the form `NAME=NUMBER`, else ValueError; values of `texts` are words.

    In sentences the words stand behind an option, and the known names are those `of` something: `" of a multipod"`.
    """
    found = {}
    for word in words:
        name, _, value = word.partition("=")
        if not (name and value):
            raise ValueError(f"{option} takes NAME=NUMBER, got {word!r}")
        try:
            found[name] = value if name in texts else finite(value)
        except argparse.ArgumentTypeError:
            size = f"they may be up to {LARGEST:g} in size"
            raise ValueError(f"{option} takes numbers, got {word!r}; {size}") from None
        if known and name not in known:
            raise ValueError(f"unknown parameter {name!r}{of}; there are {listed(name, known)}")
    return found


def terrain(words: Sequence[str], usable: tuple[type, ...] = ()) -> terrains.Terrain:
    """Return the terrain that words name, the first its name, the others its arguments; or ValueError.

    Classes that are `usable` are told where the name is unknown, by default all.
    """
    try:
        values = [float(word) for word in words[1:]]
    except ValueError:
        raise ValueError(f"arguments of a terrain are numbers, got {' '.join(words[1:])}") from None
    if not all(abs(value) <= LARGEST for value in values):
        raise ValueError(f"arguments of a terrain are numbers up to {LARGEST:g}, got {' '.join(words[1:])}")
    if usable and words[0] not in terrains.TERRAINS:
        known = [name for name, kind in terrains.TERRAINS.items() if issubclass(kind, usable)]
        raise ValueError(f"unknown terrain {words[0]!r}; there are {listed(words[0], known)}")
    return terrains.make(words[0], *values)
