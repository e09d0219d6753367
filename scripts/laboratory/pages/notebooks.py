"""The notebooks of docs/notebooks, run from their scripts, with what they print and draw.

Usage: tarsus page notebooks [--only NAME ...] [--write]. Without --write it says which are stale, and runs none. Beside
NAME.ipynb goes NAME.png, its last figure.
"""

from __future__ import annotations

from pathlib import Path

from tarsus.analytic import saving
from tarsus.scripts.command import arguments
from tarsus.scripts.laboratory import frame
from tarsus.scripts.laboratory.pages import cells

FOLDER = "notebooks"  # in docs/


def scripts(docs: Path) -> dict[str, Path]:
    """Return the scripts of the notebooks by their names."""
    return {path.stem: path for path in sorted((docs / FOLDER).glob("*.py"))}


def is_stale(script: Path) -> bool:
    """Return whether the cells of the notebook beside a script are not the script's."""
    path = script.with_suffix(".ipynb")
    found = [(cell.kind, cell.source) for cell in cells.read(script)]
    return not path.exists() or cells.stored(path.read_text(encoding="utf-8"))[0] != found


def write(script: Path) -> None:
    """Run a script and write its notebook and its picture beside it."""
    found = cells.read(script)
    outputs = cells.run(found, script)
    pictures = [picture for shown in outputs for picture in cells.pictures(shown)]
    saving.write_text(script.with_suffix(".ipynb"), cells.notebook(found, outputs))
    if pictures:
        with saving.writing(script.with_suffix(".png")) as part:
            part.write_bytes(pictures[-1])


@arguments.command
def main(argv: list[str] | None = None) -> int:
    parser = arguments.Parser(prog="tarsus page notebooks", description=__doc__.partition("\n")[0])
    parser.add_argument("--only", nargs="+", metavar="NAME", help="notebooks to make; by default all")
    frame.add_docs(parser, "run them and write them")
    with arguments.read(parser, argv) as args:
        known = scripts(frame.docs_of(args))
        unknown = set(args.only or ()) - set(known)
        if unknown:
            raise ValueError(f"--only must be of {', '.join(known)}, got {', '.join(sorted(unknown))}")
        stale = {name: is_stale(known[name]) for name in args.only or known}
    for name in stale:
        if args.write:
            write(known[name])
        print(f"{name}: {'written' if args.write else 'stale' if stale[name] else 'up to date'}")
    return 0
