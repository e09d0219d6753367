"""Every subcommand refuses wrong words, wrong numbers and impossible paths: one sentence, status 2, before any work.

The options are those that the parsers declare, so a new script is tested by lying there. A command is stopped where its
checks end and its work would begin (`arguments.begin`): what it accepts costs nothing, and what it refuses, refuses
before.
"""

import argparse
import functools
import json
from pathlib import Path

import gymnasium
import pytest

from tarsus.envs import own_robot
from tarsus.envs.frozen import SEEDS
from tarsus.mjcf.own_robot import EXAMPLE
from tarsus.scripts.command import arguments, cli
from tarsus.scripts.library.learning import entering
from tarsus.scripts.library.machines import MACHINES
from tarsus.scripts.library.views import rendering
from tarsus.scripts.suite import running

COMMANDS = cli.commands()
# What stands before the options where a command wants words: the least that it accepts.
WORDS = {
    "page gallery": ["--write"],
    "page pictures": ["--write"],
    "page trust": ["--policies", "zero"],
    "page policies": ["--policies", "zero"],
    "benchmark learning": ["--results", "empty"],  # what is stored is judged by a run of the baseline
    "certify": ["zero"],
    "contact-doctor": [str(EXAMPLE)],
    "evaluate": ["zero"],
    "export": ["hexapod-gait"],
    "leaderboard": ["../entries"],
    "robot": [str(EXAMPLE)],
    "search baseline": ["Setter-v0"],
    "stability": ["zero"],
    "sweep": ["slip-leg", "--steps", "1", "--set", "speed=1:1.1:2"],
    "train": ["hopping-leg"],
}
COMPARED = {f"crossvalidate {name}": [name] for name, machine in MACHINES.items() if "exact" in machine.engines}
WORDS |= COMPARED
CASES = [name for name in COMMANDS if name != "crossvalidate"] + list(COMPARED)
NEED_PACKAGES = {"train rllib": "ray"}  # which are not installed beside the others
FREE_TEXT = ("--address",)  # options that any word may be meant by
NOT_NUMBERS = ("word", "nan", "inf", "-inf", "1e308", "1e999", "-1e308", "", "0x10", "1,5")
WRONG_WORDS = ("bogus", "", "=", "a=", "=1", "a=nan", "nan", "1e999", "a=1 b", "\x00", "(" * 500)
ABOUT = functools.cache(running.about)  # an engine answers from a process of its own, every time the same
SUFFIXES = ("", ".mp4", ".gif", ".png", ".npz", ".nc", ".csv", ".md", ".rc", ".xyz")


class Began(Exception):
    """The command line was accepted, and work would begin."""


class Declared(Exception):
    """Carries a parser out of a command."""


def main_of(name):
    command = "crossvalidate" if name in COMPARED else name
    return cli.main_of(command, COMMANDS[command])


def parser_of(name):
    """Return the parser of a command, of its machine where it has one for each."""

    def stop(parser, *args, **kwargs):
        raise Declared(parser)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(argparse.ArgumentParser, "parse_args", stop)
        with pytest.raises(Declared) as declared:
            main_of(name)(WORDS.get(name, []))
    (parser,) = declared.value.args
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            return action.choices[name.rpartition(" ")[2]]
    return parser


@pytest.fixture(scope="module", autouse=True)
def own():
    """Register a robot of the user's own."""
    own_robot.register("Setter-v0", EXAMPLE.with_name("quadruped.xml"), ("FL", "FR", "RL", "RR"), reach=0.5)
    yield
    gymnasium.registry.pop("Setter-v0")


@functools.cache
def entry():
    """Return a result that is an entry of a frozen task."""
    task = {"id": "tarsus/DogTrot-v0", "fingerprint": entering.fingerprint("tarsus/DogTrot-v0"), "options": {}}
    episodes = [{"seed": seed, "score": 0.0, "fell": 0.0} for seed in SEEDS]
    result = {"policy": "zero", "task": task, "episodes": episodes}
    told = {"command": "tarsus evaluate", "inputs": {"stochastic": False}, "result": result}
    return json.dumps(told | {"computer": "another", "versions": ""})


