"""Where compiled code is kept between runs: folders that nobody else can write to, files written atomically.

numba unpickles what it finds, and unpickling can execute any code: nothing is read from a folder that another user owns
or can write to.
"""

import contextlib
import functools
import os
import stat
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator
from pathlib import Path

UNSAFE = LINK, FOREIGN, OPEN = "it is a symbolic link", "it belongs to another user", "others can write to it"
ABANDONED = 600.0  # s: whoever began a file so long ago and did not finish it was killed


def cache_folder(name: str) -> Path | None:
    """Return the first folder of that name for compiled code that only this user can write to.

    In `$TARSUS_CACHE_DIR` if given, else in numba's (`$NUMBA_CACHE_DIR`) if given, else in the user's cache folder,
    else in the system's temporary folder; else a fresh one, removed at exit; None if there is no room.
    """
    for parent, given, own in _parents():
        folder = Path(parent) / name
        why = _unusable((folder.parent, folder) if own else (folder,))
        if not why:
            return folder
        if given or why in UNSAFE:
            warn_once(f"compiled code is not kept in {folder}: {why}")
    return _of_this_process(name)


def _unusable(levels: tuple[Path, ...]) -> str:
    """Return the reason why the last folder cannot be used, or nothing; all are made, and must be this user's alone.

    A folder above them may be open to others: whatever they put in the place of one of these is theirs, and refused.
    """
    try:
        for level in levels:
            _make(level)
            if unsafe := not_private(level):
                return unsafe
    except OSError as error:
        return f"it cannot be made ({error})"
    return "" if level.is_dir() and os.access(level, os.W_OK) else "it is not a writable folder"


def not_private(path: Path | int) -> str:
    """Return the reason why a file or folder (a path or an open file's number) is not private, or nothing."""
    if not hasattr(os, "getuid"):  # Windows: a profile's folders are its user's
        return ""
    found = os.fstat(path) if isinstance(path, int) else os.lstat(path)
    if stat.S_ISLNK(found.st_mode):
        return LINK
    if found.st_uid != os.getuid():
        return FOREIGN
    return OPEN if found.st_mode & (stat.S_IWGRP | stat.S_IWOTH) else ""


def read_private(path: Path) -> bytes | None:
    """Return a file's contents and mark it as used; None if there is none, or another user may have written it."""
    try:
        with open(path, "rb") as file:
            if unsafe := not_private(file.fileno()):
                warn_once(f"compiled code is not read from {path}: {unsafe}")
                return None
            return file.read()
    except OSError:
        return None


def write_whole(path: Path, data: bytes) -> None:
    """Write a file completely or, whatever happens, not at all."""
    number, part = tempfile.mkstemp(prefix=f"{path.name}.", suffix=".part", dir=path.parent)
    try:
        with open(number, "wb") as file:
            file.write(data)
        os.replace(part, path)
    except BaseException:
        Path(part).unlink(missing_ok=True)
        raise


def mark_used(path: Path) -> None:
    """Note that a file was read: a new access time protects it from `clear`."""
    with contextlib.suppress(OSError):  # another process may have removed it
        os.utime(path, ns=(time.time_ns(), path.stat().st_mtime_ns))


def clear(folder: Path, keep: int) -> None:
    """Remove the least recently used files beyond so many, and files left unfinished by processes that were killed."""
    used: dict[Path, int] = {}
    for path in folder.iterdir():
        with contextlib.suppress(OSError):  # another process may have removed it
            found = path.stat()
            if path.suffix == ".nbc":
                used[path] = found.st_atime_ns
            elif path.suffix in (".part", ".lock") and found.st_mtime < time.time() - ABANDONED:
                path.unlink()
    for path in sorted(used, key=used.__getitem__, reverse=True)[keep:]:
        with contextlib.suppress(OSError):
            path.unlink()


@functools.cache
def warn_once(sentence: str) -> None:
    """Warn, once in a process."""
    warnings.warn(sentence, stacklevel=3)


def _parents() -> Iterator[tuple[str, bool, bool]]:
    """Yield folders to hold ours, whether the user gave them, and whether they must be the user's alone, too."""
    if given := os.environ.get("TARSUS_CACHE_DIR"):
        yield given, True, False
    config = getattr(sys.modules.get("numba"), "config", None)
    if given := getattr(config, "CACHE_DIR", "") or os.environ.get("NUMBA_CACHE_DIR"):
        yield given, True, False
    home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    if not home.startswith("~"):  # there is a home
        yield os.path.join(home, "tarsus"), False, False
    try:
        temporary = tempfile.gettempdir()
    except OSError:  # it looks for one that has room
        return
    yield os.path.join(temporary, f"tarsus-{os.getuid() if hasattr(os, 'getuid') else 'user'}"), False, True


def _make(folder: Path) -> None:
    """Make a folder, and those above it that are missing, for this user alone."""
    for level in reversed((folder, *folder.parents)):
        if not os.path.lexists(level):
            level.mkdir(mode=0o700, exist_ok=True)


def _of_this_process(name: str) -> Path | None:
    try:
        folder = Path(_temporary().name) / name
        folder.mkdir(mode=0o700, exist_ok=True)
    except OSError:
        return None
    return folder


@functools.cache
def _temporary() -> tempfile.TemporaryDirectory:
    return tempfile.TemporaryDirectory(prefix="tarsus-", ignore_cleanup_errors=True)
