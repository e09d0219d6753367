"""Every subcommand refuses wrong words, wrong numbers and impossible paths: one sentence, status 2, before any work.

The options are those that the parsers declare, so a new script is tested by lying there. A command is stopped where its
checks end and its work would begin (`arguments.begin`): what it accepts costs nothing, and what it refuses, refuses
before.
"""

import argparse
import importlib
from pathlib import Path

import pytest

from tarsus.scripts import arguments, cli
from tarsus.scripts.views import rendering

COMMANDS = cli.subcommands()
# What stands before the options where a command wants words: the least that it accepts.
WORDS = {
    "compare followers": ["zero", "--grounds", "flat"],
    "compare policies": ["zero"],
    "crossvalidate": ["hopping_leg"],
    "draw gait": ["zero"],
    "evaluate": ["zero"],
    "train": ["hopping-leg"],
}
NEED_PACKAGES = {"train rllib": "ray"}  # which are not installed beside the others
FREE_TEXT = ("--address", "--part")  # options that any word may be meant by
NOT_NUMBERS = ("word", "nan", "inf", "-inf", "1e308", "1e999", "-1e308", "", "0x10", "1,5")
WRONG_WORDS = ("bogus", "", "=", "a=", "=1", "a=nan", "nan", "1e999", "a=1 b", "\x00", "(" * 500)
SUFFIXES = ("", ".mp4", ".gif", ".png", ".npz", ".nc", ".csv", ".md", ".rc", ".xyz")


class Began(Exception):
    """The command line was accepted, and work would begin."""


class Declared(Exception):
    """Carries a parser out of a command."""


def main_of(name):
    stem = ".".join(COMMANDS[name].relative_to(cli.FOLDER).with_suffix("").parts)
    return importlib.import_module(f"tarsus.scripts.{stem}").main


def parser_of(name):
    """Return the parser of a command, of the machine of `WORDS` where it has one for each."""

    def stop(parser, *args, **kwargs):
        raise Declared(parser)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(argparse.ArgumentParser, "parse_args", stop)
        with pytest.raises(Declared) as declared:
            main_of(name)([])
    (parser,) = declared.value.args
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            return action.choices[WORDS[name][0]]
    return parser


@pytest.fixture
def outcome(monkeypatch, capsys, tmp_path):
    """Return a function that runs a command line in an empty folder: "" if it is accepted, else the sentence."""
    here = tmp_path / "here"
    here.mkdir()
    (here / "SimSect.rc").write_text('systemName = "slip"; dataBaseName = "run";')
    monkeypatch.chdir(here)
    monkeypatch.setenv("MUJOCO_GL", "egl")
    monkeypatch.setattr(rendering, "renders_with", lambda backend: True)

    def begin():
        raise Began

    monkeypatch.setattr(arguments, "begin", begin)

    def run(name, words):
        line = f"tarsus {name} {' '.join(words)[:200]!r}"
        try:
            status = main_of(name)(words)
        except Began:
            assert [path.name for path in here.iterdir()] == ["SimSect.rc"], f"{line} wrote before its work began"
            return ""
        except (Exception, SystemExit) as error:
            raise AssertionError(f"{line}: {type(error).__name__}: {error}") from error
        out, err = capsys.readouterr()
        assert status == 2 and out == "" and err.count("\n") == 1, f"{line}: status {status}, {out!r}, {err!r}"
        assert err.startswith("tarsus ") and len(err) > 20, line
        return err

    return run


def options_of(name):
    """Yield the options and positional words of a command that take a value."""
    for action in parser_of(name)._actions:
        if action.nargs != 0 and not isinstance(action, argparse._SubParsersAction):
            yield action


def line_of(name, action, value):
    """Return the words that give an option of a command a value."""
    words = list(WORDS.get(name, []))
    n = action.nargs if isinstance(action.nargs, int) else 1
    if not action.option_strings:
        return [value] * n
    option = action.option_strings[0]
    return [*words, f"{option}={value}"] if n == 1 and option.startswith("--") else [*words, option, *[value] * n]


def kind_of(action, tmp_path):
    """Return what the type of an option makes of a word that it takes: "number", "path" or "word"."""
    for sample in ("1", "10", "0.01", str(tmp_path / "new.npz"), str(tmp_path / "new.mp4"), str(tmp_path), __file__):
        try:
            made = (action.type or str)(sample)
        except (argparse.ArgumentTypeError, ValueError):
            continue
        return "number" if isinstance(made, int | float) else "word" if isinstance(made, str | tuple) else "path"
    return "path"


@pytest.mark.parametrize("name", COMMANDS)
def test_every_subcommand_refuses_what_it_cannot_run(name, outcome, tmp_path):
    accepted = outcome(name, WORDS.get(name, []))
    assert accepted == "" or NEED_PACKAGES.get(name, "no package") in accepted.lower()
    assert "unrecognized arguments: --bogus" in outcome(name, [*WORDS.get(name, []), "--bogus"])
    (tmp_path / "binary").write_bytes(bytes(range(256)))
    for suffix in SUFFIXES:
        (tmp_path / f"binary{suffix}").write_bytes(bytes(range(256)))
    for action in options_of(name):
        kind, option = kind_of(action, tmp_path), (action.option_strings or [action.dest])[0]
        if action.choices:
            assert outcome(name, line_of(name, action, "bogus")), f"{option} takes a misspelt name"
        elif kind == "number":
            for value in NOT_NUMBERS:
                assert outcome(name, line_of(name, action, value)), f"{option} takes {value!r}"
            for value in ("-1", "0", "1.5", "1000000000", "1e-300"):
                outcome(name, line_of(name, action, value))
        elif kind == "path":
            for suffix in SUFFIXES:
                for path in (tmp_path / "binary" / f"x{suffix}", tmp_path / f"{'x' * 300}{suffix}"):
                    assert outcome(name, line_of(name, action, str(path))), f"{option} takes {path}"
                for path in (tmp_path / f"binary{suffix}", tmp_path / "missing" / f"x{suffix}", tmp_path):
                    outcome(name, line_of(name, action, str(path)))
            assert outcome(name, line_of(name, action, "")) or action.type is Path, f"{option} takes an empty name"
        else:
            for value in WRONG_WORDS:
                sentence = outcome(name, line_of(name, action, value))
                assert sentence or value != "bogus" or option in FREE_TEXT, f"{option} takes {value!r}"


def test_the_test_would_see_a_traceback_and_work_before_the_checks(outcome, monkeypatch, tmp_path):
    from tarsus.scripts import write_docs

    monkeypatch.setattr(write_docs, "main", lambda argv: 1 / 0)
    with pytest.raises(AssertionError, match="ZeroDivisionError"):
        outcome("write docs", [])
    monkeypatch.setattr(write_docs, "main", lambda argv: print("working"))
    with pytest.raises(AssertionError, match="working"):
        outcome("write docs", [])
