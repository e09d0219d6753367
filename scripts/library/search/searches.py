"""The searches by name, from Python: `tarsus.search`."""

from __future__ import annotations

from typing import Any

from tarsus.scripts.library.search import baseline, gait, hexapod, multipod

SEARCHES = {
    "baseline": baseline.BaselineSearch,
    "gait": gait.ReturnSearch,
    "hexapod": hexapod.HexapodSearch,
    "multipod": multipod.MultipodSearch,
}


def search(
    name: str, **settings: Any
) -> baseline.BaselineFound | gait.ReturnFound | hexapod.GaitsTried | multipod.Found:
    """Return what `tarsus search NAME` finds; `gait` of it is the best gait, or `table` the best baseline.

    Args:
        name: gait (the highest return on Hexapod-v0), hexapod (the fastest or cheapest exact walk), multipod, or
            baseline (of a robot of the user's own).
        settings: Fields of `ReturnSearch`, `HexapodSearch`, `MultipodSearch` or `BaselineSearch`.

    Raises:
        ValueError: If there is no such search or setting, or it cannot search for that.
    """
    if name not in SEARCHES:
        raise ValueError(f"there is no search {name!r}; there are {', '.join(SEARCHES)}")
    kind = SEARCHES[name]
    if unknown := [word for word in settings if word not in kind.__dataclass_fields__]:
        raise ValueError(f"{name} has no setting {unknown[0]!r}; there are {', '.join(kind.__dataclass_fields__)}")
    return kind(**settings).run()
