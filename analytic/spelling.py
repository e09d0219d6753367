"""The nearest name to one that there is not: the question that a message about it ends with."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any


def nearest(said: Any, known: Iterable[Any]) -> str:
    """Return the name that is spelled most alike, in upper or lower case; "" if none is."""
    import difflib  # a millisecond that only a message needs

    spelled = {str(name).lower(): str(name) for name in known}
    return next((spelled[name] for name in difflib.get_close_matches(str(said).lower(), spelled, 1)), "")


def meant(said: Any, known: Iterable[Any]) -> str:
    """Return `; did you mean ...?` of the nearest name, or nothing; a message ends with it."""
    near = nearest(said, known)
    return f"; did you mean {near}?" if near else ""


def listed(said: Any, known: Iterable[Any], more: str = "") -> str:
    """Return the names that there are, what `more` there is, and which may have been meant; a message ends with it."""
    known = list(known)
    return f"{', '.join(map(str, known)) or 'none'}{more}{meant(said, known)}"


def check_name(what: str, said: Any, known: Collection[Any]) -> None:
    """Refuse a name that is not among those known: a ValueError that lists them, and the nearest."""
    if said not in known:
        raise ValueError(f"unknown {what} {said!r}; there are {listed(said, known)}")


def lost(path: Path) -> str:
    """Return the sentence about a path that is not there: what is missing of it, and the nearest that is beside it."""
    missing = next(part for part in (*reversed(path.parents), path) if not part.exists())
    beside = [entry.name for entry in missing.parent.iterdir()] if missing.parent.is_dir() else []
    near = nearest(missing.name, beside)
    hint = f"; did you mean {missing.with_name(near)}?" if near else ""
    what = "folder" if missing != path else "file" if path.suffix else "file or folder"
    return f"there is no {what} {missing}{hint}"
