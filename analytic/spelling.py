"""The nearest name to one that there is not: what a message about it ends with."""

from collections.abc import Iterable
from pathlib import Path


def nearest(said: str, known: Iterable[str]) -> str:
    """Return the name that is spelled most alike, in upper or lower case; "" if none is."""
    import difflib  # a millisecond that only a message needs

    spelled = {name.lower(): name for name in known}
    return next((spelled[name] for name in difflib.get_close_matches(said.lower(), spelled, 1)), "")


def meant(said: str, known: Iterable[str]) -> str:
    """Return `; did you mean ...?` of the nearest name, or nothing."""
    near = nearest(said, known)
    return f"; did you mean {near}?" if near else ""


def listed(said: str, known: Iterable[str]) -> str:
    """Return the names that there are, and which may have been meant."""
    known = list(known)
    return f"{', '.join(known) or 'none'}{meant(said, known)}"


def lost(path: Path) -> str:
    """Return the sentence about a path that is not there: what is missing of it, and the nearest that is beside it."""
    missing = next(part for part in (*reversed(path.parents), path) if not part.exists())
    beside = [entry.name for entry in missing.parent.iterdir()] if missing.parent.is_dir() else []
    near = nearest(missing.name, beside)
    hint = f"; did you mean {missing.with_name(near)}?" if near else ""
    what = "folder" if missing != path else "file" if path.suffix else "file or folder"
    return f"there is no {what} {missing}{hint}"
