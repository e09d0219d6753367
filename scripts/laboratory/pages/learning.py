"""What plain PPO learns in each environment, beside its baseline: all that `tarsus benchmark learning` has stored."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

from tarsus.scripts.command import paths
from tarsus.scripts.laboratory.frame import Page, Place, Table
from tarsus.scripts.laboratory.studies.learned import HEAD, RESULTS, rows_of

PLACE = Place("policies.md", "learned")
PACKAGES = ("tarsus",)


def check(results: Path, **_) -> None:
    """Refuse a folder without results.

    Raises:
        ValueError: The sentence says what makes them.
    """
    if not any(results.glob("*.json")):
        raise ValueError(f"{results} holds no results; tarsus benchmark learning --env NAME makes them")


def tables(results: Annotated[Path, paths.folder] = RESULTS) -> Page:
    """Return the table of all environments that have results, and what these were made with.

    Args:
        results: Folder of what is stored, a file for each environment.
    """
    stored: list[dict[str, Any]] = [json.loads(path.read_text("utf-8")) for path in sorted(results.glob("*.json"))]
    made = sorted({f"{one['versions']}, on {one['computer']}" for one in stored})
    return Page(Table(HEAD, [row for one in stored for row in rows_of(one)]), *(f"Played with {how}." for how in made))
