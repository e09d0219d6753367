"""Make the tables and pictures of docs/hexapod_studies.md: the studies of the hexapod report, in both engines.

Usage: tarsus hexapod studies [--data FOLDER] [--only NAME ...] [--jobs N]. All of it takes about 10 min of processor
time; a study whose data lie in the folder already, from here or from its own `tarsus figure`, is only drawn.
"""

from __future__ import annotations

import importlib
import inspect
import sys
import time
from pathlib import Path

import numpy as np

from tarsus.scripts import arguments, paths, report
from tarsus.scripts.runs import record

STUDIES = (
    "hexapod_speed_map",
    "hexapod_phase_space",
    "hexapod_initial_conditions",
    "hexapod_pushes",
    "hexapod_slope_speed",
    "hexapod_slope_battery",
    "hexapod_turning",
    "hexapod_sinusoid",
)
DPI = 80


def data_of(name: str, folder: Path, jobs: int) -> dict[str, np.ndarray]:
    """Return the data of a study, from its file or computed and kept there."""
    path = folder / f"{name}.npz"
    if not path.exists():
        figure = importlib.import_module(f"tarsus.scripts.figures.{name}")
        folder.mkdir(parents=True, exist_ok=True)
        np.savez_compressed(path, **figure.compute(jobs=jobs))
    with np.load(path) as stored:
        return dict(stored)


def study(name: str, folder: Path, pictures: Path, jobs: int) -> str:
    """Draw a study's picture and return its part of the page, Markdown."""
    figure = importlib.import_module(f"tarsus.scripts.figures.{name}")
    data = data_of(name, folder, jobs)
    pictures.mkdir(parents=True, exist_ok=True)
    figure.draw(data).savefig(pictures / f"{name}.png", dpi=DPI)
    title = inspect.getdoc(figure).partition("\n")[0]
    return f"![{title}](figures/{name}.png)\n\n{figure.table(data)}"


@arguments.command
def main(argv: list[str] | None = None) -> int:
    """Make the tables and pictures."""
    parser = arguments.Parser(prog="tarsus hexapod studies", description=(__doc__ or "").partition("\n")[0])
    page = report.DOCS / "hexapod_studies.md"
    parser.add_argument("--page", type=paths.page, default=page, help="to put the tables into")
    parser.add_argument(
        "--data", type=paths.folder_to_write, default=Path("out/figures"), help="folder of the studies' data"
    )
    parser.add_argument("--only", nargs="+", choices=STUDIES, default=STUDIES, metavar="NAME", help=", ".join(STUDIES))
    parser.add_argument("--jobs", type=arguments.jobs, default=-1, help="processes; -1, the default, takes every core")
    with arguments.read(parser, argv) as args:
        report.check_page(args.page, "made", *args.only)
    import matplotlib

    matplotlib.use("Agg")
    parts = {name: study(name, args.data, args.page.parent / "figures", args.jobs) for name in args.only}
    versions, machine = report.versions(*record.PACKAGES), report.machine()
    parts["made"] = f"Made by `tarsus hexapod studies` on {time.strftime('%Y-%m-%d')} with {versions}, on {machine}."
    page = args.page.read_text(encoding="utf-8")  # again: the runs took minutes, in which it may have been edited
    for name, part in parts.items():
        page = report.insert(page, name, part)
    args.page.write_text(page, encoding="utf-8")
    print(args.page)
    return 0


if __name__ == "__main__":
    sys.exit(main())
