"""What every figure script shares: its command line, and where data and picture go.

A figure is a file `scripts/figure_NAME.py` with `compute() -> dict` (arrays, no files), `draw(data) -> Figure` (no
computing) and `main`, which is this module's `figure_main`. `tests/golden/` keeps what `compute` returned.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

import numpy as np


def figure_main(script: str, compute: Callable, draw: Callable, argv: list[str] | None = None) -> int:
    """Compute a figure's data, save it as .npz, draw it, save it as .png, and say where.

    Args:
        script: The script's `__file__`; its stem names the files.
        compute: Returns a dictionary of arrays.
        draw: Turns that dictionary into a matplotlib figure.
        argv: Command line without the program's name; None takes `sys.argv`.
    """
    name = Path(script).stem.removeprefix("figure_")
    parser = argparse.ArgumentParser(prog=f"figure_{name}", description=(compute.__doc__ or "").partition("\n")[0])
    parser.add_argument("--out", type=Path, default=Path("out/figures"), help="folder for the files")
    args = parser.parse_args(argv)
    import matplotlib

    matplotlib.use("Agg")
    args.out.mkdir(parents=True, exist_ok=True)
    data = compute()
    np.savez_compressed(args.out / f"{name}.npz", **data)
    draw(data).savefig(args.out / f"{name}.png", dpi=150)
    print(f"{args.out / name}.npz, .png")
    return 0