@pytest.fixture
def outcome(monkeypatch, capsys, tmp_path):
    """Return a function that runs a command line in an empty folder: "" if it is accepted, else the sentence."""
    here = tmp_path / "here"
    here.mkdir()
    (here / "SimSect.rc").write_text('systemName = "slip"; dataBaseName = "run";')
    (tmp_path / "entries").mkdir()
    (tmp_path / "entries" / "result.json").write_text(entry())
    monkeypatch.chdir(here)
    monkeypatch.setenv("MUJOCO_GL", "egl")
    monkeypatch.setattr(rendering, "renders_with", lambda backend: True)
    monkeypatch.setattr(running, "about", ABOUT)

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


@pytest.mark.parametrize("name", CASES)
def test_every_subcommand_refuses_what_it_cannot_run(name, outcome, tmp_path):
    accepted = outcome(name, WORDS.get(name, []))
    assert accepted == "" or NEED_PACKAGES.get(name, "no package") in accepted.lower()
    assert "unrecognized arguments: --bogus" in outcome(name, [*WORDS.get(name, []), "--bogus"])
    (tmp_path / "binary").write_bytes(bytes(range(256)))
    for suffix in SUFFIXES:
        (tmp_path / f"binary{suffix}").write_bytes(bytes(range(256)))
    for action in options_of(name):
        kind, option = kind_of(action, tmp_path), (action.option_strings or [action.dest])[0]
        if option.startswith("-"):  # of which argparse makes an empty list
            words = f"{option}=--" if option.startswith("--") else f"{option}--"
            assert f"{option} takes a value, got '--'" in outcome(name, [*WORDS.get(name, []), words])
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
    from tarsus.scripts.laboratory.pages import docs as write_docs

    monkeypatch.setattr(write_docs, "main", lambda argv: 1 / 0)
    with pytest.raises(AssertionError, match="ZeroDivisionError"):
        outcome("page docs", [])
    monkeypatch.setattr(write_docs, "main", lambda argv: print("working"))
    with pytest.raises(AssertionError, match="working"):
        outcome("page docs", [])


