"""What pages and benchmarks share: their command line, their formats, and where they go.

A page is a file `pages/NAME.py` with `tables(...) -> Page`, whose parameters are the options of `page NAME`; a
benchmark is one in `benchmarks`. Beside it stand `PACKAGES`, whose versions it names; `PLACE`, the part of a
document that `--write` replaces, where there is one, or `place(...)`, which returns it for the options; `check(...)`,
which refuses options before the work; and `FILES`, those of the page's files that `--out` writes too, beside its own.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import shlex
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from tarsus.analytic import saving
from tarsus.scripts.command import arguments, output, paths, signature
from tarsus.scripts.laboratory import documents
from tarsus.scripts.library.base import stamp

ENDINGS = {"markdown": ".md", "json": ".json", "csv": ".csv"}  # of a page's file, by its form


class Place(NamedTuple):
    """The part of a document that a page fills, between its two marker comments."""

    document: str  # in docs/
    part: str = "tables"


@dataclass(frozen=True)
class Table:
    """A table; cells are printed as they are."""

    head: Sequence[str]
    rows: Sequence[Sequence]
    title: str = ""  # heading above it, with its number signs


class Page:
    """What a page shows.

    Args:
        parts: Tables, and paragraphs between them.
        files: What lies beside the document, by its path in docs/, made when asked for: a matplotlib figure (.png), a
            dictionary of arrays (.npz), a table of pandas (.csv), or text (.js, .json).
    """

    def __init__(self, *parts: Table | str, files: Mapping[str, Callable[[], Any]] | None = None) -> None:
        self.parts, self.files = parts, dict(files or {})

    def text(self, form: str, made: str) -> str:
        """Return the page in one of the forms of `ENDINGS`; `made` says how it was made."""
        if form == "json":
            parts = [
                part if isinstance(part, str) else vars(part) | {"title": part.title.strip("# ")} for part in self.parts
            ]
            return json.dumps({"made": made, "parts": parts}, indent=1, ensure_ascii=False, default=str)
        show = _csv if form == "csv" else _markdown
        return "\n\n".join([f"# {made}" if form == "csv" else made, *map(show, self.parts)])


def _markdown(part: Table | str) -> str:
    if isinstance(part, str):
        return part
    table = stamp.markdown_table(part.head, part.rows)
    return f"{part.title}\n\n{table}" if part.title else table


def _csv(part: Table | str) -> str:
    words = part if isinstance(part, str) else part.title
    text = io.StringIO("".join(f"# {line.strip('# ')}\n" for line in words.splitlines()), newline="")
    text.seek(0, io.SEEK_END)
    if isinstance(part, Table):
        csv.writer(text, lineterminator="\n").writerows([part.head, *part.rows])
    return text.getvalue().rstrip("\n")


def add_docs(parser: argparse.ArgumentParser, what: str) -> None:
    """Add the options that let a command write into docs/."""
    parser.add_argument("--write", action="store_true", help=what)
    parser.add_argument(
        "--docs", type=paths.folder, default=documents.DOCS, help="folder of the documents (default: %(default)s)"
    )


def docs_of(args: argparse.Namespace) -> Path:
    """Return the folder of the documents.

    Raises:
        ValueError: If there is none.
    """
    if not args.docs.is_dir():
        raise ValueError(f"there is no folder {args.docs}; --docs names that of a clone")
    return args.docs


def add_pictures(parser: argparse.ArgumentParser) -> None:
    """Add the options of a command that makes pictures."""
    parser.add_argument("--out", type=paths.folder_to_write, help="folder for the pictures")
    add_docs(parser, "put them into the documentation")


def pictures_folder(args: argparse.Namespace) -> Path:
    """Return the folder that pictures go into.

    Raises:
        ValueError: If the command line names none.
    """
    if not (args.out or args.write):
        raise ValueError("pictures go into the folder that --out names, or with --write into the documentation")
    return args.out or docs_of(args) / "figures"


@arguments.command
def main(module: ModuleType, argv: list[str] | None = None) -> int:
    """Make a page, and print it or write it to where the command line wants it."""
    parser, beside = _parser(module), getattr(module, "FILES", ())
    with arguments.read(parser, argv) as args:
        options = signature.keywords(args, module.tables)
        getattr(module, "check", lambda **_: None)(**options)
        document, part = _target(module, args, options) if args.write else (None, "")
        text = f"page{ENDINGS[args.format]}"
        files = None if document else output.Output(args, text, *beside)
    page = module.tables(**options)
    command = shlex.join([*parser.prog.split(), *_own_words(argv or [])])
    made = f"Made by `{command}` on {time.strftime('%Y-%m-%d')} with {stamp.versions(*module.PACKAGES)}, "
    made += f"on {stamp.computer()}."
    if document:
        for name, make in page.files.items():
            _write_file(document.parent / name, make)
        old = document.read_text(encoding="utf-8")  # again: it may have been edited meanwhile
        saving.write_text(document, documents.insert(old, part, page.text("markdown", made)))
        print(document)
        return 0
    shown = page.text(args.format, made)
    files.keep(text, shown + "\n")
    for name in beside:
        _write_file(files.folder / name, page.files[name])
        files.written.append(name)
    files.report(parser.prog, shown, **json.loads(page.text("json", made)))
    return 0


def _parser(module: ModuleType) -> arguments.Parser:
    """Return the command line of a page or a benchmark."""
    folder, stem = module.__name__.split(".")[-2:]
    summary = (module.__doc__ or "").partition("\n")[0]
    parser = arguments.Parser(prog=f"tarsus {folder.removesuffix('s')} {stem}", description=summary)
    signature.add_options(parser, module.tables)
    words = "format of the page; default %(default)s"
    parser.add_argument("--format", choices=tuple(ENDINGS), default="markdown", help=words)
    output.add_options(parser, f"{folder.removesuffix('s')}-{stem}")
    parser.set_defaults(write=False)
    if hasattr(module, "PLACE") or hasattr(module, "place"):
        add_docs(parser, "put it into its part of the documentation, with its pictures")
    return parser


def _own_words(argv: Sequence[str]) -> list[str]:
    """Return the words of a command line that say what is in the page, not where it goes or what is installed where."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    for option in ("--format", "--out", "--docs"):
        parser.add_argument(option)
    for option in ("--force", "--write", "--json"):
        parser.add_argument(option, action="store_true")
    parser.add_argument("--pythons", nargs="+")
    return parser.parse_known_args(argv)[1]


def _target(module: ModuleType, args: argparse.Namespace, options: Mapping) -> tuple[Path, str]:
    """Return the document that a page is written into, and the part.

    Raises:
        ValueError: If there is no such document, or it lacks the part.
    """
    place = module.place(**options) if hasattr(module, "place") else getattr(module, "PLACE", None)
    if place is None:
        raise ValueError("--write has no document to put this into; --out writes a file")
    document = docs_of(args) / place.document
    documents.check_page(document, place.part)
    output.check(document)
    return document, place.part


def _write_file(path: Path, make: Callable[[], Any]) -> None:
    import matplotlib
    import numpy as np

    matplotlib.use("Agg")
    made = make()
    with saving.writing(path) as part:
        if path.suffix == ".png":
            made.savefig(part, dpi=120)
        elif path.suffix == ".npz":
            np.savez_compressed(part, **made)
        elif path.suffix in (".js", ".json"):
            part.write_text(made, encoding="utf-8")
        else:
            made.to_csv(part, index=False, float_format="%.6g")
