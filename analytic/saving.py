"""Atomic writing: a file, a set of files or a folder is there completely or not at all.

Data are written under a hidden name next to their destination, `.NAME.partial-COMPUTER-PROCESS.ENDING`, and moved there
when complete and on the disk. After a full disk or an exception the partial file is removed and what was there before
is kept; one left by a process that was killed is removed by the next process on that computer that writes there.
"""

import contextlib
import errno
import os
import platform
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path


@contextlib.contextmanager
def writing(path: Path | str) -> Iterator[Path]:
    """Give the name under which to write a file, which is moved into place when the block succeeds."""
    with together(path) as (part,):
        yield part


@contextlib.contextmanager
def together(*paths: Path | str, instead_of: Iterable[Path] = ()) -> Iterator[list[Path]]:
    """Give the names under which to write files that belong together; they are moved when all of them are complete.

    The first is removed before the others are replaced, and moved last: if it is there, the others belong to it.

    Args:
        paths: Destinations of the files.
        instead_of: Older files, which are then removed.

    Raises:
        OSError: If they cannot be written, or a destination is something other than a file.
    """
    places = [place_of(path) for path in paths]
    for place in places:
        place.parent.mkdir(parents=True, exist_ok=True)
    parts = [partial(place) for place in places]
    try:
        yield parts
        for part in parts:
            _to_disk(part)
        old = [*places[:1], *instead_of] if len(places) > 1 or instead_of else []
        try:
            _move(parts, places, old)
        except KeyboardInterrupt:
            _move(parts, places, [])
            raise
    finally:
        for part in parts:
            part.unlink(missing_ok=True)


@contextlib.contextmanager
def writing_folder(folder: Path, previous: Path) -> Iterator[Path]:
    """Give an empty folder; when the block succeeds it is moved into place, and what was there to `previous`.

    Either of the two names is a whole folder at any moment: if a process is killed between the two moves, `previous`.
    """
    part, discarded = partial(folder), partial(previous)
    part.mkdir(parents=True)
    try:
        yield part
        for path in part.iterdir():
            _to_disk(path)
        if folder.exists():
            if previous.exists():
                previous.rename(discarded)
            folder.rename(previous)
        part.rename(folder)
    finally:
        for path in (part, discarded):
            shutil.rmtree(path, ignore_errors=True)


def write_text(path: Path | str, text: str) -> None:
    """Write a text file, completely or not at all."""
    with writing(path) as part:
        part.write_text(text, encoding="utf-8")


def numbered(path: Path) -> Path:
    """Return the first of NAME, NAME-2, NAME-3, ... that does not exist, with the path's ending."""
    return next(candidate for candidate in numbers(path) if not candidate.exists())


def numbers(path: Path) -> Iterator[Path]:
    """Yield NAME, NAME-2, NAME-3, ..., with the path's ending."""
    yield path
    k = 1
    while True:
        k += 1
        yield path.with_name(f"{path.stem}-{k}{path.suffix}")


def place_of(path: Path | str) -> Path:
    """Return the target of a path, with links resolved."""
    place = Path(os.path.realpath(path))
    if place.is_dir():
        raise OSError(errno.EISDIR, "a folder of that name is there", str(path))
    if place.exists() and not place.is_file():
        raise OSError(errno.EINVAL, "it is not a regular file", str(path))
    return place


def partial(place: Path) -> Path:
    """Return the hidden name beside a place, after removing what processes that were killed left there."""
    stem, ending = f".{place.stem}.partial-{platform.node()}-", place.suffix
    for path in place.parent.iterdir() if place.parent.exists() else ():
        process = path.name[len(stem) : len(path.name) - len(ending)]
        if path.name == f"{stem}{process}{ending}" and process.isdigit() and not _runs(int(process)):
            shutil.rmtree(path, ignore_errors=True) if path.is_dir() else path.unlink(missing_ok=True)
    return place.with_name(f"{stem}{os.getpid()}{ending}")


def _move(parts: list[Path], places: list[Path], old: list[Path]) -> None:
    """Move what has not been moved yet, the first last, after removing what is old."""
    for path in old:
        path.unlink(missing_ok=True)
    for part, place in reversed(list(zip(parts, places, strict=True))):
        if part.exists():
            os.replace(part, place)


def _runs(process: int) -> bool:
    """Return whether a process runs; True where the system does not tell."""
    try:
        if os.name == "posix" and process != os.getpid():
            os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        pass
    return True


def _to_disk(path: Path) -> None:
    """Wait until a file is on its disk: some file systems report only then that it does not fit."""
    with path.open("rb+") as file:
        os.fsync(file.fileno())
