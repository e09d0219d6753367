"""Files of compiled code: each begins with a hash of its name and contents, so that none is read that is not whole.

Processes that need the same file at once, as an environment's workers do, wait for the first of them to make it.
"""

import contextlib
import hashlib
import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from .cache import cache_folder, clear, mark_used, read_private, warn_once, write_whole

FOLDER = "machine_code"
KEEP = 1600  # files in it; the longest unused are removed beyond that
HEAD = b"tarsus machine code 2\n"
HEAD_SIZE = len(HEAD) + hashlib.sha256().digest_size
PATIENCE = 120.0  # [s] to wait for another process, which may have been halted


def path_of(name: str, key: str, kind: Any) -> Path | None:
    """Return the file of what has this name and fingerprint, on the kind of processor; None if there is no folder."""
    folder = cache_folder(FOLDER)
    digest = hashlib.sha256(repr(kind).encode()).hexdigest()[:20]
    return folder and folder / f"{name}-{key}-{digest}.nbc"


def read(path: Path | None, made_of: Callable[[bytes], Any]) -> Any:
    """Return the object made of a file's contents, or None without one; a damaged or useless file is removed."""
    data = path and read_private(path)
    if path is None or data is None:
        return None
    head, body = data[:HEAD_SIZE], data[HEAD_SIZE:]
    try:
        found = made_of(body) if head == _head(path, body) else None
    except Exception as error:
        warn_once(f"{path} cannot be loaded, and is compiled anew: {type(error).__name__}: {error}")
        found = None
    if found is None:
        with contextlib.suppress(OSError):  # then it will be replaced
            path.unlink()
    else:
        mark_used(path)
    return found


def read_or_make(path: Path | None, made_of: Callable[[bytes], Any], make: Callable[[], Any]) -> Any:
    """Return the object made of a file's contents, by another process that is about to write it, or else by `make`."""
    found = read(path, made_of)
    if found is not None or path is None:
        return make() if found is None else found
    with _alone(path) as waited:
        found = read(path, made_of) if waited else None
        return make() if found is None else found


def write(path: Path, body: bytes) -> None:
    """Keep a file's contents; the longest unused files go."""
    write_whole(path, _head(path, body) + body)
    clear(path.parent, KEEP)


@contextlib.contextmanager
def _alone(path: Path) -> Iterator[bool]:
    """Have other processes wait that want to make this file; yield whether one was waited for.

    The system releases a lock whose owner ends, however it ends. Where there are no locks nobody waits.
    """
    lock, waited = path.with_suffix(".lock"), False
    try:
        import fcntl

        number = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except (ImportError, OSError):
        yield False
        return
    try:
        until, say = time.monotonic() + PATIENCE, sys.stderr.isatty()
        while time.monotonic() < until:
            try:
                fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if say and not waited:
                    sys.stderr.write("waiting for another process, which compiles the same\n")
                waited = True
                time.sleep(0.05)
            except OSError:  # a file system without locks
                break
        yield waited
    finally:
        with contextlib.suppress(OSError):
            lock.unlink()
        os.close(number)


def _head(path: Path, body: bytes) -> bytes:
    return HEAD + hashlib.sha256(path.name.encode() + b"\0" + body).digest()
