"""Compute and draw a figure, as NAME.npz and NAME.png; without a name, list them.

Usage: tarsus figure [NAME] [--help].

A figure is a file `scripts/figures/NAME.py` with `compute() -> dict` (arrays, no files) and `draw(data) -> Figure` (no
computing). The parameters of `compute` are the command's options; those behind `*` are not, with them tests compute
less. `tests/golden/` keeps what `compute` returned.
"""

from __future__ import annotations

import argparse
import ast
import difflib
import importlib
import inspect
import itertools
import sys
from collections.abc import Collection
from pathlib import Path
from types import ModuleType

from tarsus.scripts import arguments, signature

FOLDER = Path(__file__).parent / "figures"
FORMATS = ("png", "pdf", "svg")  # of pictures


def names() -> list[str]:
    """Return the name of every figure."""
    return sorted(path.stem for path in FOLDER.glob("*.py") if path.stem != "__init__")


def title(name: str) -> str:
    """Return what a figure shows, without importing it."""
    text = ast.get_docstring(ast.parse((FOLDER / f"{name}.py").read_text(encoding="utf-8"))) or ""
    return text.partition("\n")[0]


def load(name: str) -> ModuleType:
    """Return the module of a figure."""
    return importlib.import_module(f"tarsus.scripts.figures.{name}")


def listing() -> str:
    """Return every figure with its title, a line each."""
    width = max(map(len, names()))
    return "\n".join(f"  {name:<{width}}  {title(name)}" for name in names())


def meant(word: str, known: Collection[str]) -> str:
    """Return the end of a sentence about a word that is not known: which ones it may stand for."""
    close = [name for name in known if word and name.startswith(word)] or difflib.get_close_matches(word, known)
    return f"did you mean {', '.join(close)}?" if close else "`tarsus figure` lists those that exist"


@arguments.command
def main(argv: list[str] | None = None) -> int:
    """Make a figure, or list them all."""
    argv = sys.argv[1:] if argv is None else argv
    words = list(itertools.takewhile(lambda word: not word.startswith("-"), argv))
    if words and words[0] in names():
        return make(words[0], argv[1:])
    if words:
        hint = meant("_".join(words), names())
        raise arguments.Refusal(f"tarsus figure: no figure is called {' '.join(words)!r}; {hint}")
    parser = arguments.Parser(
        prog="tarsus figure",
        usage="tarsus figure [NAME [OPTIONS]]",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        description=f"{(__doc__ or '').partition(chr(10))[0]}\n\n{listing()}",
    )
    arguments.parse(parser, argv)
    print(f"usage: {parser.usage}\n\n{listing()}")
    return 0


def make(name: str, argv: list[str]) -> int:
    """Compute a figure's data, save it, draw it, save the picture, and say where."""
    from tarsus.scripts.runs import output

    figure = load(name)
    parameters = inspect.signature(figure.compute).parameters.values()
    for_tests = [parameter.name for parameter in parameters if parameter.kind is parameter.KEYWORD_ONLY]
    parser = arguments.Parser(prog=f"tarsus figure {name}", description=title(name))
    signature.add_options(parser, figure.compute, for_tests)
    parser.add_argument("--format", choices=FORMATS, default="png", help="of the picture (default: png)")
    output.add_options(parser, "out/figures")
    with arguments.read(parser, argv) as args:
        files = output.Output(args, f"{name}.npz", *(f"{name}.{ending}" for ending in FORMATS))
    import matplotlib
    import numpy as np

    matplotlib.use("Agg")
    data = figure.compute(**signature.keywords(args, figure.compute, for_tests))
    with files.writing(f"{name}.npz") as (arrays,):
        np.savez_compressed(arrays, **data)
    with files.writing(f"{name}.{args.format}") as (picture,):
        figure.draw(data).savefig(picture, dpi=150, format=args.format)
    print(files)
    return 0
