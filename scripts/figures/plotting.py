"""What every figure script shares: its command line, and where data and picture go.

A figure is a file `scripts/figures/NAME.py` with `compute() -> dict` (arrays, no files), `draw(data) -> Figure` (no
computing) and `main`, which is this module's `figure_main`. `tests/golden/` keeps what `compute` returned.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np

from tarsus.scripts.arguments import Parser, command, read
from tarsus.scripts.runs import output


def plain_log(scale) -> None:
    """Label a logarithmic axis (`axis.xaxis`, `axis.yaxis`) by 1, 2, 5, 10, ... instead of by powers of ten."""
    from matplotlib.ticker import LogLocator, NullFormatter

    scale.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    scale.set_major_formatter("{x:g}")
    scale.set_minor_formatter(NullFormatter())


@command
def figure_main(
    script: str,
    compute: Callable,
    draw: Callable,
    argv: list[str] | None = None,
    arguments: Mapping[str, dict] | None = None,
) -> int:
    """Compute a figure's data, save it as .npz, draw it, save it as .png, and say where.

    Args:
        script: The script's `__file__`; its stem names the files.
        compute: Returns a dictionary of arrays.
        draw: Turns that dictionary into a matplotlib figure.
        argv: Command line without the program's name; None takes `sys.argv`.
        arguments: Options that become keywords of `compute`: what argparse has to know of each, by its name.
    """
    name = Path(script).stem
    prog = f"tarsus figure {name.replace('_', ' ')}"
    parser = Parser(prog=prog, description=(compute.__doc__ or "").partition("\n")[0])
    output.add_options(parser, "out/figures")
    for option, settings in (arguments or {}).items():
        parser.add_argument(f"--{option}", **settings)
    with read(parser, argv) as args:
        files = output.Output(args, f"{name}.npz", f"{name}.png")
    import matplotlib

    matplotlib.use("Agg")
    options = [option.replace("-", "_") for option in arguments or {}]
    data = compute(**{option: getattr(args, option) for option in options})
    with files.writing(f"{name}.npz") as (arrays,):
        np.savez_compressed(arrays, **data)
    with files.writing(f"{name}.png") as (picture,):
        draw(data).savefig(picture, dpi=150)
    print(files)
    return 0
