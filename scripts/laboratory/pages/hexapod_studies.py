"""Make the tables and pictures of docs/hexapod_studies.md: the studies of the hexapod report, in both engines.

Usage: tarsus page hexapod_studies [--data FOLDER] [--only NAME ...] [--jobs N]. All of it takes about 10 min of
processor time; a study whose data lie in the folder already, from here or from its own `tarsus figure`, is only drawn.
"""

from __future__ import annotations

import sys
import time
import zipfile
import zlib
from pathlib import Path

import numpy as np

from tarsus.analytic import saving
from tarsus.scripts.command import arguments, output, paths
from tarsus.scripts.laboratory import documents
from tarsus.scripts.laboratory.drawing import load, picture
from tarsus.scripts.library.base import stamp
from tarsus.scripts.library.base.interrupts import EXIT_STATUS
from tarsus.scripts.library.records import record

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
    """Return the data of a study, from its file or computed and kept there; a damaged file is computed anew."""
    path = folder / f"{name}.npz"
    try:
        with np.load(path) as stored:
            return dict(stored)
    except FileNotFoundError:
        pass
    except (EOFError, ValueError, zipfile.BadZipFile, zlib.error) as damage:
        print(f"{path} is damaged and computed anew: {damage}", file=sys.stderr)
    data = load(name).compute(jobs=jobs)
    with saving.writing(path) as part:
        np.savez_compressed(part, **data)
    return data


def study(name: str, folder: Path, pictures: Path, jobs: int) -> str:
    """Draw a study's picture and return its part of the page, Markdown."""
    figure = load(name)
    data = data_of(name, folder, jobs)
    with saving.writing(pictures / f"{name}.png") as part:
        picture(figure, data).savefig(part, dpi=DPI)
    return f"![{name}](figures/{name}.png)\n\n{figure.table(data)}"


@arguments.command
def main(argv: list[str] | None = None) -> int:
    """Make the tables and pictures."""
    parser = arguments.Parser(prog="tarsus page hexapod_studies", description=(__doc__ or "").partition("\n")[0])
    page = documents.DOCS / "hexapod_studies.md"
    parser.add_argument(
        "--into", type=paths.file_to_write(), default=page, metavar="PAGE", help="page that receives the tables"
    )
    parser.add_argument(
        "--data", type=paths.folder_to_write, default=Path("out/figures"), help="folder of the studies' data"
    )
    parser.add_argument("--only", nargs="+", choices=STUDIES, default=STUDIES, metavar="NAME", help=", ".join(STUDIES))
    parser.add_argument("--jobs", type=arguments.jobs, default=-1, help="processes; -1, the default, uses every core")
    with arguments.read(parser, argv) as args:
        documents.check_page(args.into, "made", *args.only)
        for path in (args.into, args.data / f"{args.only[0]}.npz"):
            output.check(path)
    for name in args.only:
        try:
            data_of(name, args.data, args.jobs)
        except KeyboardInterrupt:
            done = f"studies that were finished are in {args.data}, the same command goes on with the others"
            print(f"tarsus page hexapod_studies: interrupted at {name}; {done}", file=sys.stderr)
            return EXIT_STATUS
    parts = {name: study(name, args.data, args.into.parent / "figures", args.jobs) for name in args.only}
    versions, computer = stamp.versions(*record.PACKAGES), stamp.computer()
    parts["made"] = (
        f"Made by `tarsus page hexapod_studies` on {time.strftime('%Y-%m-%d')} with {versions}, on {computer}."
    )
    page = args.into.read_text(encoding="utf-8")  # again: the runs took minutes, in which it may have been edited
    for name, part in parts.items():
        page = documents.insert(page, name, part)
    saving.write_text(args.into, page)
    print(args.into)
    return 0


if __name__ == "__main__":
    sys.exit(main())
