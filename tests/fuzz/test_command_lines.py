"""Command lines that somebody mistyped: each verb refuses one by one sentence and status 2, or begins its work.

The lines are made of what the parsers declare, so a new command is tested by lying there. What is accepted is stopped
where work would begin.
"""

import argparse
import collections
import functools

import pytest
from budget import tries

from tarsus.scripts.command import arguments, cli
from tarsus.scripts.library.machines import MACHINES
from tarsus.scripts.library.views import rendering
from tarsus.scripts.suite import running

COMMANDS = cli.commands()
# The least that a command accepts, where that is something.
LEAST = {
    "page gallery": "--write",
    "page pictures": "--write",
    "page trust": "--policies zero",
    "page policies": "--policies zero",
    "certify": "zero",
    "evaluate": "zero",
    "export": "hexapod-gait",
    "train": "hopping-leg",
    "crossvalidate": "hexapod",
}
LINES = {name: [*name.split(), *LEAST.get(name, "").split()] for name in COMMANDS}
SAMPLES = ("1", "10", "0.01", "new.npz", "new.mp4", "new.nc", "folder", "SimSect.rc", "flat", "zero", "a=1", "0:1")
WRONG = (
    *("", " ", "-", "--", "---", "=", "a=", "=1", "--=", "-1", "-x", "--bogus", "nan", "inf", "1e999", "0x10", "1,5"),
    *("\x00", "\ud800", "é" * 300, "x" * 5000, "(" * 300, "@SimSect.rc", "%s", "{}", "\n", "a\nb", "*", "~", "/", ".."),
    *("9" * 5000, "9" * 400, "a=" + "9" * 5000, "a=[[[1]]]", "a={}", "bogus:Name-v0", "os:Hexapod-v0", "none", "None"),
    *(
        "SimSect.rc/x",
        "binary",
        "binary.npz",
        "binary.zip",
        "binary.onnx",
        "binary.toml",
        "/dev/null",
        "/proc/self/mem",
    ),
)
BINARY = ("binary", "binary.npz", "binary.zip", "binary.onnx", "binary.toml", "binary.csv")


class Began(Exception):
    """The line was accepted, and work would begin."""


@functools.cache
def actions(name):
    """Return the options and positional words of a command, of its machine where it has one for each."""

    def declare(parser, *args, **kwargs):
        raise arguments.Declared(parser)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(argparse.ArgumentParser, "parse_args", declare)
        try:
            cli.main(LINES[name])
        except arguments.Declared as declared:
            (parser,) = declared.args
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            parser = action.choices.get(name.rpartition(" ")[2], next(iter(action.choices.values())))
    return [action for action in parser._actions if action.option_strings]


def value_of(action, rng):
    """Return a word for an option, more often than not one that it takes."""
    if rng.random() < 0.4:
        return WRONG[rng.integers(len(WRONG))]
    if action.choices:
        return str(rng.choice([str(choice) for choice in action.choices]))
    return SAMPLES[rng.integers(len(SAMPLES))]


def option(name, rng):
    """Return the words of an option with values, perhaps too few or too many."""
    known = actions(name)
    action = known[rng.integers(len(known))]
    flag = str(rng.choice(action.option_strings))
    if flag.startswith("--") and rng.random() < 0.1:
        flag = flag[: rng.integers(3, len(flag) + 1)]
    if action.nargs == 0 and rng.random() < 0.8:
        return [flag]
    n = action.nargs if isinstance(action.nargs, int) else 1
    values = [value_of(action, rng) for _ in range(max(0, n + int(rng.choice([-1, 0, 0, 0, 0, 1]))))]
    if len(values) == 1 and flag.startswith("--") and rng.random() < 0.5:
        return [f"{flag}={values[0]}"]
    return [flag, *values]


def mistyped(rng):
    """Return a command and a line for it that somebody may have typed."""
    name = list(LINES)[rng.integers(len(LINES))]
    words = list(LINES[name])
    for _ in range(rng.integers(1, 4)):
        place = int(rng.integers(len(words) + 1))
        match rng.integers(8):
            case 0:
                words.insert(place, WRONG[rng.integers(len(WRONG))])
            case 1:
                del words[place : place + 1]
            case 2:
                words[place:place] = words[place - 1 : place]
            case 3:
                words[place : place + 1] = [word[: rng.integers(len(word) + 1)] for word in words[place : place + 1]]
            case _:
                words += option(name, rng)
    return name, words


@pytest.fixture
def outcome(monkeypatch, capsys, tmp_path):
    """Return a function that runs a line in a folder: "began", "said" with status 0, or the sentence of status 2."""
    (tmp_path / "SimSect.rc").write_text('systemName = "slip"; dataBaseName = "run";')
    for name in BINARY:
        (tmp_path / name).write_bytes(bytes(range(256)))
    there = sorted(path.name for path in tmp_path.iterdir())
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MUJOCO_GL", "egl")
    monkeypatch.setattr(rendering, "renders_with", lambda backend: True)
    monkeypatch.setattr(running, "about", functools.cache(running.about))

    def begin():
        raise Began

    monkeypatch.setattr(arguments, "begin", begin)

    def run(words):
        shown = f"tarsus {' '.join(words)[:300]!r}"
        try:
            status = cli.main(words)
        except Began:
            return "began"
        except SystemExit as error:  # of --help
            status = error.code
        except Exception as error:
            raise AssertionError(f"{shown}: {type(error).__name__}: {error}") from error
        finally:
            assert sorted(path.name for path in tmp_path.iterdir()) == there, f"{shown} wrote before its work began"
        out, err = capsys.readouterr()
        if status == 0:
            assert out and not err, shown
            return "said"
        assert status == 2 and not out and err.count("\n") == 1 and err.startswith("tarsus"), (
            f"{shown}: {status} {err!r}"
        )
        return err

    return run


@pytest.mark.filterwarnings("ignore::UserWarning", "ignore::RuntimeWarning")
def test_a_mistyped_line_is_refused_in_a_sentence_or_begins(outcome):
    found, names = collections.Counter(), set()
    for rng in tries(0, 200):
        name, words = mistyped(rng)
        names.add(name)
        said = outcome(words)
        found[said if said in ("began", "said") else "refused"] += 1
    print(f"command lines: {dict(found)} of {len(names)} commands")
    assert found["began"] > 0.05 * found.total() and found["refused"] > 0.2 * found.total()


@pytest.mark.parametrize("name", ["evaluate", "certify", "export", "run hexapod", "simsect", "figure zeno_ball"])
def test_the_lines_that_are_mutated_are_right(outcome, name):
    assert outcome(LINES[name]) == "began"


def test_the_fuzz_would_see_a_traceback(outcome, monkeypatch):
    monkeypatch.setattr(arguments, "begin", lambda: 1 / 0)
    with pytest.raises(AssertionError, match="ZeroDivisionError"):
        outcome(LINES["run hexapod"])


def test_every_machine_is_among_the_commands():
    assert {f"run {name}".replace("_", "-") for name in MACHINES} <= LINES.keys()
