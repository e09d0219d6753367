"""Compute and draw a figure, as NAME.npz and NAME.png: what `tarsus figure NAME` runs.

A figure is a file `scripts/laboratory/figures/NAME.py` with `compute() -> dict` (arrays, no files) and
`draw(data, figure)`, which draws them into an empty figure of Matplotlib (no computing). The parameters of `compute`
are the command's options; those behind `*` are not, with them tests compute less. `tests/golden/` keeps what `compute`
returned.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Mapping
from types import ModuleType
from typing import Any

from tarsus.scripts.command import arguments, cli, signature

FORMATS = ("png", "pdf", "svg")  # of pictures


def names() -> list[str]:
    """Return the name of every figure."""
    return list(cli.names("figure"))


def title(name: str) -> str:
    """Return the title of a figure, without importing it."""
    return cli.summary(cli.names("figure")[name])


def load(name: str) -> ModuleType:
    """Return the module of a figure."""
    return importlib.import_module(f"tarsus.scripts.laboratory.figures.{name}")


def picture(figure: ModuleType, data: Mapping[str, Any]) -> Any:
    """Return a figure of Matplotlib, drawn from what `compute` returned."""
    from matplotlib.figure import Figure

    drawn = Figure(layout="constrained")
    figure.draw(data, drawn)
    return drawn


@arguments.command
def main(figure: ModuleType, argv: list[str] | None = None) -> int:
    """Compute a figure's data, save it, draw it, save the picture, and say where."""
    from tarsus.scripts.command import output

    name = figure.__name__.rpartition(".")[2]
    parameters = inspect.signature(figure.compute).parameters.values()
    for_tests = [parameter.name for parameter in parameters if parameter.kind is parameter.KEYWORD_ONLY]
    parser = arguments.Parser(prog=f"tarsus figure {name}", description=(figure.__doc__ or "").partition("\n")[0])
    signature.add_options(parser, figure.compute, for_tests)
    parser.add_argument("--format", choices=FORMATS, default="png", help="format of the picture (default: png)")
    output.add_options(parser, f"figure-{name}")
    with arguments.read(parser, argv) as args:
        files = output.Output(args, f"{name}.npz", *(f"{name}.{ending}" for ending in FORMATS))
    import numpy as np

    data = figure.compute(**signature.keywords(args, figure.compute, for_tests))
    with files.writing(f"{name}.npz") as (arrays,):
        np.savez_compressed(arrays, **data)
    with files.writing(f"{name}.{args.format}") as (path,):
        picture(figure, data).savefig(path, dpi=150, format=args.format)
    shapes = {entry: np.shape(array) for entry, array in data.items()}
    files.report(parser.prog, (figure.__doc__ or "").partition("\n")[0], arrays=shapes)
    return 0
