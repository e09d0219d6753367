"""The page of the commands: the verbs of `tarsus`; on the site also the names that may follow them, and all options."""

from __future__ import annotations

import argparse
import inspect
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from tarsus.scripts.command import arguments, cli
from tarsus.scripts.library.base import stamp

ROOT = Path(__file__).parents[3]
FIGURES, PAGES_VERB = "figure", "page"  # verbs whose names are many and are listed another way
FIRST = """# Commands

`tarsus` alone lists the verbs, a verb alone the names that may follow it, and `--help` behind both the options; the
built site has names and options on this page. Options are checked before any work; what cannot be run is refused with
one sentence and exit status 2. No result is overwritten unless `--force` says so. `figure`, `benchmark` and `page` need
a checkout of the repository; the wheel does not have what they run."""


def escaped(text: str) -> str:
    """Return words of a help text as they stand in a cell of a table, outside of code."""
    parts = re.split(r"(`[^`]*`)", " ".join(text.split()))
    return "".join(part if part.startswith("`") else re.sub(r"([|*<$])", r"\\\1", part) for part in parts)


def spelled(value: Any) -> str:
    """Return a default as a reader would write it; a path inside the project without the way to the project."""
    if isinstance(value, Path) and value.is_relative_to(ROOT):
        return value.relative_to(ROOT).as_posix()
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, list | tuple):
        return " ".join(map(spelled, value))
    return str(value)


def option(action: argparse.Action) -> tuple[str, str]:
    """Return the two cells of an option: how it is written, and what it means."""
    value = action.metavar if isinstance(action.metavar, str) else action.dest.upper()
    value = "" if action.nargs == 0 else value if action.nargs in (None, "?") else f"{value} ..."
    words = [", ".join(action.option_strings), value] if action.option_strings else [value or action.dest.upper()]
    unset = action.default in (None, False, "", [], (), argparse.SUPPRESS) or action.nargs == 0
    said = (action.help or "").replace("%(default)s", "" if unset else spelled(action.default)).replace("%%", "%")
    said = said.replace(f"{ROOT}/", "")  # of a default that the help has spelled out
    parts, choices = [escaped(said)], [str(choice) for choice in action.choices or ()]
    if not set(choices) <= set(re.findall(r"[\w.-]+", said)):
        parts.append("one of " + ", ".join(f"`{choice}`" for choice in choices))
    if not unset and "default" not in said:
        every = choices and spelled(action.default) == " ".join(choices)
        parts.append("default all" if every else f"default `{spelled(action.default)}`")
    return f"`{' '.join(filter(None, words))}`", "; ".join(filter(None, parts))


def options(parser: argparse.ArgumentParser) -> list[tuple[str, str]]:
    """Return the cells of a parser's options, those that stand without dashes first."""
    shown = [action for action in parser._actions if action.help != argparse.SUPPRESS and action.dest != "help"]
    shown = [action for action in shown if not isinstance(action, argparse._SubParsersAction)]
    return [option(action) for action in sorted(shown, key=lambda action: bool(action.option_strings))]


def parsers(verb: str) -> dict[str, argparse.ArgumentParser]:
    """Return the parsers of a verb: of itself under the name "", and of every name that may follow."""
    found = {}
    for command, path in cli.commands().items():
        if command.partition(" ")[0] == verb:
            parser = arguments.parser_of(cli.main_of(command, path))
            name = command.partition(" ")[2]
            machines = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
            if machines:  # `run hexapod` is one of a parser's subcommands, `crossvalidate` has them all
                choices = machines[0].choices
                found |= {name: choices[name]} if name else choices
            else:
                found[name] = parser
    return found


def table(rows: Iterable[Sequence[str]], seen: dict[Sequence[str], str], here: str) -> list[str]:
    """Return a table of the options that no section had before, and a line with those that one had."""
    rows = list(rows)
    new = [row for row in rows if row not in seen]
    again: dict[str, list[str]] = {}
    for row in rows:
        if row in seen:
            again.setdefault(seen[row], []).append(row[0])
    seen |= {row: here for row in new}
    parts = [stamp.markdown_table(("option", "meaning"), new)] if new else []
    said = [f"{', '.join(words)} as of [{of}](#{anchor(of)})" for of, words in again.items()]
    return parts + ([f"And {'; '.join(said)}."] if said else [])


def anchor(heading: str) -> str:
    """Return the name of a heading in a link."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def section(verb: str, seen: dict[Sequence[str], str] | None) -> str:
    """Return the page's section on a verb.

    Args:
        verb: Its name.
        seen: The options of the sections before, which is extended; without it neither names nor options are listed.
    """
    known = cli.VERBS[verb]
    usage = f"tarsus {verb} {known.follows}".strip()
    parts = [f"## {verb}", f"{usage}: {escaped(known.what)}."]
    if verb == FIGURES:
        return "\n\n".join([*parts, "The names, with what each draws and its own options: [figures](figures.md)."])
    if verb == PAGES_VERB:
        return "\n\n".join([*parts, "For those who change the project: `tarsus page` lists the names."])
    if seen is None:
        return "\n\n".join(parts)
    found = parsers(verb)
    described = {name: escaped(inspect.cleandoc(parser.description or "")) for name, parser in found.items() if name}
    listed = {name: options(parser) for name, parser in found.items()}
    named = [rows for name, rows in listed.items() if name]
    shared = [row for row in named[0] if all(row in rows for rows in named)] if len(named) > 1 else []
    parts += table([*listed.get("", ()), *shared], seen, verb)
    for name, words in described.items():
        own = (row for row in listed[name] if row not in shared)
        parts += [f"### {verb} {name}", words, *table(own, seen, f"{verb} {name}")]
    return "\n\n".join(filter(None, parts))


def own_options(verb: str) -> dict[str, list[str]]:
    """Return for every name of a verb the table of the options that not all of its names have."""
    listed = {name: options(parser) for name, parser in parsers(verb).items() if name}
    own = {name: [row for row in rows if not all(row in other for other in listed.values())]
           for name, rows in listed.items()}  # fmt: skip
    return {name: [stamp.markdown_table(("option", "meaning"), rows)] if rows else [] for name, rows in own.items()}


def page() -> str:
    """Return the page of all commands: what each verb does."""
    return _joined(None)


def whole() -> str:
    """Return the same with all names and options, as the site has it."""
    return _joined({})


def _joined(seen: dict[Sequence[str], str] | None) -> str:
    rows = [
        (f"[`{name}`](#{name})", group, escaped(verb.what))
        for group, verbs in cli.GROUPS.items()
        for name, verb in verbs.items()
    ]
    parts = [FIRST, stamp.markdown_table(("verb", "group", "what it does"), rows)]
    return "\n\n".join([*parts, *(section(verb, seen) for verb in cli.VERBS)]) + "\n"


PAGES = {"docs/verbs.md": page}