# Words that were once tracebacks, silent, or answered after minutes; each with a word of the sentence it gets.
REFUSED = {
    "run hexapod --seconds 1e308": "--seconds must be at most 10000",
    "run hexapod --seconds 1e-9": "at least one row",
    "run hexapod --cycle-time 1e-9": "cycle_time must be at least 0.01",
    "run hexapod --set friction_coeff=nan": "takes numbers, got 'friction_coeff=nan'",
    "run multipod --seconds 0.05": "a walk must last at least 0.1 s",
    "run multipod --gait-set frequency=1e8": "the period of a gait must be at least",
    "run multipod --set leaf_k=nan": "--set takes numbers",
    "run hopping-leg --engine mujoco --seconds 1e-9": "at least one row of 0.001 s",
    "run slip-leg --engine mujoco --seconds 1e-9": "at least one row of 0.001 s",
    "run hopping-leg --preset nan": "unknown preset 'nan'; there are",
    "run hopping-leg --speed nan": "--speed must be finite",
    "run hopping-leg --terrain step high": "arguments of a terrain are numbers",
    "run slip-leg --fps 0": "--fps must be finite and at least 1",
    "run slip-leg --preset fast": "unknown preset 'fast'",
    "run slip-leg --terrain sloped": "no profile along x",
    "run connection-mpc --seconds 0.05": "a walk must last at least 0.1 s",
    "run connection-mpc --legs 5": "even number of legs",
    "run connection-mpc --speed 0.5": "the path cannot be followed at 0.5 m/s",
    "run connection-mpc --speed 0": "speed along a path must be positive",
    "run connection-mpc --lost 12": "lost legs are numbers from 0 to 11",
    "run connection-mpc --path missing.csv": "--path missing.csv",
    "run connection-mpc --noise 0.1": "expected 2 arguments",
    "search multipod --legs 0": "--legs must be at least 1",
    "search multipod --legs 5": "even number",
    "search multipod --seed=-1": "--seed must be at least 0",
    "search multipod --phase-offset nan": "--phase-offset must be finite",
    "search hexapod --jobs 0": "--jobs must be a number of processes",
    "search hexapod --method gradient --goal resistance": "the method gradient searches for a tripod's speed",
    "search sweep --cycle-times -1": "--cycle-times must be positive",
    "search sweep --duty 1": "slow_time must lie between",
    "search sweep --address localhost:1": "--address is for the backends dask and ray",
    "train hexapod --steps -5": "--steps must be at least 1",
    "train hexapod --num-envs 1000000000": "--num-envs must be at most",
    "train hexapod --resume": "there is no checkpoint",
    "evaluate clock --episodes 0": "--episodes must be at least 1",
    "evaluate clock --seeds -1": "--seeds must be at least 1",
    "evaluate clock --seeds nan": "--seeds must be a whole number",
    "evaluate clock --jobs 0": "--jobs must be a number of processes",
    "evaluate clock --video x.xyz": "--video must be the name of a .mp4 or .gif file",
    "evaluate clock --video missing/x.mp4": "--video must lie in a folder that is there",
    "evaluate clock --env Hexapd-v0": "unknown environment 'Hexapd-v0'; there are Hexapod-v0",
    "evaluate clock --option wings=2": "wings",
    "evaluate undulation --env MultipodQuasistatic-v1 --video x.mp4": "has no pictures",
    "evaluate SimSect.rc": "not a trained policy",
    "evaluate zero --env tarsus/HexapodWalk-v0 --seeds 3": "has evaluation seeds of its own",
    "evaluate zero --env tarsus/HexapodWalk-v0 --option terrain=rough": "is frozen, and terrain is part of it",
    "leaderboard missing": "there is no folder missing; each folder is an entrant's",
    "leaderboard .": ". holds no entry; tarsus evaluate POLICY --env TASK --out ./NAME makes one",
    "page tasks --runs missing": "--runs must be a folder that is there",
    "page baselines --env bogus": "invalid choice: 'bogus'",
    "page baselines --runs missing": "--runs must be a folder that is there",
    "figure gait_diagram --seconds 0.001": "--seconds must be finite and at least 0.1",
    "figure gait_diagram --policies bogus": "--policies",
    "crossvalidate hopping-leg --speed nan": "--speed must be finite",
    "page walkers --legs 5": "even number",
    "page walkers --presets fast": "unknown preset 'fast'",
    "simsect -c missing.rc": "cannot read the init file missing.rc",
    "simsect --video x.xyz": "--video must be the name of a .mp4 or .gif file",
    "figure hexapod_speed_map --jobs 0": "--jobs must be a number of processes",
    "page sliding_test --recording missing.csv": "missing.csv: it cannot be read",
}


@pytest.mark.parametrize("line", REFUSED)
def test_a_line_that_cannot_be_run_is_refused_with_its_reason(line, outcome):
    words = line.split()
    name = next(" ".join(words[:n]) for n in range(len(words), 0, -1) if " ".join(words[:n]) in COMMANDS)
    assert REFUSED[line] in outcome(name, words[len(name.split()) :])


def test_a_bug_behind_the_checks_keeps_its_traceback(capsys):
    @arguments.command
    def main(argv):
        with arguments.read(arguments.Parser(prog="tarsus do this"), argv):
            pass
        raise ValueError("a bug")

    with pytest.raises(ValueError, match="a bug"):
        main([])
    assert main(["--bogus"]) == 2 and capsys.readouterr().err == "tarsus do this: unrecognized arguments: --bogus\n"


def test_a_missing_file_and_many_lines_are_one_sentence():
    missing = FileNotFoundError(2, "No such file or directory", "x.rc")
    assert arguments.sentence(missing) == "No such file or directory: x.rc"
    assert arguments.sentence(ValueError("Error: one\n  thing\nand another")) == "Error: one thing and another"
