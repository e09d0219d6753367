"""Where a command puts its files: looked at before the work is done, and never over a result unless asked.

A place that a command takes by itself is numbered where it holds a result already (`out/hexapod-2`). One that the
command line names is refused then, unless it says `--force`.
"""

from __future__ import annotations

import argparse
import contextlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path

from tarsus.analytic import saving
from tarsus.scripts.command import paths


def add_options(
    parser: argparse.ArgumentParser,
    default: str | None,
    what: str = "folder for the files",
    kind: Callable[[str], Path] = paths.folder_to_write,
) -> None:
    """Add `--out` and `--force`; without a default nothing is written unless `--out` is given."""
    by_default = f"; default {default}, numbered where that holds a result" if default else ""
    parser.add_argument("--out", type=kind, help=what + by_default)
    parser.add_argument("--force", action="store_true", help="replace the result that is there")
    parser.set_defaults(default_out=default and Path(default))


class Output:
    """The folder of a result.

    Args:
        args: With what `add_options` asked for.
        names: Of all files that such a result may have; the first of them is always there.

    Raises:
        ValueError: If files cannot be written there, or it holds a result and `--force` was not said.

    Attributes:
        folder: Where the files go.
        written: Names of those that are there, in order.
    """

    def __init__(self, args: argparse.Namespace, *names: str) -> None:
        self._names, self._force, self._named = names, args.force, args.out is not None
        self.folder: Path = args.out if self._named else args.default_out
        self.written: list[str] = []
        if self._named and self._holds_a_result(self.folder) and not self._force:
            raise ValueError(f"{self.folder} holds a result already; --force replaces it, another --out keeps it")
        self._number()
        check(self.folder / names[0])

    def _holds_a_result(self, folder: Path) -> bool:
        return any(os.path.lexists(folder / name) for name in self._names)

    def _number(self) -> None:
        if not self._force:
            self.folder = next(path for path in saving.numbers(self.folder) if not self._holds_a_result(path))

    @contextlib.contextmanager
    def writing(self, *names: str) -> Iterator[list[Path]]:
        """Give the paths under which to write some of the files; they are moved to their places together.

        The first call begins the result: an older one gives way to it then, whole. Should another run have been
        faster, the folder gets a number after all.
        """
        old: list[Path] = []
        if not self.written:
            self._number()
            old = [self.folder / name for name in self._names if name not in names]
        with saving.together(*(self.folder / name for name in names), instead_of=old) as parts:
            yield parts
        self.written += names

    def __str__(self) -> str:
        """Return the folder and what was written into it, in words."""
        return f"{self.folder}: {', '.join(self.written)}"


def file_from(args: argparse.Namespace) -> Path | None:
    """Return the file that `--out` names or the default, numbered if it exists; None if there is neither.

    Raises:
        ValueError: If it cannot be written, or exists and `--force` was not said.
    """
    path = args.out or args.default_out
    if path and not (args.out or args.force):
        path = saving.numbered(path)
    return path and new_file(path, args.force)


def new_file(path: Path, force: bool) -> Path:
    """Return a path to which a file can be written.

    Raises:
        ValueError: If it cannot, or if the file exists and shall not be replaced.
    """
    check(path)
    if path.exists() and not force:
        raise ValueError(f"{path} exists already; --force replaces it, another name keeps it")
    return path


def check(path: Path) -> None:
    """Find out whether a file can be written, in a folder that may not be there yet, and leave nothing behind.

    Raises:
        ValueError: If it cannot.
    """
    made: list[Path] = []
    try:
        place = saving.place_of(path)
        made = [folder for folder in place.parents if not folder.exists()]
        place.parent.mkdir(parents=True, exist_ok=True)
        probe = saving.partial(place)
        probe.touch()
        probe.unlink()
    except OSError as error:
        in_the_way = isinstance(error, FileExistsError | NotADirectoryError)
        why = "a file stands where its folder should be" if in_the_way else error.strerror or error
        raise ValueError(f"{path} cannot be written: {why}") from error
    finally:
        for folder in made:
            with contextlib.suppress(OSError):
                folder.rmdir()
