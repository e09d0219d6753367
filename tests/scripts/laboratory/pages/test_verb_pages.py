"""The pages of the commands say what the parsers say, on every machine the same."""

import argparse
import math
import re
from pathlib import Path

import pytest

from tarsus.scripts.command import arguments, cli
from tarsus.scripts.laboratory.pages import gallery, verb_pages


def sections(text: str) -> dict[str, str]:
    """Return the parts of a page by their headings."""
    parts = re.split(r"^##+ (.*)$", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def test_every_command_is_on_the_page_and_every_option_on_the_site():
    short, whole = sections(verb_pages.page()), sections(verb_pages.whole())
    for verb in cli.VERBS:
        assert f"tarsus {verb}" in short[verb] and "| `--" not in short[verb]
        for name, parser in verb_pages.parsers(verb).items():
            if name and verb not in (verb_pages.FIGURES, verb_pages.PAGES_VERB):
                assert f"{verb} {name}" in whole and f"{verb} {name}" not in short
            if verb in (verb_pages.FIGURES, verb_pages.PAGES_VERB):
                continue
            here = whole[verb] + whole.get(f"{verb} {name}", "")
            for action in parser._actions:
                if action.option_strings and action.dest != "help":
                    assert f"`{', '.join(action.option_strings)}" in here, f"{verb} {name}"
    assert {"hexapod", "slip-leg"} <= set(verb_pages.parsers("run")) & set(verb_pages.parsers("crossvalidate"))


def test_an_option_is_explained_once_and_named_where_it_is_taken_again():
    text = verb_pages.whole()
    (row,) = re.findall(r"^\| `--blend-shape BLEND_SHAPE` \| .*$", text, flags=re.MULTILINE)
    assert "of the blends" in row
    again = sections(text)["crossvalidate hexapod"]
    assert (
        "`--blend-shape BLEND_SHAPE`" in again
        and "as of [run hexapod](#run-hexapod)" in again
        and "| `--blend-shape" not in again
    )


def test_the_page_of_figures_has_their_own_options():
    own = verb_pages.own_options("figure")
    assert "--policies" in "".join(own["gait_diagram"]) and not any("--force" in "".join(rows) for rows in own.values())
    assert "--policies" in gallery.whole("# Figures")


def test_no_page_names_a_folder_of_this_machine():
    assert str(verb_pages.ROOT) not in verb_pages.whole() + gallery.whole("")


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
