"""Options explain themselves, near misses are named, and results lie in a folder that is called after the command."""

import argparse
from pathlib import Path

import pytest

from tarsus.scripts.command import arguments, cli

ROOT = Path(__file__).parents[3]
PAIR = {"run", "crossvalidate"}  # the same options, of one engine and of two


def parsers():
    """Yield the verb and the parser of every command, one for each machine where it has them."""
    for name, path in cli.commands().items():
        whole = arguments.parser_of(cli.main_of(name, path))
        below = [action for action in whole._actions if isinstance(action, argparse._SubParsersAction)]
        yield name.partition(" ")[0], whole
        for made in {id(made): made for action in below for made in action.choices.values()}.values():
            yield name.partition(" ")[0], made


def test_no_option_is_without_help():
    for _, parser in parsers():
        for action in parser._actions:
            assert action.help, f"{parser.prog} {action.option_strings or action.dest}"


NEAR = {
    "run hopping-leg --sped 1": "unrecognized arguments: --sped 1; did you mean --speed?",
    "run hexapod --engine mujco": "did you mean mujoco?",
    "run hopping-lge": "did you mean `tarsus run hopping-leg`?",
    "train hexapod --algorithm ppoo": "did you mean ppo?",
}


@pytest.mark.parametrize("line", NEAR)
def test_what_may_have_been_meant_is_said(line, capsys):
    assert cli.main(line.split()) == 2
    assert NEAR[line] in capsys.readouterr().err


ELSEWHERE = {
    "train",
    "train rllib",
    "simsect",
    "warm",
    "page docs",
    "page gallery",
    "page notebooks",
    "page pictures",
    "page shipped",
}


@pytest.mark.parametrize("name", [name for name in cli.commands() if name not in ELSEWHERE | {"page hexapod_studies"}])
def test_a_verb_writes_into_a_folder_that_is_called_after_it(name):
    whole = arguments.parser_of(cli.main_of(name, cli.commands()[name]))
    below = [action for action in whole._actions if isinstance(action, argparse._SubParsersAction)]
    parsers = below[0].choices if below else {"": whole}
    word = name.partition(" ")[2] if name.startswith("run ") else ""
    for machine, parser in parsers.items():
        if word and machine != word or "_" in machine:
            continue
        folder = parser.get_default("default_out").name
        assert folder.replace("-*", "") == "-".join([*name.split()[:1], *(machine or name.partition(" ")[2]).split()])
        assert {"--out", "--force", "--json"} <= set(parser._option_string_actions)
