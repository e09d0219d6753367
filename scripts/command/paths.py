"""Paths on a command line: types of options that refuse what could not be written when the work is done."""

import os
from argparse import ArgumentTypeError
from collections.abc import Callable
from pathlib import Path

FILMS = (".mp4", ".gif")


def folder_to_write(text: str) -> Path:
    """Return the path of a folder that is there or can be made."""
    path = Path(text)
    if not text:
        raise ArgumentTypeError("must be the name of a folder, got ''")
    part = next(part for part in (path, *path.absolute().parents) if _kind(part))  # the root is there
    if _kind(part) == "file":
        raise ArgumentTypeError(f"must be a folder, but {part} is a file")
    if not os.access(part, os.W_OK | os.X_OK):
        raise ArgumentTypeError(f"must be a folder that can be written, and {part} cannot")
    return path


def file_to_write(*suffixes: str) -> Callable[[str], Path]:
    """Return the type of a file to write, in a folder that is there, with one of these suffixes if any are given."""

    def path_of(text: str) -> Path:
        path = Path(text)
        if suffixes and path.suffix not in suffixes:
            raise ArgumentTypeError(f"must be the name of a {' or '.join(suffixes)} file, got {text!r}")
        if not text or _kind(path) == "folder":
            raise ArgumentTypeError(f"must be the name of a file, got {text!r}")
        if _kind(path.parent) != "folder":
            raise ArgumentTypeError(f"must lie in a folder that is there, and there is no {path.parent}")
        if not os.access(path if path.exists() else path.parent, os.W_OK):
            raise ArgumentTypeError(f"must be a file that can be written, and {path} cannot")
        return path

    return path_of


def folder(text: str) -> Path:
    if not text or _kind(Path(text)) != "folder":
        raise ArgumentTypeError(f"must be a folder that is there, got {text!r}")
    return Path(text)


film = file_to_write(*FILMS)


def _kind(path: Path) -> str:
    """Return "folder", "file" for anything else that is there, or "" if nothing is."""
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return ""
    except OSError as error:
        raise ArgumentTypeError(f"must be a path that can be looked up: {error.strerror}") from None
    return "folder" if path.is_dir() else "file"
