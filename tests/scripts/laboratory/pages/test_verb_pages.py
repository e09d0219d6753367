"""The pages of the commands say what the parsers say, on every machine the same."""

import argparse
import math
from pathlib import Path

import pytest

from tarsus.scripts.command import arguments, cli
from tarsus.scripts.laboratory.pages import api_pages, verb_pages


def test_every_command_has_its_heading_and_every_option_its_row():
    for verb in cli.VERBS:
        page = verb_pages.page(verb)
        assert page.startswith(f"# {verb}\n\n```text\ntarsus {verb}")
        for name, parser in verb_pages.parsers(verb).items():
            assert not name or f"\n## {name}\n" in page
            for action in parser._actions:
                if action.option_strings and action.dest != "help":
                    assert f"| `{', '.join(action.option_strings)}" in page, f"{verb} {name}"
    assert {"hexapod", "slip_leg"} <= set(verb_pages.parsers("run")) & set(verb_pages.parsers("crossvalidate"))


def test_no_page_names_a_folder_of_this_machine():
    assert not [verb for verb in cli.VERBS if str(verb_pages.ROOT) in verb_pages.page(verb)]


def test_the_cells_of_an_option():
    parser = argparse.ArgumentParser()
    add = parser.add_argument
    assert verb_pages.option(add("--law", choices=("a", "b"), default="a", help="of *friction* | `x|y`")) == (
        "`--law LAW`",
        r"of \*friction\* \| `x|y`; one of `a`, `b`; default `a`",
    )
    assert verb_pages.option(add("--angle", type=float, default=math.pi)) == ("`--angle ANGLE`", "default `3.14159`")
    assert verb_pages.option(add("--docs", type=Path, default=verb_pages.ROOT / "docs", help="(default: %(default)s)"))[
        1
    ] == ("(default: docs)")
    assert verb_pages.option(add("--force", action="store_true", help="50 %% more")) == ("`--force`", "50 % more")
    assert verb_pages.option(add("names", nargs="+", metavar="NAME", help="them")) == ("`NAME ...`", "them")


def test_a_parser_is_had_without_running_the_command():
    @arguments.command
    def main(argv=None):
        with arguments.read(arguments.Parser(prog="tarsus it"), argv):
            pass
        raise AssertionError("it ran")

    assert arguments.parser_of(main).prog == "tarsus it"
    with pytest.raises(LookupError, match=r"arguments\.read"):
        arguments.parser_of(lambda argv: 0)


def test_the_reference_has_the_public_names_and_compile_first():
    page = api_pages.page(api_pages.PARTS["hybrid"])
    assert page.index("autofunction:: tarsus.analytic.hybrid.compile") < page.index("autoclass::")
    assert "analytic.hybrid.driver" not in page and "tarsus.analytic.hybrid.sections" in page
